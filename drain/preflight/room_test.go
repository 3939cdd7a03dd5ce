package preflight

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// roomyNode takes pods of that much CPU in all.
func roomyNode(name, cpu string) *corev1.Node {
	n := kubetest.Node(name)
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return n
}

func TestPlanSaysWhereThePodsCouldGo(t *testing.T) {
	objects := []runtime.Object{
		roomyNode("w1", "8"), roomyNode("w2", "3"), kubetest.ReplicaSet("shop/web", 2), kubetest.ReplicaSet("shop/big", 1),
		kubetest.Pod("shop/web-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "web"), kubetest.Asking("2")),
		kubetest.Pod("shop/web-2", kubetest.OwnedBy("apps/v1", "ReplicaSet", "web"), kubetest.Asking("2")),
		kubetest.Pod("shop/big-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "big"), kubetest.Asking("4")),
		kubetest.Pod("shop/bare"),
	}
	plan := plantest.New(t, kubetest.SnapshotOf(kubetest.Now, objects...), plantest.Options(plantest.Force), "w1")
	together := map[landing.Answer]int{}
	for _, p := range plan.Nodes[0].Pods {
		switch {
		case p.Name == "bare":
			if p.Landing != nil {
				t.Errorf("%s is not recreated, yet it lands: %+v", p.Name, p.Landing)
			}
		case strings.HasPrefix(p.Name, "web"):
			together[p.Landing.Together.Answer]++
			if p.Landing.Answer != landing.Fits {
				t.Errorf("%s alone: %+v", p.Name, p.Landing.Verdict)
			}
		case p.Landing.Answer != landing.DoesNotFit || !strings.Contains(p.Landing.Why, "Insufficient cpu"):
			t.Errorf("%s alone: %+v", p.Name, p.Landing.Verdict)
		}
	}
	if together[landing.Fits] != 1 || together[landing.DoesNotFit] != 1 {
		t.Errorf("of two pods of 2 CPU one finds room on a node with 3: %v", together)
	}
	found := findNoRoom(nil, &plan, nil)
	if len(found) != 1 || len(found[0].Objects) != 2 {
		t.Errorf("findings %+v", found)
	}
	if found := findPreempts(nil, &plan, nil); found != nil {
		t.Errorf("nobody has a lower priority: %+v", found)
	}
	if plan.Room.Before.Total.Nodes != 2 || plan.Room.After.Total.Nodes != 1 {
		t.Errorf("room %+v", plan.Room)
	}
}

// A pod that may preempt others is no pod without room: it surges, and the finding says
// who pays for it.
func TestPodsThatMayPreemptOthers(t *testing.T) {
	web := kubetest.DeploymentOf("shop/web", kubetest.Well, kubetest.Well)
	for _, o := range web {
		switch o := o.(type) {
		case *corev1.Pod:
			kubetest.Asking("2")(o)
			kubetest.Prio(1000)(o)
			kubetest.On("w1")(o)
		case *appsv1.Deployment:
			o.Status.Replicas, o.Status.UpdatedReplicas, o.Status.ReadyReplicas, o.Status.AvailableReplicas = 2, 2, 2, 2
			o.Status.ObservedGeneration = o.Generation
		}
	}
	objects := append(web, roomyNode("w1", "8"), roomyNode("w2", "4"), kubetest.Pod("shop/batch", kubetest.On("w2"), kubetest.Asking("4")))
	options := plantest.Options(plantest.Force)
	options.Surge = "100%"
	planned := plantest.New(t, kubetest.SnapshotOf(kubetest.Now, objects...), options, "w1")
	if len(planned.Surging()) != 1 {
		t.Errorf("surges %+v", planned.Surges)
	}
	found := findPreempts(nil, &planned, nil)
	if len(found) != 1 || len(found[0].Objects) != 2 || !strings.Contains(found[0].Message, landing.WhyPreempts) {
		t.Errorf("findings %+v", found)
	}
	if none := findNoRoom(nil, &planned, nil); none != nil {
		t.Errorf("findings %+v", none)
	}
}
