package clustermap

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// arrivals are the replacements on a node.
type arrivals struct{ coming, here int }

// moving is what a live run changes on the nodes.
type moving struct {
	held     map[kube.UID]bool // pods that are blocked
	come     map[string]arrivals
	homeless int // replacements that are on no node yet
}

// movingOf goes through the pods of a run, nil for none.
func movingOf(run *drain.State) (m moving) {
	if run == nil {
		return m
	}
	m.held, m.come = map[kube.UID]bool{}, map[string]arrivals{}
	for _, p := range run.Pods {
		if p.State.Blocked() {
			m.held[p.UID] = true
		}
		r := &p.Replacement
		switch {
		case r.State == replacement.Ready:
			a := m.come[r.Node]
			a.here++
			m.come[r.Node] = a
		case r.Awaited() && r.Node == "":
			m.homeless++
		case r.Awaited():
			a := m.come[r.Node]
			a.coming++
			m.come[r.Node] = a
		}
	}
	return m
}
