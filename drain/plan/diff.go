package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Change is one difference between two looks at the same plan.
type Change struct {
	UID   kube.UID // of the pod, "" where a node changed
	What  string
	Grave bool // what was confirmed does not hold any longer
}

// Diff compares the plan with a newer look at it: pods that came, pods whose
// effects or reasons changed, nodes that changed. That a pod is gone by itself is
// told, but takes nothing away from what was confirmed.
func (p Plan) Diff(now Plan) []Change {
	shown := p
	var changes []Change
	for _, n := range now.Nodes {
		i := slices.IndexFunc(shown.Nodes, func(o Node) bool { return o.Name == n.Name })
		if i < 0 {
			changes = append(changes, Change{What: "node " + n.Name + " is new", Grave: true})
			continue
		}
		changes = append(changes, nodeDiff(shown.Nodes[i], n)...)
	}
	for _, n := range shown.Nodes {
		if !slices.ContainsFunc(now.Nodes, func(o Node) bool { return o.Name == n.Name }) {
			changes = append(changes, Change{What: "node " + n.Name + " is gone", Grave: true})
		}
	}
	for _, f := range now.Findings {
		if f.Level == LevelError && !slices.ContainsFunc(shown.Findings, func(o Finding) bool {
			return o.Code == f.Code && slices.Equal(o.Objects, f.Objects)
		}) {
			changes = append(changes, Change{What: f.Message, Grave: true})
		}
	}
	return changes
}

func nodeDiff(before, after Node) []Change {
	var changes []Change
	switch {
	case before.UID != after.UID:
		changes = append(changes, Change{What: "node " + after.Name + " was replaced by another of the same name",
			Grave: true})
	case before.Ready != after.Ready:
		changes = append(changes, Change{What: "node " + after.Name +
			map[bool]string{true: " is Ready now", false: " is no longer Ready"}[after.Ready], Grave: true})
	case before.Unschedulable != after.Unschedulable:
		changes = append(changes, Change{What: "node " + after.Name +
			map[bool]string{true: " is cordoned now", false: " is no longer cordoned"}[after.Unschedulable],
			Grave: true})
	}
	old := make(map[kube.UID]Pod, len(before.Pods))
	for _, p := range before.Pods {
		old[p.UID] = p
	}
	for _, p := range after.Pods {
		was, ok := old[p.UID]
		delete(old, p.UID)
		name := p.Namespace + "/" + p.Name
		switch {
		case !ok:
			changes = append(changes, Change{UID: p.UID, What: name + " is new: " + described(p),
				Grave: p.Action != ActionSkip})
		case confirmedKey(was) != confirmedKey(p), gravelyLost(p) && !gravelyLost(was):
			changes = append(changes, Change{UID: p.UID, What: name + ": " + described(was) + ", now " + described(p),
				Grave: true})
		}
	}
	for _, p := range before.Pods {
		if _, gone := old[p.UID]; gone {
			changes = append(changes, Change{UID: p.UID, What: p.Namespace + "/" + p.Name + " is gone"})
		}
	}
	return changes
}

// confirmedKey is what was confirmed of a pod: what is done, why, whether its budget lets it, and
// whether it can end.
func confirmedKey(p Pod) string {
	key := string(p.Action)
	for _, r := range p.Reasons {
		key += "," + string(r.Code) + "/" + string(r.Level)
	}
	if p.Budget != nil {
		key += ";" + string(p.Budget.Verdict)
	}
	if p.Stuck != "" {
		key += ";stuck"
	}
	return key
}

// gravelyLost tells of a pod that does not come back elsewhere.
func gravelyLost(p Pod) bool {
	effects := p.Effects()
	return effects.Has(Lost) || effects.Has(Nowhere)
}

// described names the effects on a pod, and the reason for the gravest.
func described(p Pod) string {
	effects := p.Effects()
	why := effects[0].Why
	if why == "" && !p.Moves() && len(p.Reasons) > 0 {
		decides := func(r Reason) bool { return p.Action != ActionRefuse || r.Level == LevelError }
		why = p.Reasons[max(slices.IndexFunc(p.Reasons, decides), 0)].Message
	}
	if why != "" {
		return effects.String() + " (" + why + ")"
	}
	return effects.String()
}

// Grave are the changes that must be confirmed again.
func Grave(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Grave })
}

// CordonedAs is the plan with the cordons of another: those are what the run itself
// did meanwhile.
func (p Plan) CordonedAs(other Plan) Plan {
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		for _, o := range other.Nodes {
			if o.Name == p.Nodes[i].Name {
				p.Nodes[i].Unschedulable = o.Unschedulable
			}
		}
	}
	return p
}
