package preflight

import (
	"strings"
	"testing"

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
	if plan.Room.Before.Total.Nodes != 2 || plan.Room.After.Total.Nodes != 1 {
		t.Errorf("room %+v", plan.Room)
	}
}
