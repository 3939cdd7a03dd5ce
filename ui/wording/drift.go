package wording

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Change is one difference between two looks at the same plan.
type Change struct {
	UID   kube.UID // of the pod, "" where a node changed
	What  string
	Grave bool // it must be confirmed anew
}

// Drift compares a plan with a newer look at it: pods that came, pods whose
// fate or reasons changed, nodes that changed. That a pod is gone by itself is
// told, but takes nothing away from what was confirmed.
func Drift(shown, now plan.Plan) []Change {
	var changes []Change
	for _, n := range now.Nodes {
		i := slices.IndexFunc(shown.Nodes, func(o plan.Node) bool { return o.Name == n.Name })
		if i < 0 {
			changes = append(changes, Change{What: "node " + n.Name + " is new", Grave: true})
			continue
		}
		changes = append(changes, nodeDrift(shown.Nodes[i], n)...)
	}
	for _, n := range shown.Nodes {
		if !slices.ContainsFunc(now.Nodes, func(o plan.Node) bool { return o.Name == n.Name }) {
			changes = append(changes, Change{What: "node " + n.Name + " is gone", Grave: true})
		}
	}
	for _, f := range now.Findings {
		if f.Level == plan.LevelError && !slices.ContainsFunc(shown.Findings, func(o plan.Finding) bool {
			return o.Code == f.Code && slices.Equal(o.Objects, f.Objects)
		}) {
			changes = append(changes, Change{What: f.Message, Grave: true})
		}
	}
	return changes
}

func nodeDrift(before, after plan.Node) []Change {
	var changes []Change
	switch {
	case before.UID != after.UID:
		changes = append(changes, Change{What: "node " + after.Name + " was replaced by another of its name", Grave: true})
	case before.Ready != after.Ready:
		changes = append(changes, Change{What: "node " + after.Name + map[bool]string{true: " is Ready now", false: " is not Ready any more"}[after.Ready], Grave: true})
	case before.Unschedulable != after.Unschedulable:
		changes = append(changes, Change{What: "node " + after.Name + map[bool]string{true: " is cordoned now", false: " is not cordoned any more"}[after.Unschedulable], Grave: true})
	}
	old := make(map[kube.UID]plan.Pod, len(before.Pods))
	for _, p := range before.Pods {
		old[p.UID] = p
	}
	for _, p := range after.Pods {
		was, ok := old[p.UID]
		delete(old, p.UID)
		name := p.Namespace + "/" + p.Name
		switch {
		case !ok:
			changes = append(changes, Change{UID: p.UID, What: name + " is new: " + fateWord(p), Grave: p.Action != plan.ActionSkip})
		case fateKey(was) != fateKey(p), gravelyLost(p) && !gravelyLost(was):
			changes = append(changes, Change{UID: p.UID, What: name + ": " + fateWord(was) + ", now " + fateWord(p), Grave: true})
		}
	}
	for _, p := range before.Pods {
		if _, gone := old[p.UID]; gone {
			changes = append(changes, Change{UID: p.UID, What: p.Namespace + "/" + p.Name + " is gone"})
		}
	}
	return changes
}

// fateKey is what was confirmed of a pod: what is done, why, and whether its
// budget lets it.
func fateKey(p plan.Pod) string {
	key := string(p.Action)
	for _, r := range p.Reasons {
		key += "," + string(r.Code) + "/" + string(r.Level)
	}
	if p.Budget != nil {
		key += ";" + string(p.Budget.Verdict)
	}
	return key
}

// gravelyLost tells of a pod that does not come back elsewhere.
func gravelyLost(p plan.Pod) bool {
	loss := p.Fate().Loss
	return loss == plan.LossPod || loss == plan.LossPlace
}

func fateWord(p plan.Pod) string {
	s := p.Fate().String()
	if why := Why(p); why != "" {
		s += " (" + why + ")"
	}
	return s
}

// Grave are the changes that must be confirmed anew.
func Grave(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Grave })
}
