package drain

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A drained node counts as safe to power off only if the run looked and saw that no
// volume is attached to it.
func TestOnlyANodeWithoutAttachmentsIsSafe(t *testing.T) {
	unread := func(s *simulation, phase kube.SyncPhase) {
		s.store.SetSync(kube.KindAttachments, kube.SyncState{Phase: phase})
	}
	for _, c := range []struct {
		name    string
		prepare func(s *simulation, d *disks)
		safe    bool
		warning string // how it begins
	}{
		{"nothing was ever attached", func(s *simulation, _ *disks) { s.addPod("web", "a") }, true, ""},
		{"all were detached", func(s *simulation, d *disks) { s.addPod("db", "a", d.with("x@disk", "y@disk")) }, true, ""},
		{"one stays", func(s *simulation, d *disks) {
			d.stay["pv-x"] = true
			s.addPod("db", "a", d.with("x@disk", "y@disk"))
		}, false, "not safe to power off: volume pv-x (default/x) is still attached"},
		{"of a pod that was gone before", func(s *simulation, d *disks) {
			d.attach("pv-old", "disk", "a")
			s.addPod("web", "a")
		}, false, "not safe to power off: volume pv-old is still attached"},
		{"without a volume that we know", func(s *simulation, _ *disks) {
			a := attachment("", "disk", "a", true)
			a.Name = "csi-1234"
			s.store.Put(a)
			s.addPod("web", "a")
		}, false, "not safe to power off: volume csi-1234 is still attached"},
		{"one that is wanted there", func(s *simulation, _ *disks) {
			s.store.Put(attachment("pv-old", "disk", "a", false))
			s.addPod("web", "a")
		}, false, "whether it is safe to power off is not known: volume pv-old is wanted there, and may be attached by now"},
		{"one that goes and says it is not attached", func(s *simulation, _ *disks) {
			a := attachment("pv-old", "disk", "a", false)
			a.Deleted = time.Now()
			s.store.Put(a)
			s.addPod("web", "a")
		}, true, ""},
		{"on a node whose name begins like it", func(s *simulation, d *disks) {
			d.attach("pv-old", "disk", "a1")
			s.addPod("web", "a")
		}, true, ""},
		{"of a pod that stays", func(s *simulation, d *disks) {
			daemon := &corev1.Pod{}
			daemon.Namespace, daemon.Name, daemon.UID = "default", "log-a", "log-a"
			daemon.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "of a file"}
			daemon.Spec.NodeName, daemon.Status.Phase = "a", corev1.PodRunning
			d.with("logs@disk")(daemon)
			s.store.Put(kube.PodRecord(daemon))
			s.addPod("web", "a")
		}, false, "not safe to power off: volume pv-logs (default/logs) is attached for a pod that stays"},
		{"may not be read", func(s *simulation, d *disks) {
			unread(s, kube.Denied)
			s.addPod("db", "a", d.with("x@disk"))
		}, false, "whether it is safe to power off is not known: volumeattachments cannot be read"},
		{"may not be read, and nothing with volumes moved", func(s *simulation, _ *disks) {
			unread(s, kube.Denied)
			s.addPod("web", "a")
		}, false, "whether it is safe to power off is not known: volumeattachments cannot be read"},
		{"are away for a while", func(s *simulation, d *disks) {
			s.addPod("db", "a", d.with("x@disk"))
			s.later(2*time.Second, func() { unread(s, kube.Stale) })
			s.later(time.Minute, func() { unread(s, kube.Synced) })
		}, true, ""},
		{"are away for good", func(s *simulation, d *disks) {
			s.addPod("db", "a", d.with("x@disk"))
			s.later(2*time.Second, func() { unread(s, kube.Stale) })
		}, false, "whether it is safe to power off is not known: volumeattachments could not be read in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				c.prepare(s, d)
				state := drive(t, s, DefaultOptions(), "a").State()
				n := state.Nodes[0]
				if n.State != NodeDrained || n.SafeToPowerOff() != c.safe {
					t.Errorf("%s, safe %v with %+v", n.State, n.SafeToPowerOff(), n.Attached)
				}
				if !strings.HasPrefix(n.Warning, c.warning) || (c.warning == "") != (n.Warning == "") {
					t.Errorf("warning %q, want %q", n.Warning, c.warning)
				}
			})
		})
	}
}

// While attachments cannot be read, a volume is neither detached nor given up before
// its time, and once they can, it is followed on.
func TestVolumesWhileAttachmentsAreAway(t *testing.T) {
	for _, c := range []struct {
		name string
		back time.Duration // 0 for never
		want VolumeState
	}{
		{"back in time", time.Minute, VolumeDetached},
		{"never back", 0, VolumeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				d.elsewhere = ""
				p := s.addPod("db", "a", d.with("x@disk"))
				next := s.addPod("db", "a", d.with("y@disk"))
				s.later(2*time.Second, func() { s.store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Stale}) })
				if c.back > 0 {
					s.later(c.back, func() { s.store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Synced}) })
				}
				state := drive(t, s, DefaultOptions(), "a").State()
				v := state.Pod(p.UID).Volumes[0]
				if v.State != c.want || (v.State == VolumeUnknown) != (v.Why == whyUnseen) {
					t.Errorf("volume %+v", v)
				}
				waited := c.back
				if waited == 0 {
					waited = 30*time.Second + DefaultOptions().DetachTimeout // of the pod's grace
				}
				if gap := state.Pod(next.UID).Accepted.Sub(state.Started); gap < waited || gap > waited+5*time.Second {
					t.Errorf("the next went after %s, want %s", gap, waited)
				}
			})
		})
	}
}
