package plan

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
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
		{"room", kubetest.Well, "the temporary budget for Deployment/cart needs 2 healthy pods and has 3: it allows 1 now", "1 now", ""},
		{"a crash loop elsewhere", kubetest.Crashing(4 * time.Minute),
			`the temporary budget for Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`,
			"1 once cart-3 is Ready", "kubectl delete pod -n shop cart-3"},
		{"one that goes", kubetest.Deleted(-10 * time.Second), "the temporary budget for Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is terminating for 20s",
			"1 once cart-3 is replaced", ""},
		{"one that was not made", kubetest.Phase(corev1.PodSucceeded), "the temporary budget for Deployment/cart needs 2 healthy pods and has 2; its other pods are not created yet",
			"1 once the temporary budget for Deployment/cart allows it", ""},
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
			if pod.Effects().Has(Blocked) {
				t.Error("a guard blocks no pod for ever")
			}
		})
	}
}

// The budgets that a run makes for its guard are what it does itself: the plan that was
// confirmed is asked about once. What happened to the pods meanwhile still shows.
func TestTheRunsOwnBudgetsChangeNothingOfItsPlan(t *testing.T) {
	o := flags(func(o *Options) { o.Guard, o.GuardWrite = "1", true })
	two := []kubetest.PodOption{kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour), kubetest.Well}
	well := []kubetest.PodOption{kubetest.Well, kubetest.Well, kubetest.Well}
	made := func(desired, current, allowed int32) *policyv1.PodDisruptionBudget {
		b := kubetest.Budget("shop/kdrain-r1-cart", desired, current, allowed, 3, kubetest.Selecting("cart"), kubetest.MaxUnavailable("1"))
		b.Labels = map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: "r1"}
		return b
	}
	at := func(pods []kubetest.PodOption, run string, more ...runtime.Object) Plan {
		s := kubetest.SnapshotOf(kubetest.Now, append(append(kubetest.Cart(pods...), kubetest.Node("w1"), kubetest.Node("w3")), more...)...)
		plan, err := NewFor(run, false, s, []string{"w1"}, o, kubetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	for name, c := range map[string]struct {
		before, after []kubetest.PodOption
		budget        *policyv1.PodDisruptionBudget
		run           string
		changes       int
	}{
		"all well":                    {well, well, made(2, 3, 1), "r1", 0},
		"two of them sick":            {two, two, made(2, 1, 0), "r1", 0},
		"two of them sick, another's": {two, two, made(2, 1, 0), "r2", 1},
		"two became sick":             {well, two, made(2, 1, 0), "r1", 0},
		"the other two became sick":   {well, []kubetest.PodOption{kubetest.Well, two[0], two[0]}, made(2, 1, 0), "r1", 1},
	} {
		if got := Grave(at(c.before, "").Diff(at(c.after, c.run, c.budget))); len(got) != c.changes {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
