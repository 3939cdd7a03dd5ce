package volume

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Bugs of the volume code of gardener/machine-controller-manager 54caf54
// (pkg/util/provider/drain/drain.go, volume_attachment.go) that are in none of its tests, as cases that we pass.
func TestGardenerBugs(t *testing.T) {
	claimed := func(objects ...runtime.Object) *kube.Snapshot {
		all := slices.Concat(kubetest.Claim("foo/data", "pv-1"), objects, []runtime.Object{kubetest.Node("w1", func(n *corev1.Node) {
			n.Status.VolumesAttached = []corev1.AttachedVolume{{Name: "kubernetes.io/csi/disk^handle-pv-1"}}
		})})
		return kubetest.SnapshotOf(kubetest.Now, all...)
	}
	gone := Facts{Name: "data", Claim: "data", Volume: "pv-1", Driver: "disk", State: VolumeInUse}
	for _, c := range []struct {
		source string
		s      *kube.Snapshot
		want   State
		node   string
	}{
		{"drain.go waitForDetach looks for the volume id as a pattern: vol-1 is found in vol-12", claimed(kubetest.AttachmentOf("pv-12", "w1", true)), VolumeDetached, ""},
		{"drain.go waitForDetach asks node.status.volumesAttached, which is cleared before the detach", claimed(kubetest.AttachmentOf("pv-1", "w1", true)), VolumeDetaching, ""},
		{"the same the other way round: the status of a node that reports no more", claimed(), VolumeDetached, ""},
		{"drain.go isDesiredReattachment: attached, and to another node", claimed(kubetest.AttachmentOf("pv-1", "w2", true)), VolumeReattached, "w2"},
		{"... and not while it is only wanted there", claimed(kubetest.AttachmentOf("pv-1", "w2", false)), VolumeDetached, ""},
		{"... and not before it left the first", claimed(kubetest.AttachmentOf("pv-1", "w1", true), kubetest.AttachmentOf("pv-1", "w2", true)), VolumeDetaching, ""},
		{"volume_attachment.go reads PersistentVolumeName, which an attachment of an inline volume has not", claimed(kubetest.AttachmentOf("", "w1", true)), VolumeDetached, ""},
		{"an attachment that says it is not attached", claimed(kubetest.AttachmentOf("pv-1", "w1", false)), VolumeDetached, ""},
	} {
		if got := gone.afterPod("w1", false, c.s); got.State != c.want || got.Node != c.node {
			t.Errorf("%s: %s on %q, want %s on %q", c.source, got.State, got.Node, c.want, c.node)
		}
	}
}
