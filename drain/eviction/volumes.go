package eviction

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// volumeTurn says what a pod with volumes waits for before its eviction: nothing
// (nil), or the pods of its drivers that are terminating or whose volumes are still
// attached. A pod that is blocked or stuck holds no turn.
func (v *View) volumeTurn(r *Record, live *kube.Pod) *waits.Wait {
	switch {
	case v.Options.MaxParallelVolumes <= 0:
		return nil
	case r.Volumes == nil && volume.HasClaims(live) && !volume.VolumesReadable(v.Snap, live):
		return &waits.Wait{For: waits.ForVolumes}
	case r.Volumes == nil:
		return nil
	}
	driver, ahead := v.turns().Full(r.Node, r.Volumes.Drivers())
	if driver == "" {
		return nil
	}
	wait := &waits.Wait{For: waits.ForVolumeQueue, Driver: driver}
	if ahead != nil {
		wait.Ahead = &waits.Ahead{Namespace: ahead.Namespace, Pod: ahead.Name, Node: ahead.Node,
			Volumes: ahead.Detaching}
	}
	return wait
}

// hasVolumeTurn reports whether the pod has to wait for no other pod with volumes.
func (v *View) hasVolumeTurn(r *Record, live *kube.Pod) bool {
	switch {
	case v.Options.MaxParallelVolumes <= 0:
		return true
	case r.Volumes == nil:
		return !volume.HasClaims(live) || volume.VolumesReadable(v.Snap, live)
	}
	return v.turns().Free(r.Node, r.Volumes.Drivers())
}

// turns are those of pods with volumes at this look.
func (v *View) turns() *volume.Queue {
	if v.queue == nil {
		v.queue = volume.NewQueue(v.Options.MaxParallelVolumes)
		for _, r := range v.Pods {
			if r.holdsVolumeTurn() {
				v.takeVolumeTurn(r)
			}
		}
	}
	return v.queue
}

// takeVolumeTurn notes that the pod is evicted now.
func (v *View) takeVolumeTurn(r *Record) {
	if v.queue != nil { // else it was not asked for yet
		v.queue.Take(volume.Holder{Namespace: r.Namespace, Name: r.Name, Node: r.Node,
			Detaching: r.Volumes.In(volume.VolumeDetaching)},
			r.Volumes.Drivers())
	}
}

// holdsVolumeTurn reports whether the pod is on its way: asked for, terminating, or gone
// with volumes that are still attached to its node.
func (r *Record) holdsVolumeTurn() bool {
	if r.State.Left() {
		return r.Volumes.Awaited()
	}
	return !r.State.Final() && len(r.Volumes) > 0 && (r.InFlight != 0 || r.State == Terminating)
}

// DetachDue is until when the detach of the pod's volumes is waited for:
// --detach-timeout after the pod's grace, or after its end if that was later. (Of
// gardener's waitForDetach, which counts both from the eviction; a pod that ended
// late has its volumes given their time here too.)
func (v *View) DetachDue(r *Record) time.Time {
	from := r.Ended
	if v.Options.DetachTimeout > 0 && !r.Accepted.IsZero() {
		if graceEnds := r.Accepted.Add(v.grace(r)); graceEnds.After(from) {
			from = graceEnds
		}
	}
	return from.Add(v.Options.DetachTimeout)
}

// grace is the grace period with which the pod is evicted.
func (v *View) grace(r *Record) time.Duration {
	if asked := v.Options.GracePeriodSeconds; asked >= 0 {
		return time.Duration(asked) * time.Second
	}
	return time.Duration(r.GraceSeconds) * time.Second
}

// MovedVolumes reports whether the pod has left its node with a volume that may have been
// attached to it.
func (r *Record) MovedVolumes() bool {
	return r.State.Left() && r.Volumes.MayBeAttached()
}

// VolumesSentence says where the volumes of a pod are that has left its node. "" where there
// is nothing to say. now is our clock.
func (r *Record) VolumesSentence(now time.Time) string {
	if !r.State.Left() {
		return ""
	}
	return r.Volumes.Sentence(r.Node, now.Sub(r.Ended), r.DetachBy, now)
}
