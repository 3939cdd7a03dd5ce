package plan

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A guard that has nothing to give says so, and whose trouble it is.
func TestPlanNamesWhomTheGuardWaitsFor(t *testing.T) {
	o := flags(func(o *Options) { o.Guard = "1" })
	table := []struct {
		name   string
		third  kubetest.PodOption
		why    string
		turns  string
		advice string
	}{
		{"room", kubetest.Well, "the temporary budget for Deployment/cart needs 2 healthy pods and has 3: it allows 1 now", "now 1", ""},
		{"a crash loop elsewhere", kubetest.Crashing(4 * time.Minute),
			`the temporary budget for Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`,
			"once cart-3 is well 1", "kubectl delete pod -n shop cart-3"},
		{"one that goes", kubetest.Deleted(-10 * time.Second), "the temporary budget for Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is terminating for 20s",
			"once cart-3 is well 1", ""},
		{"one that was not made", kubetest.Phase(corev1.PodSucceeded), "the temporary budget for Deployment/cart needs 2 healthy pods and has 2; its other pods are not created yet",
			"once the temporary budget for Deployment/cart allows it 1", ""},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(kubetest.Cart(kubetest.Well, kubetest.Well, row.third), kubetest.Node("w1"), kubetest.Node("w3"))...)
			plan := mustPlan(t, s, o, "w1")
			pod := plan.Nodes[0].Pods[0]
			if pod.Budget.Why != row.why {
				t.Errorf("why:\n%s, want\n%s", pod.Budget.Why, row.why)
			}
			if got := plan.Waves().String(); got != row.turns {
				t.Errorf("turns %q, want %q", got, row.turns)
			}
			if got := slices.Concat(commandsOf(pod.Advice), []string{""})[0]; got != row.advice {
				t.Errorf("advice %q, want %q", got, row.advice)
			}
			if plan.Drainable == nil || !*plan.Drainable {
				t.Error("a guard makes no node undrainable")
			}
		})
	}
}
