package drain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// roomyNode takes pods of that much CPU in all.
func roomyNode(name, cpu string) *corev1.Node {
	n := givenNode(name)
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return n
}

func asking(cpu string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
	}
}

func TestPlanSaysWhereThePodsCouldGo(t *testing.T) {
	objects := []runtime.Object{
		roomyNode("w1", "8"), roomyNode("w2", "3"), givenReplicaSet("shop/web", 2), givenReplicaSet("shop/big", 1),
		givenPod("shop/web-1", ownedBy("apps/v1", "ReplicaSet", "web"), asking("2")),
		givenPod("shop/web-2", ownedBy("apps/v1", "ReplicaSet", "web"), asking("2")),
		givenPod("shop/big-1", ownedBy("apps/v1", "ReplicaSet", "big"), asking("4")),
		givenPod("shop/bare"),
	}
	plan := mustPlan(t, kube.SnapshotOf(givenNow, objects...), flags(force), "w1")
	together := map[landing.Answer]int{}
	for _, p := range plan.Nodes[0].Pods {
		switch {
		case p.Name == "bare":
			if p.Landing != nil {
				t.Errorf("nobody makes %s anew, yet it lands: %+v", p.Name, p.Landing)
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
