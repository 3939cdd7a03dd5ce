package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// waitsForAll tells whether a pod goes after all others of its run, and one of
// them is still there.
func (st *stepper) waitsForAll(p *PodRun) bool {
	if !p.Self {
		return false
	}
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return n.Name != p.Node && !n.State.Final() }) ||
		slices.ContainsFunc(st.podsOf(p.Node), func(o *PodRun) bool { return o != p && !o.State.Final() })
}

// waitsForCompletion tells whether the pod is left to run to its end first.
func (p *PodRun) waitsForCompletion() bool {
	return slices.ContainsFunc(p.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonWaitForCompletion })
}

// sees tells whether the node itself and the pods on it are known and live; no
// more is needed to drain it.
func (st *stepper) sees(n *NodeRun) bool { return st.snap.TrustedOn(n.Name) }
