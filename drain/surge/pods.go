package surge

import (
	"fmt"
	"slices"
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

// available counts the available pods of a workload beside those of the batch. wake is when the next pod will have been
// Ready for long enough.
func available(v View, w *kube.Workload, b *Batch) (count int, wake time.Time) {
	serverNow := v.Snap.ServerTime(v.Now)
	for _, p := range activeOf(v.Snap, w) {
		if b.Has(p.UID) || !p.Ready {
			continue
		}
		if availableNow(v, w, p) {
			count++
			continue
		}
		wake = first(wake, v.Now.Add(p.AvailableAt(w.MinReadySeconds).Sub(serverNow)))
	}
	return count, wake
}

// recovered counts the pods that have become available since the batch began and that the workload wanted before: they
// are no replacements. Its controller may have kept a pod too many, and count that one instead of making another.
func recovered(v View, w *kube.Workload, b *Batch) int {
	count := 0
	for _, p := range activeOf(v.Snap, w) {
		if slices.Contains(b.Unavailable, p.UID) && availableNow(v, w, p) {
			count++
		}
	}
	return min(count, int(b.Was)-len(b.Pods)-b.Others)
}

func availableNow(v View, w *kube.Workload, p *kube.Pod) bool {
	return p.Ready && !v.Snap.ServerTime(v.Now).Before(p.AvailableAt(w.MinReadySeconds))
}

// otherStarts is until when the surge waits for a pod that was starting when the batch began, zero for none. While that
// pod is not Ready, the controller would remove it instead of a pod of the batch.
func otherStarts(v View, w *kube.Workload, b *Batch) (until time.Time) {
	for _, p := range activeOf(v.Snap, w) {
		ends := v.Now.Add(p.Created.Add(budget.ComesUpIn).Sub(v.Snap.ServerTime(v.Now)))
		if !p.Ready && slices.Contains(b.Unavailable, p.UID) && ends.After(v.Now) {
			until = first(until, ends)
		}
	}
	return until
}

// cause says why the replacements are not Ready.
func cause(v View, w *kube.Workload, b *Batch) string {
	replacements := replacementsOf(v.Snap, w, b)
	for _, p := range replacements {
		if t := p.Trouble; !p.Ready && t != nil && t.Reason != "" {
			return p.Name + ": " + joined(t.Reason, t.Message)
		}
		if p.Ready && !availableNow(v, w, p) {
			return fmt.Sprintf("%s: Ready for less than %d s (minReadySeconds)", p.Name, w.MinReadySeconds)
		}
	}
	switch {
	case b.again():
		return "somebody else has set its replicas meanwhile"
	case len(replacements) < int(b.To-b.Was) && w.Failure != "":
		return w.Failure
	case len(replacements) == 0:
		return "its controller made none"
	case slices.ContainsFunc(replacements, func(p *kube.Pod) bool { return !p.Ready }):
		return "they are still starting"
	}
	if not := losesOther(v.Snap, w, v.Stays); not != nil {
		return not.Text
	}
	return "they are Ready, but as many of its other pods are not"
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
