package remedy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A taint is taken back as the run wrote it; one that somebody has changed since stays.
func TestATaintThatWasChangedStays(t *testing.T) {
	r := &Record{Facts: Facts{Kind: OutOfService, Name: "w1", UID: "uid-w1"}, State: Done}
	other := kube.OutOfService
	other.Value = "maintenance"
	for left, taint := range map[string]corev1.Taint{"": kube.OutOfService, "somebody has changed it since": other} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w1", UID: "uid-w1",
			Annotations: map[string]string{kube.OutOfServiceAnnotation: annotation.Mark{Run: "r1"}.String()}}}
		node.Spec.Taints = []corev1.Taint{taint}
		if req, got := r.Undo("r1", kubetest.SnapshotOf(kubetest.Now, node)); got != left || (req == nil) != (left != "") {
			t.Errorf("%v: %v, left %q", taint, req, got)
		}
	}
}
