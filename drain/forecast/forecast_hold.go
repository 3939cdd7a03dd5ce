package forecast

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// holds are the pods that are left at the end of the model and that the drain itself keeps: those
// whose budget waits for the replacement of another pod of the plan that lands nowhere, and those
// that the run does not come to. What their budgets say by themselves is not said again.
func (m *model) holds() map[kube.UID]plan.Hold {
	all := slices.SortedFunc(maps.Values(m.pods), func(a, b *modelPod) int {
		return cmp.Or(cmp.Compare(a.plan.Namespace, b.plan.Namespace), cmp.Compare(a.plan.Name, b.plan.Name))
	})
	holds := map[kube.UID]plan.Hold{}
	for _, p := range all {
		leaves := p.plan.Effects()
		if n := m.state.Node(p.plan.Node); n == nil || n.State == drain.NodeRefused {
			continue
		}
		if p.evicted || leaves.Has(plan.Stuck) || leaves.Has(plan.Blocked) {
			continue
		}
		if i := slices.IndexFunc(all, p.waitsFor); i >= 0 {
			holds[p.plan.UID] = waitsForever(all[i].plan, p.plan)
		} else if leaves.Has(plan.Moves) || leaves.Has(plan.Last) {
			holds[p.plan.UID] = plan.Hold{Effect: plan.Effect{Kind: plan.Waits, Why: "waits for " + m.waitOf(p)}}
		}
	}
	return holds
}

// waitsFor reports whether the budget of p, or the guard, would let it go if the other had a
// replacement, which finds no node.
func (p *modelPod) waitsFor(other *modelPod) bool {
	same := p.budget != nil && other.budget == p.budget || p.guard != nil && other.guard == p.guard
	return same && other != p && other.evicted && !other.back && other.plan.Effects().Has(plan.Nowhere)
}

// waitsForever is the hold of a pod that waits for the replacement of another.
func waitsForever(other, p *plan.Pod) plan.Hold {
	name := other.Namespace + "/" + other.Name
	where := " of " + other.Node
	if other.Node == p.Node {
		where = ""
	}
	return plan.Hold{
		Effect: plan.Effect{Kind: plan.Blocked, Why: "waits for the replacement of " + name + where + ", which leaves first and lands nowhere"},
		Advice: []budget.Advice{{Text: "make room for " + name + " on a node that is not drained, then plan again",
			Command: "kubectl describe pod -n " + other.Namespace + " " + other.Name}},
	}
}

// waitOf is what the run waits for with the pod.
func (m *model) waitOf(p *modelPod) string {
	if r := m.state.Pod(p.plan.UID); r != nil && r.Wait != nil {
		return r.Wait.Sentence(m.now)
	}
	return "pods that do not leave"
}
