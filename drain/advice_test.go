package drain

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func notPulling(p *corev1.Pod) {
	notReady(time.Hour)(p)
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
		{"nothing in the way", append(cart(well, well, well), givenBudget("shop/cart", 2, 3, 1, 3)), nobody, nil},
		{"crash loop", append(cart(well, crashing(time.Hour), well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl delete pod -n shop cart-2", "kubectl logs -n shop cart-2 --previous -c main", scaleTo4}},
		{"image", append(cart(well, notPulling, well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl describe pod -n shop cart-2", scaleTo4}},
		{"not Ready, nobody says why", append(cart(well, notReady(time.Hour), well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl describe pod -n shop cart-2", "kubectl delete pod -n shop cart-2", scaleTo4}},
		{"one more would not change what may be away", append(cart(well, notReady(time.Hour), well), givenBudget("shop/cart", 2, 2, 0, 3, maxUnavailable("1"))), nobody,
			[]string{"kubectl describe pod -n shop cart-2", "kubectl delete pod -n shop cart-2"}},
		{"on a silent node", append(cart(well, notReady(time.Hour), well), givenNode("w2", silent), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl describe node w2", scaleTo4}},
		{"no place", append(cart(well, unscheduled("0/3 nodes are available: 3 Insufficient cpu."), well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl describe pod -n shop cart-2", scaleTo4}},
		{"leaving", append(cart(well, deleted(0), well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody, []string{""}},
		{"leaving, on a silent node", append(cart(well, deleted(time.Minute), well), givenNode("w2", silent), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl taint node w2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"}},
		{"leaving, held by a finalizer", append(cart(well, func(p *corev1.Pod) { deleted(time.Minute)(p); p.Finalizers = []string{"x/y"} }, well), givenBudget("shop/cart", 2, 2, 0, 3)), nobody,
			[]string{"kubectl get pod -n shop cart-2 -o yaml"}},
		{"deadlock", append(cart(well, crashing(time.Hour), crashing(time.Hour)), givenBudget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2", "shop/cart-3"),
			[]string{patch + `'{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`, "kubectl delete pod -n shop cart-2", "kubectl logs -n shop cart-2 --previous -c main", scaleTo4}},
		{"as many as there are", append(cart(well, well, well), givenBudget("shop/cart", 3, 3, 0, 3)), nobody, []string{scaleTo4, patch + `'{"spec":{"minAvailable":2}}'`}},
		{"one percent of one", append(deploymentOf("shop/cart", well), givenBudget("shop/cart", 1, 1, 0, 1, minAvailable("1%"))), nobody,
			[]string{"kubectl scale deployment -n shop cart --replicas=2", patch + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
		{"all of them: one more is one of all", append(deploymentOf("shop/cart", well), givenBudget("shop/cart", 1, 1, 0, 1, minAvailable("100%"))), nobody,
			[]string{patch + `'{"spec":{"minAvailable":null,"maxUnavailable":1}}'`}},
		{"maxUnavailable 0", append(cart(well, well, well), givenBudget("shop/cart", 3, 3, 0, 3, maxUnavailable("0"))), nobody, []string{patch + `'{"spec":{"maxUnavailable":1}}'`}},
		{"bare pods", []runtime.Object{givenPod("shop/cart-1"), givenPod("shop/cart-2"), givenBudget("shop/cart", 0, 2, 0, 0, maxUnavailable("1"))}, nobody,
			[]string{patch + `'{"spec":{"maxUnavailable":null,"minAvailable":1}}'`}},
		{"SyncFailed", append(cart(well, well, well), givenBudget("shop/cart", 0, 0, 0, 0, maxUnavailable("1"), syncFailed("x"))), nobody,
			[]string{"kubectl describe pdb -n shop cart", patch + `'{"spec":{"maxUnavailable":null,"minAvailable":2}}'`}},
		{"two budgets: the loosest goes", append(cart(well, well, well), givenBudget("shop/z", 2, 3, 1, 3, selecting("cart")), givenBudget("shop/cart", 1, 3, 2, 3)), nobody,
			[]string{"kubectl edit pdb -n shop cart", "kubectl delete pdb -n shop cart"}},
		{"not observed", append(cart(well, well, well), givenBudget("shop/cart", 2, 3, 1, 3, unobserved)), nobody,
			[]string{`kubectl get pdb -n shop cart -o jsonpath='{.metadata.generation} {.status.observedGeneration}'`}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, row.objects...)
			j := Judge(s.PodNamed("shop", "cart-1"), s, row.planned, givenNow)
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

func TestAdviceForRefusedPods(t *testing.T) {
	honored := func(o *Options) { o.Honor = []Honored{HonorClusterAutoscaler} }
	table := []struct {
		name string
		pod  *corev1.Pod
		want []string
	}{
		{"DaemonSet", givenPod("ops/a-1", ownedBy("apps/v1", "DaemonSet", "ds")), []string{"--ignore-daemonsets"}},
		{"orphan", givenPod("ops/a-1", ownedBy("apps/v1", "DaemonSet", "gone")), []string{"kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"bare", givenPod("ops/a-1"), []string{"kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"bare with emptyDir", givenPod("ops/a-1", withEmptyDir), []string{"--delete-emptydir-data", "kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"foreign mark", givenPod("ops/a-1", ownedBy("apps/v1", "ReplicaSet", "a"), func(p *corev1.Pod) { p.Annotations = map[string]string{safeToEvict: "false"} }),
			[]string{"kubectl annotate pod -n ops a-1 cluster-autoscaler.kubernetes.io/safe-to-evict-"}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, givenNode("w1"), givenDaemonSet("ops/ds"), givenReplicaSet("ops/a", 2), row.pod)
			pod := mustPlan(t, s, flags(honored), "w1").Nodes[0].Pods[0]
			if got := commands(pod.Advice); pod.Action != ActionRefuse || !slices.Equal(got, row.want) {
				t.Errorf("%s %q, want %q", pod.Action, got, row.want)
			}
		})
	}
	plan := PodPlan{Namespace: "shop", Action: ActionRefuse, Reasons: []Reason{{Code: ReasonSingleReplica, Level: LevelError, Message: "Deployment api has one replica"}}}
	if got := commands(adviseRefused(&plan)); !slices.Equal(got, []string{"kubectl scale deployment -n shop api --replicas=2"}) {
		t.Errorf("%q", got)
	}
}

// A sibling on a silent node is named as such, with what the cluster knows.
func TestSilentSibling(t *testing.T) {
	s := kube.SnapshotOf(givenNow, append(cart(well, notReady(5*time.Minute), well), givenNode("w2", silent), givenBudget("shop/cart", 2, 2, 0, 3))...)
	j := Judge(s.PodNamed("shop", "cart-1"), s, nobody, givenNow)
	if want := "budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 5m: the kubelet of its node is silent"; j.Why != want || j.Sibling.Reason != "NodeNotReady" {
		t.Errorf("%q (%s), want %q", j.Why, j.Sibling.Reason, want)
	}
	s = kube.SnapshotOf(givenNow, append(cart(well, deleted(time.Minute), well), givenNode("w2", silent), givenBudget("shop/cart", 2, 2, 0, 3))...)
	j = Judge(s.PodNamed("shop", "cart-1"), s, nobody, givenNow)
	if want := "budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 90s, and the kubelet of its node is silent"; j.Why != want {
		t.Errorf("%q, want %q", j.Why, want)
	}
}

// A budget under which sick pods may always go, on nodes that are not Ready:
// budgets are asked there as everywhere.
func TestNotReadyNodeAsksBudgets(t *testing.T) {
	objects := append(cart(notReady(5*time.Minute), well, crashing(time.Hour)), givenNode("w1", silent))
	for policy, want := range map[policyv1.UnhealthyPodEvictionPolicyType]Verdict{policyv1.IfHealthyBudget: VerdictDeadlock, policyv1.AlwaysAllow: VerdictEvictable} {
		b := givenBudget("shop/cart", 2, 1, 0, 3)
		b.Spec.UnhealthyPodEvictionPolicy = &policy
		s := kube.SnapshotOf(givenNow, append(slices.Clone(objects), b)...)
		if j := Judge(s.PodNamed("shop", "cart-1"), s, moved("shop/cart-1", "shop/cart-3"), givenNow); j.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", policy, j.Verdict, j.Why, want)
		}
	}
}
