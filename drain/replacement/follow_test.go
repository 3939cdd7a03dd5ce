package replacement

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Of pods that were created in the second of the eviction the one that has come less far is the
// replacement; the other one was there before.
func TestTheReplacementIsThePodThatHasComeLessFar(t *testing.T) {
	second := func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(kubetest.Now) }
	unscheduled := kubetest.Unscheduled("0/2 nodes are available")
	deployment, set := kubetest.Deployment("shop/web", 2)
	moved := kubetest.Pod("shop/web-0", kubetest.ByDeployment("web"), kubetest.On("w1"))
	s := kubetest.SnapshotOf(kubetest.Now, deployment, set,
		kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"), kubetest.On("w2"), second),
		kubetest.Pod("shop/web-2", kubetest.ByDeployment("web"), second, unscheduled))
	v := View{Snap: s, Now: kubetest.Now, Ours: func(kube.UID) bool { return false }}
	owner := s.PodNamed("shop", "web-1").Owner
	facts, _ := Follow(v, []Moved{{UID: kube.UID(moved.UID), Name: moved.Name, Owner: owner, After: kubetest.Now, Record: &Record{}}})
	if f := facts[0]; f.Pod != "web-2" || f.State != Pending {
		t.Errorf("%+v", f)
	}
}
