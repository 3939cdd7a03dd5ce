package engine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A pod that does not end names the volumes that its node still has, by exact names.
func TestStuckPodNamesItsVolumes(t *testing.T) {
	held := func(p *corev1.Pod) { p.Finalizers = []string{"example.com/x"} }
	for _, c := range []struct {
		name    string
		prepare func(s *kubetest.Simulation, d *kubetest.Disks)
		volumes []string
		says    string
	}{
		{"one", func(s *kubetest.Simulation, d *kubetest.Disks) { s.AddPod("db", "a", held, d.With("x@disk")) }, []string{"pv-x"},
			"finalizer example.com/x; volume pv-x is still attached to its node"},
		{"of several, the detached one is left out", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", held, d.With("x@disk", "y@disk", "z@disk"))
			s.Later(2*time.Second, func() { s.Store.Put(kubetest.Attachment("pv-y", "disk", "a", false)) })
		}, []string{"pv-x", "pv-z"}, "finalizer example.com/x; volumes pv-x and pv-z are still attached to its node"},
		{"a longer name is another volume", func(s *kubetest.Simulation, d *kubetest.Disks) {
			d.Attach("pv-x1", "disk", "a")
			s.AddPod("db", "a", held, d.With("x@disk"))
			s.Store.Remove(kubetest.Attachment("pv-x", "disk", "a", true))
		}, nil, "finalizer example.com/x"},
		{"another node has it", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", held, d.With("x@disk"))
			s.Store.Remove(kubetest.Attachment("pv-x", "disk", "a", true))
			d.Attach("pv-x", "disk", "b")
		}, nil, "finalizer example.com/x"},
		{"shared with a pod that stays", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", held, d.With("x@disk"))
			s.AddPod("db", "a", held, d.With("x"))
		}, []string{"pv-x"}, "finalizer example.com/x; volume pv-x is still attached to its node"},
		{"its kubelet is silent", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", held, d.With("x@disk"))
			s.SetNode("a", func(n *corev1.Node) {
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
			})
		}, []string{"pv-x"}, "its node is not Ready, its kubelet has not removed it; volume pv-x is still attached to its node"},
		{"attachments may not be read", func(s *kubetest.Simulation, d *kubetest.Disks) {
			s.AddPod("db", "a", held, d.With("x@disk"))
			s.Store.Remove(kubetest.Attachment("pv-x", "disk", "a", true))
			s.Store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
		}, nil, "finalizer example.com/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				c.prepare(s, d)
				o := plan.DefaultOptions()
				o.Timeout = time.Minute
				e := drive(t, s, o, "a")
				p := e.State().Pods[0]
				if p.State != eviction.StuckTerminating || !slices.Equal(p.Wait.Volumes, c.volumes) {
					t.Fatalf("%s, waits %+v, want volumes %q", p.State, p.Wait, c.volumes)
				}
				if got := p.Wait.Sentence(time.Now()); got != c.says {
					t.Errorf("says %q, want %q", got, c.says)
				}
			})
		})
	}
}

// Where the volumes of a pod are that has left, in a sentence.
func TestVolumesSentence(t *testing.T) {
	ended := kubetest.Now.Add(-12 * time.Second)
	vol := func(name string, state volume.State, edit ...func(*volume.VolumeRun)) volume.VolumeRun {
		v := volume.VolumeRun{Facts: volume.Facts{Name: "in-pod-" + name, Volume: name, State: state}}
		for _, e := range edit {
			e(&v)
		}
		return v
	}
	to := func(node string) func(*volume.VolumeRun) { return func(v *volume.VolumeRun) { v.Node = node } }
	because := func(why string) func(*volume.VolumeRun) { return func(v *volume.VolumeRun) { v.Why = why } }
	late := func(v *volume.VolumeRun) { v.Late = true }
	for _, c := range []struct {
		name    string
		state   eviction.State
		volumes []volume.VolumeRun
		want    string
	}{
		{"no volumes", eviction.Gone, nil, ""},
		{"its pod is there", eviction.Terminating, []volume.VolumeRun{vol("x", volume.VolumeInUse)}, ""},
		{"on its way", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeDetaching), vol("y", volume.VolumeDetached)},
			"volume x is detaching from worker-1 for 12s, 1m48s left for it"},
		{"several", eviction.Replaced, []volume.VolumeRun{vol("x", volume.VolumeDetaching), vol("y", volume.VolumeDetaching)},
			"volumes x and y are detaching from worker-1 for 12s, 1m48s left for it"},
		{"out of time", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeStillAttached), vol("y", volume.VolumeDetached)},
			"volume x is still attached to worker-1, its timeout has expired"},
		{"detached", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeDetached)}, "volume x detached from worker-1"},
		{"nowhere in time", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeDetached, late)}, "volume x detached from worker-1, attached to no other node yet"},
		{"elsewhere", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeReattached, to("worker-2")), vol("y", volume.VolumeReattached, to("worker-2"))},
			"volumes x and y are attached to worker-2 now"},
		{"unknown", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeUnknown, because(volume.WhyNoCSI))}, "whether volume x is detached is not known: not a CSI volume"},
		{"shared", eviction.Gone, []volume.VolumeRun{vol("x", volume.VolumeShared)}, ""},
	} {
		p := &eviction.Record{State: c.state, Ended: ended, Volumes: c.volumes, DetachBy: ended.Add(2 * time.Minute)}
		p.Node = "worker-1"
		if got := p.VolumesSentence(kubetest.Now); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
