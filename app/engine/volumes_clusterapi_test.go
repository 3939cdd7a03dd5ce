package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The sources are named in volumes_gardener_test.go.

// TestShouldWaitForNodeVolumes of Cluster API, its 10 rows about a node that can be
// reached: which volumes keep the node from being given up. The two about one that
// cannot are in TestClusterAPIUnreachableNode.
func TestClusterAPIVolumesOfANode(t *testing.T) {
	const status = "what the attach-detach controller writes into the node's status is cleared before it detaches: only VolumeAttachments are asked"
	vol := kubetest.Claim("default/test-pvc", "test-pv")
	bare := kubetest.Claim("default/test-pvc", "test-pv", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })[1:]
	attached := kubetest.AttachmentOf("test-pv", "w1", true)
	daemon := kubetest.Pod("default/test-pod", kubetest.Claiming("test-pvc"), kubetest.OwnedBy("apps/v1", "DaemonSet", "test-ds"))
	leaving := kubetest.Pod("default/test-pod", kubetest.Claiming("test-pvc"), kubetest.Deleted(24*time.Hour))
	reported := func(n *corev1.Node) {
		n.Status.VolumesAttached = []corev1.AttachedVolume{{Name: "kubernetes.io/csi/disk^handle-test-pv"}}
	}
	for _, c := range []struct {
		source, differs string
		objects         []runtime.Object
		reported        bool
		want            []string
	}{
		{source: "Node has volumes attached according to node status", differs: status, objects: vol, reported: true},
		{source: "Node has volumes attached according to node status but the pv does not reference a PersistentVolumeClaim", differs: status, objects: bare, reported: true},
		{source: "Node has volumes attached according to node status but without a pv", differs: status, reported: true},
		{source: "Node has volumes attached according to node status but its from a daemonset pod which gets ignored",
			objects: append(vol, daemon, kubetest.DaemonSet("default/test-ds")), reported: true},
		{source: "Node has volumes attached according to volumeattachments", objects: append(vol, attached), want: []string{"test-pv of default/test-pvc"}},
		{source: "Node has volumes attached according to volumeattachments (but ignored because feature gate is disabled)",
			differs: "there is no such switch: attached is attached", objects: append(vol, attached), want: []string{"test-pv of default/test-pvc"}},
		{source: "Node has volumes attached according to volumeattachments but without a pv", objects: []runtime.Object{attached}, want: []string{"test-pv of "}},
		{source: "Node has volumes attached according to volumeattachments but its from a daemonset pod which gets ignored",
			objects: append(vol, attached, daemon, kubetest.DaemonSet("default/test-ds"))},
		{source: "Node has volumes attached from a Pod which is in deletion", objects: append(vol, attached, leaving), reported: true,
			want: []string{"test-pv of default/test-pvc"}},
		{source: "Node has no volumes attached"},
	} {
		t.Run(c.source, func(t *testing.T) {
			node := kubetest.Node("w1")
			if c.reported {
				reported(node)
			}
			var got []string
			for _, v := range volume.LeftAttached("w1", kubetest.SnapshotOf(kubetest.Now, append(slices.Clone(c.objects), node)...)) {
				got = append(got, v.Volume+" of "+v.Claim)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q keep the node, want %q (%s)", got, c.want, c.differs)
			}
		})
	}
}

// TestShouldWaitForNodeVolumes of Cluster API, its two rows about an unreachable node:
// nothing is unmounted there, so nothing waits. But what is attached is said.
func TestClusterAPIUnreachableNode(t *testing.T) {
	for _, c := range []struct {
		source   string
		attached []string
	}{
		{"Node is unreachable and has volumes attached", []string{"test@disk"}},
		{"Node is unreachable and has no volumes attached", nil},
	} {
		t.Run(c.source, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				s.AddPod("db", "a", d.With(c.attached...))
				d.Stay["pv-test"] = true
				s.Later(500*time.Millisecond, func() {
					s.SetNode("a", func(n *corev1.Node) {
						n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
					})
				})
				began := time.Now()
				state := drive(t, s, plan.DefaultOptions(), "a").State()
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("took %s: a silent node was waited for", took)
				}
				// Without a kubelet to ask, no node is called safe; one that has volumes is called unsafe.
				n, attached := state.Nodes[0], len(c.attached) > 0
				if n.State != drain.NodeDrained || n.SafeToPowerOff() || strings.HasPrefix(n.Warning, "not safe to power off") != attached {
					t.Errorf("%s, safe %v, warning %q", n.State, n.SafeToPowerOff(), n.Warning)
				}
			})
		})
	}
}

// TestIsNodeVolumeDetachingAllowed of Cluster API: for how long the detach is waited
// for. Of its 8 rows, "Machine in the pre-terminate hook phase should not detach" has
// no counterpart: a drain has no such hooks, and no machine.
func TestClusterAPIHowLongTheDetachIsAwaited(t *testing.T) {
	const end, grace = time.Second, 30 * time.Second
	for _, c := range []struct {
		source, differs string
		options         func(*plan.Options)
		detach          time.Duration // 0 for never
		nodeGone        time.Duration // 0 for never
		took            time.Duration
	}{
		{source: "Exclude wait node volume detaching annotation exists", differs: "a flag of the run instead of an annotation",
			options: func(o *plan.Options) { o.MaxParallelVolumes = 0 }, took: end},
		{source: "Machine without volume detaching annotaion should detach", detach: 3 * time.Second, took: end + 3*time.Second},
		{source: "Machine without infra machine should not detach", differs: "it is the Node that we see: gone is done",
			nodeGone: 5 * time.Second, took: 5 * time.Second},
		{source: "Machine with infra machine in deletion should not detach", differs: "the same",
			detach: time.Hour, nodeGone: 5 * time.Second, took: 5 * time.Second},
		{source: "Volume detach timeout is over", differs: "it counts from the end of the pod's grace, as gardener's",
			options: func(o *plan.Options) { o.DetachTimeout = 30 * time.Second }, took: grace + 30*time.Second},
		{source: "Volume detach timeout is not yet over", options: func(o *plan.Options) { o.DetachTimeout = 60 * time.Second },
			detach: 30 * time.Second, took: end + 30*time.Second},
		{source: "Volume detach timeout option is set to it's default value 0", differs: "0 is a wait without end there, and none at all here",
			options: func(o *plan.Options) { o.DetachTimeout = 0 }, detach: 1000 * time.Second, took: end},
	} {
		t.Run(c.source, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := volumeWorld(t)
				d.Elsewhere, d.DetachAfter, d.Stay["pv-test"] = "", c.detach, c.detach == 0
				s.AddPod("db", "a", d.With("test@disk"))
				if c.nodeGone > 0 {
					s.Later(c.nodeGone, func() { s.Store.Remove(&kube.Node{Name: "a"}) })
				}
				o := plan.DefaultOptions()
				if c.options != nil {
					c.options(&o)
				}
				began := time.Now()
				state := drive(t, s, o, "a").State()
				if took := time.Since(began); took < c.took || took > c.took+200*time.Millisecond || state.Outcome != drain.OutcomeDone {
					t.Errorf("%s after %s, want %s (%s)", state.Outcome, took, c.took, c.differs)
				}
			})
		})
	}
}
