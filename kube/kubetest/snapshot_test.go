package kubetest

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestSnapshotOf(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := SnapshotOf(at,
		&corev1.NodeList{Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n-1"}}}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", UID: "u-1"}, Spec: corev1.PodSpec{NodeName: "n1"}},
	)
	if !s.Trusted(kube.Kinds...) || !s.At().Equal(at) || !s.Health().LastContact.Equal(at) {
		t.Errorf("want a synced, live snapshot of %v, got %+v", at, s.Health())
	}
	if got := s.PodsOn("n1"); len(got) != 1 || got[0].Spec.GraceSeconds != 30 {
		t.Errorf("pods on n1: %+v", got)
	}
	if s.Node("n1").UID != "n-1" || s.Sync(kube.KindPods).Phase != kube.Synced {
		t.Error("node or sync state missing")
	}
}
