package drain

import "slices"

// waitsForAll tells whether a pod goes after all others of its run, and one of
// them is still there.
func (st *stepper) waitsForAll(p *PodRun) bool {
	if !p.Self {
		return false
	}
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return n.Name != p.Node && !n.State.Final() }) ||
		slices.ContainsFunc(st.podsOf(p.Node), func(o *PodRun) bool { return o != p && !o.State.Final() })
}
