package drain

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A pod that does not end names the volumes that its node still has, by exact names.
func TestStuckPodNamesItsVolumes(t *testing.T) {
	held := func(p *corev1.Pod) { p.Finalizers = []string{"example.com/x"} }
	for _, c := range []struct {
		name    string
		prepare func(s *simulation, d *disks)
		volumes []string
		says    string
	}{
		{"one", func(s *simulation, d *disks) { s.addPod("db", "a", held, d.with("x@disk")) }, []string{"pv-x"},
			"finalizer example.com/x; volume pv-x is still attached to its node"},
		{"of several, the detached one is left out", func(s *simulation, d *disks) {
			s.addPod("db", "a", held, d.with("x@disk", "y@disk", "z@disk"))
			s.later(2*time.Second, func() { s.store.Put(attachment("pv-y", "disk", "a", false)) })
		}, []string{"pv-x", "pv-z"}, "finalizer example.com/x; volumes pv-x, pv-z are still attached to its node"},
		{"a longer name is another volume", func(s *simulation, d *disks) {
			d.attach("pv-x1", "disk", "a")
			s.addPod("db", "a", held, d.with("x@disk"))
			s.store.Remove(attachment("pv-x", "disk", "a", true))
		}, nil, "finalizer example.com/x"},
		{"another node has it", func(s *simulation, d *disks) {
			s.addPod("db", "a", held, d.with("x@disk"))
			s.store.Remove(attachment("pv-x", "disk", "a", true))
			d.attach("pv-x", "disk", "b")
		}, nil, "finalizer example.com/x"},
		{"shared with a pod that stays", func(s *simulation, d *disks) {
			s.addPod("db", "a", held, d.with("x@disk"))
			s.addPod("db", "a", held, d.with("x"))
		}, []string{"pv-x"}, "finalizer example.com/x; volume pv-x is still attached to its node"},
		{"its kubelet is silent", func(s *simulation, d *disks) {
			s.addPod("db", "a", held, d.with("x@disk"))
			s.setNode("a", func(n *corev1.Node) {
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
			})
		}, []string{"pv-x"}, "its node is not Ready, its kubelet has not removed it; volume pv-x is still attached to its node"},
		{"attachments may not be read", func(s *simulation, d *disks) {
			s.addPod("db", "a", held, d.with("x@disk"))
			s.store.Remove(attachment("pv-x", "disk", "a", true))
			s.store.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
		}, nil, "finalizer example.com/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				c.prepare(s, d)
				o := DefaultOptions()
				o.Timeout = time.Minute
				e := drive(t, s, o, "a")
				p := e.State().Pods[0]
				if p.State != PodStuckTerminating || !slices.Equal(p.Wait.Volumes, c.volumes) {
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
	ended := givenNow.Add(-12 * time.Second)
	volume := func(name string, state VolumeState, edit ...func(*VolumeRun)) VolumeRun {
		v := VolumeRun{VolumeFacts: VolumeFacts{Name: "in-pod-" + name, Volume: name, State: state}}
		for _, e := range edit {
			e(&v)
		}
		return v
	}
	to := func(node string) func(*VolumeRun) { return func(v *VolumeRun) { v.Node = node } }
	because := func(why string) func(*VolumeRun) { return func(v *VolumeRun) { v.Why = why } }
	late := func(v *VolumeRun) { v.Late = true }
	for _, c := range []struct {
		name    string
		state   PodState
		volumes []VolumeRun
		want    string
	}{
		{"no volumes", PodGone, nil, ""},
		{"its pod is there", PodTerminating, []VolumeRun{volume("x", VolumeInUse)}, ""},
		{"on its way", PodGone, []VolumeRun{volume("x", VolumeDetaching), volume("y", VolumeDetached)},
			"volume x is detaching from worker-1 for 12s, 1m48s left for it"},
		{"several", PodReplaced, []VolumeRun{volume("x", VolumeDetaching), volume("y", VolumeDetaching)},
			"volumes x, y are detaching from worker-1 for 12s, 1m48s left for it"},
		{"out of time", PodGone, []VolumeRun{volume("x", VolumeStillAttached), volume("y", VolumeDetached)},
			"volume x is still attached to worker-1, the time for it is over"},
		{"detached", PodGone, []VolumeRun{volume("x", VolumeDetached)}, "volume x detached from worker-1"},
		{"nowhere in time", PodGone, []VolumeRun{volume("x", VolumeDetached, late)}, "volume x detached from worker-1, attached to no other node yet"},
		{"elsewhere", PodGone, []VolumeRun{volume("x", VolumeReattached, to("worker-2")), volume("y", VolumeReattached, to("worker-2"))},
			"volumes x, y are attached to worker-2 now"},
		{"unknown", PodGone, []VolumeRun{volume("x", VolumeUnknown, because(whyNoCSI))}, "whether volume x is detached is not known: not a CSI volume"},
		{"shared", PodGone, []VolumeRun{volume("x", VolumeShared)}, ""},
	} {
		p := &PodRun{State: c.state, Ended: ended, Volumes: c.volumes, DetachBy: ended.Add(2 * time.Minute)}
		p.Node = "worker-1"
		if got := p.VolumesSentence(givenNow); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
