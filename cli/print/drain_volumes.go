package print

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// volumeOf is a volume of a pod.
type volumeOf struct {
	pod  kube.UID
	name string // in the pod
}

// volumes says where the volumes of a pod that is gone are, each change once, and
// what is still attached to a drained node.
func (d *Drain) volumes(e drain.Event) {
	if e.Pod == "" {
		if e.Message != "" {
			d.Warn("node/" + e.Node + ": " + e.Message)
		}
		return
	}
	for i := range e.Volumes {
		v := &e.Volumes[i]
		key := volumeOf{e.UID, v.Name}
		if d.lines.volumes[key] != v.State {
			d.lines.volumes[key] = v.State
			d.volume(e, v)
		}
	}
	if e.Message != "" {
		d.Warn("pod " + e.Namespace + "/" + e.Pod + ": " + e.Message)
	}
}

func (d *Drain) volume(e drain.Event, v *volume.Facts) {
	say := func(words string) { d.Note("volume %s of pod %s/%s %s", v.Title(), e.Namespace, e.Pod, words) }
	switch v.State {
	case volume.VolumeDetaching:
		if e.Wait == nil {
			say("is still attached to " + e.Node + ": its kubelet is silent, so the detach is not waited for")
		} else {
			say("is detaching from " + e.Node + " since " + clock(e.Wait.Since) +
				", waited for until " + clock(e.Wait.Until))
		}
	case volume.VolumeDetached:
		say("detached from " + e.Node)
	case volume.VolumeReattached:
		say("is attached to " + v.Node + " now")
	case volume.VolumeUnknown:
		if !d.lines.doubts[v.Why] {
			d.lines.doubts[v.Why] = true
			say("is not waited for, because it is not known when it is detached: " + v.Why +
				" (reported once for all of its kind)")
		}
	case volume.VolumeShared:
		say("is not waited for, other pods on " + e.Node + " use it")
	// nothing happened, or the message says it
	case volume.VolumeInUse, volume.VolumeStillAttached, volume.VolumeUnattached:
	}
}

// clock is a moment of the run, as its report and journal have it.
func clock(t time.Time) string { return t.UTC().Format("15:04:05 MST") }
