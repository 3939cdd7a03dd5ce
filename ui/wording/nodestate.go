package wording

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func FirstOf(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// NodeState is the state of a node: glyph and word. Cordoned is not broken,
// and a node of a live run is drained only when its run says so.
func NodeState(n *kube.Node, run *drain.State) paint.Line {
	if run != nil {
		if r := run.Node(n.Name); r != nil && r.UID == n.UID {
			if l := runningState(r, run); l != nil {
				return l
			}
		}
	}
	if n.Ready != kube.NodeReady {
		l := paint.L(themes.Bad, paint.Hollow+" Not ready")
		if n.Unschedulable {
			l = l.Add(themes.Warning, " "+paint.Dotted)
		}
		return l
	}
	if n.Unschedulable {
		return paint.L(themes.Warning, paint.Dotted+" Cordoned")
	}
	return paint.L(themes.Good, paint.Ready+" Ready")
}

func runningState(r *drain.NodeRun, run *drain.State) paint.Line {
	switch r.State {
	case drain.NodeCordoning:
		return paint.L(themes.Busy, paint.Play+" Cordoning")
	case drain.NodeDraining:
		p := run.Progress(r.Name)
		return paint.L(themes.Busy, paint.Play+" "+format.Number(p.Left)+"/"+format.Number(p.Total)).
			Add(themes.Muted, " gone")
	case drain.NodeDrained:
		return paint.L(themes.Good, paint.Good+" Drained")
	}
	return nil
}
