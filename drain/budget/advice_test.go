package budget

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

func notPulling(p *corev1.Pod) {
	kubetest.NotReady(time.Hour)(p)
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
}

// What is advised for cart-1, command by command, the least harmful first.
func TestAdvice(t *testing.T) {
	const patch = "kubectl patch pdb -n shop cart --type=merge -p "
	scaleTo4 := "kubectl scale deployment -n shop cart --replicas=4"
	table := []struct {
		name    string
		objects []runtime.Object
		planned func(kube.UID) bool
		want    []string
	}{
		{"nothing in the way", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3)), kubetest.Nobody, nil},
		{"crash loop", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl delete pod -n shop cart-2", "kubectl logs -n shop cart-2 -c main", scaleTo4}},
		{"image", append(kubetest.Cart(kubetest.Well, notPulling, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl describe pod -n shop cart-2", scaleTo4}},
		{"not Ready, nobody says why", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl describe pod -n shop cart-2", "kubectl delete pod -n shop cart-2", scaleTo4}},
		{"one more would not change what may be away", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3, kubetest.MaxUnavailable("1"))), kubetest.Nobody,
			[]string{"kubectl describe pod -n shop cart-2", "kubectl delete pod -n shop cart-2"}},
		{"on a silent node", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Hour), kubetest.Well), kubetest.Node("w2", kubetest.Silent), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl describe node w2", scaleTo4}},
		{"no place", append(kubetest.Cart(kubetest.Well, kubetest.Unscheduled("0/3 nodes are available: 3 Insufficient cpu."), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl describe pod -n shop cart-2", scaleTo4}},
		{"leaving", append(kubetest.Cart(kubetest.Well, kubetest.Deleted(0), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, []string{""}},
		{"leaving, on a silent node", append(kubetest.Cart(kubetest.Well, kubetest.Deleted(time.Minute), kubetest.Well), kubetest.Node("w2", kubetest.Silent), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl taint node w2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"}},
		{"leaving, held by a finalizer", append(kubetest.Cart(kubetest.Well, func(p *corev1.Pod) { kubetest.Deleted(time.Minute)(p); p.Finalizers = []string{"x/y"} }, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody,
			[]string{"kubectl get pod -n shop cart-2 -o yaml", `kubectl patch pod -n shop cart-2 --type=json -p '[{"op":"test","path":"/metadata/finalizers","value":["x/y"]},` +
				`{"op":"remove","path":"/metadata/finalizers"}]'`}},
		{"deadlock", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour)), kubetest.Budget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2", "shop/cart-3"),
			[]string{patch + `'{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`, "kubectl delete pod -n shop cart-2", "kubectl logs -n shop cart-2 -c main", scaleTo4}},
		{"as many as there are", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3)), kubetest.Nobody, []string{scaleTo4, patch + `'{"spec":{"minAvailable":2}}'`}},
		{"one percent of one", append(kubetest.DeploymentOf("shop/cart", kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.MinAvailable("1%"))), kubetest.Nobody,
			[]string{"kubectl scale deployment -n shop cart --replicas=2", patch + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
		{"all of them: one more is one of all", append(kubetest.DeploymentOf("shop/cart", kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.MinAvailable("100%"))), kubetest.Nobody,
			[]string{patch + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
		{"maxUnavailable 0", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3, kubetest.MaxUnavailable("0"))), kubetest.Nobody, []string{patch + `'{"spec":{"maxUnavailable":1}}'`}},
		{"bare pods", []runtime.Object{kubetest.Pod("shop/cart-1"), kubetest.Pod("shop/cart-2"), kubetest.Budget("shop/cart", 0, 2, 0, 0, kubetest.MaxUnavailable("1"))}, kubetest.Nobody,
			[]string{patch + `'{"spec":{"maxUnavailable":null,"minAvailable":1}}'`}},
		{"SyncFailed", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 0, 0, 0, 0, kubetest.MaxUnavailable("1"), kubetest.SyncFailed("x"))), kubetest.Nobody,
			[]string{"kubectl describe pdb -n shop cart", patch + `'{"spec":{"maxUnavailable":null,"minAvailable":2}}'`}},
		{"two budgets: the loosest goes", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/z", 2, 3, 1, 3, kubetest.Selecting("cart")), kubetest.Budget("shop/cart", 1, 3, 2, 3)), kubetest.Nobody,
			[]string{"kubectl edit pdb -n shop cart", "kubectl delete pdb -n shop cart"}},
		{"not observed", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3, kubetest.Unobserved)), kubetest.Nobody,
			[]string{`kubectl get pdb -n shop cart -o jsonpath='{.metadata.generation} {.status.observedGeneration}'`}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.objects...)
			j := Judge(s.PodNamed("shop", "cart-1"), s, row.planned, kubetest.Now)
			if got := commands(j.Advice); !slices.Equal(got, row.want) {
				t.Errorf("%s (%s)\n%q, want\n%q", j.Verdict, j.Why, got, row.want)
			}
		})
	}
}

func commands(advice []Advice) []string {
	var all []string
	for _, a := range advice {
		all = append(all, a.Command)
	}
	return all
}

// An unhealthy pod on a silent node is named as such, with what the cluster knows.
func TestSilentUnhealthyPod(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, append(kubetest.Cart(kubetest.Well, kubetest.NotReady(5*time.Minute), kubetest.Well), kubetest.Node("w2", kubetest.Silent), kubetest.Budget("shop/cart", 2, 2, 0, 3))...)
	j := Judge(s.PodNamed("shop", "cart-1"), s, kubetest.Nobody, kubetest.Now)
	if want := "budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m: the kubelet of its node is silent"; j.Why != want || j.UnhealthyPod.Reason != "NodeNotReady" {
		t.Errorf("%q (%s), want %q", j.Why, j.UnhealthyPod.Reason, want)
	}
	s = kubetest.SnapshotOf(kubetest.Now, append(kubetest.Cart(kubetest.Well, kubetest.Deleted(time.Minute), kubetest.Well), kubetest.Node("w2", kubetest.Silent), kubetest.Budget("shop/cart", 2, 2, 0, 3))...)
	j = Judge(s.PodNamed("shop", "cart-1"), s, kubetest.Nobody, kubetest.Now)
	if want := "budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 1m, and the kubelet of its node is silent"; j.Why != want {
		t.Errorf("%q, want %q", j.Why, want)
	}
}

// A budget under which sick pods may always go, on nodes that are not Ready:
// budgets are asked there as everywhere.
func TestNotReadyNodeAsksBudgets(t *testing.T) {
	objects := append(kubetest.Cart(kubetest.NotReady(5*time.Minute), kubetest.Well, kubetest.Crashing(time.Hour)), kubetest.Node("w1", kubetest.Silent))
	for policy, want := range map[policyv1.UnhealthyPodEvictionPolicyType]Verdict{policyv1.IfHealthyBudget: VerdictDeadlock, policyv1.AlwaysAllow: VerdictEvictable} {
		b := kubetest.Budget("shop/cart", 2, 1, 0, 3)
		b.Spec.UnhealthyPodEvictionPolicy = &policy
		s := kubetest.SnapshotOf(kubetest.Now, append(slices.Clone(objects), b)...)
		if j := Judge(s.PodNamed("shop", "cart-1"), s, moved("shop/cart-1", "shop/cart-3"), kubetest.Now); j.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", policy, j.Verdict, j.Why, want)
		}
	}
}
