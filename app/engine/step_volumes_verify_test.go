package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A drained node counts as safe to power off only if the run looked and saw that no
// volume is attached to it.
func TestOnlyANodeWithoutAttachmentsIsSafe(t *testing.T) {
	unread := func(s *kubetest.Simulation, phase kube.SyncPhase) {
		s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: phase})
	}
	for _, c := range []struct {
		name    string
		prepare func(s *kubetest.Simulation, d *kubetest.Disks)
		safe    bool
		warning string // how it begins
	}{
		{"nothing was ever attached", func(s *kubetest.Simulation, _ *kubetest.Disks) { s.AddPod("web", "a") }, true, ""},
		{"all were detached", func(s *kubetest.Simulation, d *kubetest.Disks) { s.AddPod("db", "a", d.With("x@disk", "y@disk")) }, true, ""},
		{"one stays", func(s *kubetest.Simulation, d *kubetest.Disks) {
			d.Stay["pv-x"] = true
			s.AddPod("db", "a", d.With("x@disk", "y@disk"))
		}, false, "not safe to power off: volume pv-x (default/x) is still attached"},
		{"of a pod that was gone before", func(s *kubetest.Simulation, d *kubetest.Disks) {
			d.Attach("pv-old", "disk", "a")
			s.AddPod("web", "a")
		}, false, "not safe to power off: volume pv-old is still attached"},
		{"without a volume that we know", func(s *kubetest.Simulation, _ *kubetest.Disks) {
			a := kubetest.Attachment("", "disk", "a", true)
			a.Name = "csi-1234"
			s.Store.Put(a)
			s.AddPod("web", "a")
		}, false, "not safe to power off: volume csi-1234 is still attached"},
		{"one that is wanted there", func(s *kubetest.Simulation, _ *kubetest.Disks) {
			s.Store.Put(kubetest.Attachment("pv-old", "disk", "a", false))
			s.AddPod("web", "a")
		}, false, "whether it is safe to power off is not known: volume pv-old is wanted there, and may be attached by now"},
		{"one that goes and says it is not attached", func(s *kubetest.Simulation, _ *kubetest.Disks) {
			a := kubetest.Attachment("pv-old", "disk", "a", false)
			a.Deleted = time.Now()
			s.Store.Put(a)
			s.AddPod("web", "a")
		}, true, ""},
		{"on a node whose name begins like it", func(s *kubetest.Simulation, d *kubetest.Disks) {
			d.Attach("pv-old", "disk", "a1")
			s.AddPod("web", "a")
		}, true, ""},
		{"of a pod that stays", func(s *kubetest.Simulation, d *kubetest.Disks) {
			daemon := &corev1.Pod{}
			daemon.Namespace, daemon.Name, daemon.UID = "default", "log-a", "log-a"
			daemon.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "of a file"}
			daemon.Spec.NodeName, daemon.Status.Phase = "a", corev1.PodRunning
			d.With("logs@disk")(daemon)
			s.Store.Put(convert.Pod(daemon))
			s.AddPod("web", "a")
		}, false, "not safe to power off: volume pv-logs (default/logs) is attached for a pod that stays"},
		{"may not be read", func(s *kubetest.Simulation, d *kubetest.Disks) {
			unread(s, kube.Denied)
			s.AddPod("db", "a", d.With("x@disk"))
		}, false, "whether it is safe to power off is not known: volumeattachments cannot be read"},
		{"may not be read, and nothing with volumes moved", func(s *kubetest.Simulation, _ *kubetest.Disks) {
			unread(s, kube.Denied)
			s.AddPod("web", "a")
		}, false, "whether it is safe to power off is not known: volumeattachments cannot be read"},
		{"are away for a while", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", d.With("x@disk"))
			s.Later(2*time.Second, func() { unread(s, kube.Stale) })
			s.Later(time.Minute, func() { unread(s, kube.Synced) })
		}, true, ""},
		{"are first listed after the last pod", func(s *kubetest.Simulation, d *kubetest.Disks) {
			unread(s, kube.NotSynced)
			s.Later(10*time.Second, func() { unread(s, kube.Synced) })
			d.Attach("pv-old", "disk", "a")
			s.AddPod("web", "a")
		}, false, "not safe to power off: volume pv-old is still attached"},
		{"are away for good", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", d.With("x@disk"))
			s.Later(2*time.Second, func() { unread(s, kube.Stale) })
		}, false, "whether it is safe to power off is not known: volumeattachments could not be read in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				c.prepare(s, d)
				state := drive(t, s, plan.DefaultOptions(), "a").State()
				n := state.Nodes[0]
				if n.State != drain.NodeDrained || n.SafeToPowerOff() != c.safe {
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
		want volume.State
	}{
		{"back in time", time.Minute, volume.VolumeDetached},
		{"never back", 0, volume.VolumeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				d.Elsewhere = ""
				p := s.AddPod("db", "a", d.With("x@disk"))
				next := s.AddPod("db", "a", d.With("y@disk"))
				s.Later(2*time.Second, func() { s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Stale}) })
				if c.back > 0 {
					s.Later(c.back, func() { s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Synced}) })
				}
				state := drive(t, s, plan.DefaultOptions(), "a").State()
				v := state.Pod(p.UID).Volumes[0]
				if v.State != c.want || (v.State == volume.VolumeUnknown) != (v.Why == volume.WhyUnseen) {
					t.Errorf("volume %+v", v)
				}
				waited := c.back
				if waited == 0 {
					waited = 30*time.Second + plan.DefaultOptions().DetachTimeout // of the pod's grace
				}
				if gap := state.Pod(next.UID).Accepted.Sub(state.Started); gap < waited || gap > waited+5*time.Second {
					t.Errorf("the next went after %s, want %s", gap, waited)
				}
			})
		})
	}
}
