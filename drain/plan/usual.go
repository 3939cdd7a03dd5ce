package plan

import "slices"

// HasUsual reports whether the options accept what most drains need: --ignore-daemonsets and --delete-emptydir-data.
func (o *Options) HasUsual() bool { return o.IgnoreDaemonSets && o.DeleteEmptyDirData }

// WithUsual are the options with both accepted.
func (o Options) WithUsual() Options {
	o.IgnoreDaemonSets, o.DeleteEmptyDirData = true, true
	return o
}

// WantsUsual reports whether pods of the nodes are refused that --ignore-daemonsets or --delete-emptydir-data admits.
// What is shown of a drain assumes them then: the pods that are refused still are those that need a decision.
func WantsUsual(nodes ...Node) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool {
		return slices.ContainsFunc(n.Pods, func(p Pod) bool {
			return p.Action == ActionRefuse && slices.ContainsFunc(p.Reasons, func(r Reason) bool {
				return r.Level == LevelError && (r.Code == ReasonDaemonSet || r.Code == ReasonEmptyDir)
			})
		})
	})
}

// Assume is the plan of one node as it is shown, and whether it assumes the flags that most drains need.
func (v *Previews) Assume(name string, o Options) (n Node, assumed bool) {
	if n = v.node(name, o); WantsUsual(n) {
		return v.node(name, o.WithUsual()), true
	}
	return n, false
}
