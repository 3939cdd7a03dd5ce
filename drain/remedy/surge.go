package remedy

import "github.com/kdrain-tui/kdrain-tui/drain/surge"

// surge starts replacements first for the workload of the pod, as --surge does for a whole run.
func (v *View) surge() Remedy {
	r := Remedy{Facts: Facts{Kind: Surge}, Title: "start its replacement first"}
	if v.Live == nil {
		r.DisabledReason = "it no longer exists in the cluster"
		return r
	}
	w, not := surge.ForPod(v.Snap, v.Live, v.Managed)
	if w != nil {
		r.about(w)
		r.From, r.To = w.Replicas, w.Replicas+1
		r.Title = "start replacements of " + w.Kind + " " + w.Name + " first"
	}
	r.Risk = "All its pods on the nodes that are being drained move so, one at a time: a new pod needs room and must become Ready, then the " +
		"controller removes the old one, past its budget. If the new one is not Ready in time, the number is set back."
	switch {
	case v.Live.Terminating():
		r.DisabledReason = "it is already terminating"
	case !v.Blocked:
		r.DisabledReason = "nothing refuses its eviction"
	case not != nil:
		r.DisabledReason = not.Text
	case !v.Live.Ready:
		r.DisabledReason = "it is not Ready: its workload would have no pod more"
	}
	return r
}
