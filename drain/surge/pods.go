package surge

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// wanted are the pods of the batch that are still to leave, as they are now.
func (r *Record) wanted(v View) []*kube.Pod {
	if v.End {
		return nil
	}
	var pods []*kube.Pod
	for _, m := range r.Batch.Pods {
		if p := v.Snap.Pod(m.UID); p != nil && !p.Terminating() && !p.Finished() && v.Wanted(m.UID) {
			pods = append(pods, p)
		}
	}
	return pods
}

// activeOf are the pods of a workload that its controller counts.
func activeOf(s *kube.Snapshot, w *kube.Workload) []*kube.Pod {
	var active []*kube.Pod
	for _, p := range budget.CountedWith(s, w) {
		if !p.Terminating() && !p.Finished() {
			active = append(active, p)
		}
	}
	return active
}

// available counts the pods of a workload that are available and not of the batch; wake
// is when the next of them will have been Ready for long enough.
func available(v View, w *kube.Workload, b *Batch) (count int, wake time.Time) {
	serverNow := v.Snap.ServerTime(v.Now)
	for _, p := range activeOf(v.Snap, w) {
		if b.Has(p.UID) || !p.Ready {
			continue
		}
		if at := p.AvailableAt(w.MinReadySeconds); serverNow.Before(at) {
			wake = first(wake, v.Now.Add(at.Sub(serverNow)))
		} else {
			count++
		}
	}
	return count, wake
}

// cause says why the replacements are not Ready.
func cause(v View, w *kube.Workload, b *Batch) string {
	replacements := replacementsOf(v.Snap, w, b)
	for _, p := range replacements {
		if t := p.Trouble; !p.Ready && t != nil && t.Reason != "" {
			return p.Name + ": " + joined(t.Reason, t.Message)
		}
	}
	switch {
	case len(replacements) < int(b.To-b.Was) && w.Failure != "":
		return w.Failure
	case len(replacements) == 0:
		return "its controller made none"
	}
	return "they are still starting"
}

func joined(reason, message string) string {
	if message == "" {
		return reason
	}
	return reason + ", " + message
}

// sawReady reports whether the controller of a workload counts all its Ready pods as such. It removes those first that
// are not Ready, by its own cache, before it compares costs: a replacement too whose readiness it has not seen yet.
func sawReady(s *kube.Snapshot, w *kube.Workload) bool {
	ready := 0
	for _, p := range activeOf(s, w) {
		if p.Ready {
			ready++
		}
	}
	return int(w.ReadyReplicas) >= ready
}
