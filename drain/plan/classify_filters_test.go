package plan

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Each filter alone says its own and nothing else; what was said before it can make
// it moot.
func TestFiltersAlone(t *testing.T) {
	skipped := classified{action: ActionSkip}
	for _, row := range []struct {
		name   string
		filter filter
		pod    *corev1.Pod
		before classified
		want   []remark
	}{
		{"terminating", skipDeleted, kubetest.Pod("shop/a"), classified{}, nil},
		{"mirror", mirror, kubetest.Pod("shop/a", kubetest.Mirrored), classified{},
			stops(ActionSkip, ReasonMirror, LevelInfo, "mirror of a static pod: only the kubelet of its node can end it")},
		{"emptyDir", emptyDir, kubetest.Pod("shop/a", kubetest.WithEmptyDir), classified{}, stops(ActionRefuse, ReasonEmptyDir, LevelError, emptyDirError)},
		{"emptyDir of a skipped pod", emptyDir, kubetest.Pod("shop/a", kubetest.WithEmptyDir), skipped, says(ReasonEmptyDir, LevelInfo, "has emptyDir volumes")},
		{"emptyDir of a finished pod", emptyDir, kubetest.Pod("shop/a", kubetest.WithEmptyDir, kubetest.Phase(corev1.PodSucceeded)), classified{}, nil},
		{"no controller", unmanaged, kubetest.Pod("shop/a"), classified{}, stops(ActionRefuse, ReasonUnmanaged, LevelError, unmanagedError)},
		{"finished", finished, kubetest.Pod("shop/a", kubetest.Phase(corev1.PodSucceeded)), classified{}, says(ReasonFinished, LevelInfo, "finished (Succeeded)")},
		{"finished and skipped", finished, kubetest.Pod("shop/a", kubetest.Phase(corev1.PodSucceeded)), skipped, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, o := kubetest.SnapshotOf(kubetest.Now, row.pod), DefaultOptions()
			p := s.PodNamed("shop", "a")
			c := classified{pod: p, s: s, o: &o, serverNow: s.ServerTime(kubetest.Now.Add(time.Second)), finished: p.Finished(), action: row.before.action}
			got := row.filter(&c)
			if len(got) != len(row.want) || len(got) == 1 && got[0] != row.want[0] {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}
