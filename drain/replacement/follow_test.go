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

// The raise of a surge is not what a workload wants: with replacements that start, it lacks nothing.
func TestARaisedWorkloadLacksNothing(t *testing.T) {
	deployment, set := kubetest.Deployment("shop/web", 3)
	mark := map[string]string{kube.SurgeAnnotation: `{"run":"other","was":2,"to":3}`}
	deployment.Annotations, set.Annotations = mark, mark
	ready := func(name, node string) *corev1.Pod {
		return kubetest.Pod("shop/"+name, kubetest.ByDeployment("web"), kubetest.On(node))
	}
	starts := kubetest.Pod("shop/web-3", kubetest.ByDeployment("web"), kubetest.On("w3"), kubetest.NotReady(0))
	s := kubetest.SnapshotOf(kubetest.Now, deployment, set, ready("web-1", "w1"), ready("web-2", "w2"), starts)
	v := View{Snap: s, Now: kubetest.Now, Ours: func(kube.UID) bool { return false }}
	owner := s.PodNamed("shop", "web-1").Owner
	now := v.Measure([]Controlled{{Namespace: "shop", Owner: owner}})
	if len(now) != 1 || now[0].Wanted != 2 || now[0].missing() != 0 {
		t.Fatalf("%+v", now)
	}
	before := Baseline{{APIVersion: now[0].APIVersion, Kind: now[0].Kind, Namespace: "shop", Name: "web", UID: now[0].UID, Wanted: 2, Available: 2}}
	if worse, _ := before.Worse(v, nil); len(worse) > 0 {
		t.Errorf("worse: %+v", worse)
	}
}
