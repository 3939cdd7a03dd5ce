package budget

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The inputs and outcomes of TestEvictionWithETCD and TestEviction
// (k8s.io/kubernetes v1.36.3 pkg/registry/core/pod/storage/eviction_test.go),
// under their names there shortened, as far as they are about budgets and not
// about conflicts of writes, and of TestEvictionWithUnhealthyPodEvictionPolicy
// (test/integration/evictions/evictions_test.go). What upstream deletes is
// Evictable; what it refuses with 429 is any verdict that holds the pod.
func TestJudgeAsTestEviction(t *testing.T) {
	const none, ifHealthy, always = policyv1.UnhealthyPodEvictionPolicyType(""), policyv1.IfHealthyBudget, policyv1.AlwaysAllow
	all := []policyv1.UnhealthyPodEvictionPolicyType{none, ifHealthy, always}
	table := []struct {
		name     string
		budget   *policyv1.PodDisruptionBudget
		policies []policyv1.UnhealthyPodEvictionPolicyType
		pod      *corev1.Pod
		goes     bool
	}{
		{"no disruptions allowed, pod running", kubetest.Budget("default/a", 0, 0, 0, 0), all[:2], kubetest.Pod("default/a-1", kubetest.NotReady(0)), false},
		{"no disruptions allowed, pod running (AlwaysAllow)", kubetest.Budget("default/a", 0, 0, 0, 0), all[2:], kubetest.Pod("default/a-1", kubetest.NotReady(0)), true},
		{"no disruptions allowed, pod pending", kubetest.Budget("default/a", 0, 0, 0, 0), all, kubetest.Pod("default/a-1", kubetest.Phase(corev1.PodPending)), true},
		{"no disruptions allowed, pod succeeded", kubetest.Budget("default/a", 0, 0, 0, 0), all, kubetest.Pod("default/a-1", kubetest.Phase(corev1.PodSucceeded)), true},
		{"no disruptions allowed, pod failed", kubetest.Budget("default/a", 0, 0, 0, 0), all, kubetest.Pod("default/a-1", kubetest.Phase(corev1.PodFailed)), true},
		{"disruptions allowed", kubetest.Budget("default/a", 0, 0, 1, 0), all, kubetest.Pod("default/a-1"), true},
		{"non-matching budget", kubetest.Budget("default/b", 0, 0, 0, 0), all, kubetest.Pod("default/a-1"), true},
		{"empty selector, pod running", kubetest.Budget("default/b", 0, 0, 0, 0, kubetest.SelectsAll), all[:2], kubetest.Pod("default/a-1", kubetest.NotReady(0)), false},
		{"no disruptions allowed, pod terminating", kubetest.Budget("default/a", 0, 0, 0, 0), all, kubetest.Pod("default/a-1", kubetest.Deleted(-time.Minute)), true},
		{"pod healthy, unhealthy pod not ours", kubetest.Budget("default/a", 2, 2, 0, 3), all, kubetest.Pod("default/a-1"), false},
		{"disruptions allowed, pod healthy", kubetest.Budget("default/a", 3, 3, 1, 0), all, kubetest.Pod("default/a-1"), true},
		{"pod unhealthy, unhealthy pod ours", kubetest.Budget("default/a", 2, 2, 0, 3), all, kubetest.Pod("default/a-1", kubetest.NotReady(0)), true},
		{"pod unhealthy and too few healthy", kubetest.Budget("default/a", 2, 1, 0, 3), all[:2], kubetest.Pod("default/a-1", kubetest.NotReady(0)), false},
		{"pod unhealthy and too few healthy (AlwaysAllow)", kubetest.Budget("default/a", 2, 1, 0, 3), all[2:], kubetest.Pod("default/a-1", kubetest.NotReady(0)), true},
		{"empty selector, pod healthy", kubetest.Budget("default/b", 3, 3, 0, 0, kubetest.SelectsAll), all, kubetest.Pod("default/a-1"), false},
		{"sync failure", kubetest.Budget("default/a", 0, 0, 0, 0, kubetest.SyncFailed("hoge")), all, kubetest.Pod("default/a-1"), false},
		{"another reason not to allow it", kubetest.Budget("default/a", 3, 4, 0, 4), all, kubetest.Pod("default/a-1"), false},
		{"unobserved budget", kubetest.Budget("default/a", 0, 1, 1, 1, kubetest.Unobserved), all, kubetest.Pod("default/a-1"), false},
		{"unobserved budget, pod unready (AlwaysAllow)", kubetest.Budget("default/a", 0, 1, 0, 1, kubetest.Unobserved), all[2:], kubetest.Pod("default/a-1", kubetest.NotReady(0)), true},
		{"negative number allowed", kubetest.Budget("default/a", 0, 1, -1, 1), all, kubetest.Pod("default/a-1"), false},
		{"integration: policy with ready pod", kubetest.Budget("default/a", 0, 1, 1, 1), all, kubetest.Pod("default/a-1"), true},
		{"integration: AlwaysAllow with unready pod", kubetest.Budget("default/a", 1, 0, 0, 1), all[2:], kubetest.Pod("default/a-1", kubetest.NotReady(0)), true},
	}
	for _, row := range table {
		for _, unhealthy := range row.policies {
			t.Run(fmt.Sprintf("%s/%s", row.name, unhealthy), func(t *testing.T) {
				b := row.budget.DeepCopy()
				kubetest.Policy(unhealthy)(b)
				s := kubetest.SnapshotOf(kubetest.Now, row.pod, b)
				j := Judge(kubetest.RecordOf(s, row.pod), s, kubetest.Nobody, kubetest.Now)
				if (j.Verdict == VerdictEvictable) != row.goes {
					t.Errorf("%s (%s), want it to go: %v", j.Verdict, j.Why, row.goes)
				}
			})
		}
	}
}

// moved marks pods as part of the plan.
func moved(names ...string) func(kube.UID) bool {
	return func(uid kube.UID) bool {
		return slices.Contains(names, strings.TrimPrefix(string(uid), "Pod/"))
	}
}

// The verdicts and their lines. The pod that is asked for is cart-1 on w1.
var explained = []struct {
	name         string
	objects      []runtime.Object
	planned      func(kube.UID) bool
	verdict      Verdict
	why          string
	unhealthyPod string // name, "" for none
}{
	{"no budget", kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Nobody, VerdictEvictable, "", ""},
	{"room in the budget", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 3, 1, 3)), kubetest.Nobody, VerdictEvictable,
		"budget cart needs 2 healthy pods and has 3: it allows 1 now", ""},
	{"pending", append(kubetest.Cart(kubetest.Unscheduled("x"), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable,
		"it is Pending: budgets do not apply", ""},
	{"unready pod that may go", append(kubetest.Cart(kubetest.Crashing(time.Hour), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictEvictable,
		"it is not Ready, and budget cart needs 2 healthy pods and has 2 without it", ""},
	{"AlwaysAllow", append(kubetest.Cart(kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 1, 0, 3, kubetest.Policy(policyv1.AlwaysAllow))),
		kubetest.Nobody, VerdictEvictable, "it is not Ready, and budget cart allows the eviction of such pods (AlwaysAllow)", ""},
	{"a policy that we do not know allows nothing", append(kubetest.Cart(kubetest.Crashing(time.Hour), kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3, kubetest.Policy("Other"))),
		kubetest.Nobody, VerdictWait, `budget cart needs 2 healthy pods and has 2; the pod itself is not Ready for 1h: "CrashLoopBackOff" (exit code 1)`, "cart-1"},
	{"two budgets", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/z", 0, 3, 3, 3, kubetest.Selecting("cart")), kubetest.Budget("shop/cart", 0, 3, 3, 3)), kubetest.Nobody, VerdictMultiple,
		"2 budgets select it (cart, z): the server evicts no pod that more than one selects", ""},
	{"not observed", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 0, 3, 3, 3, kubetest.Unobserved)), kubetest.Nobody, VerdictSyncing,
		"budget cart is new or was changed: the controller has not observed it yet", ""},
	{"not observed, as it cannot be computed", append(kubetest.Cart(kubetest.Well), kubetest.Budget("shop/cart", 0, 0, 0, 0, kubetest.MaxUnavailable("1"), kubetest.Unobserved, kubetest.SyncFailed("no kind"))),
		kubetest.Nobody, VerdictNever, `budget cart cannot be computed: "no kind"`, ""},

	{"unhealthy pod", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(4*time.Minute), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 on w2 is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`, "cart-2"},
	{"another pod without a place", append(kubetest.Cart(kubetest.Well, kubetest.Unscheduled("0/3 nodes are available: 3 node(s) had volume node affinity conflict."), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h: "0/3 nodes are available: 3 node(s) had volume node affinity conflict."`, "cart-2"},
	{"another pod that terminates", append(kubetest.Cart(kubetest.Well, kubetest.Deleted(-10*time.Second), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-2 on w2 is terminating for 20s", "cart-2"},
	{"another pod whose eviction was accepted a moment ago", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3, disrupted("cart-3", time.Second))), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; cart-3 on w3 is being evicted for 1s", "cart-3"},
	{"longest sick of several", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Minute), kubetest.Crashing(2*time.Hour)), kubetest.Budget("shop/cart", 1, 1, 0, 3)), kubetest.Nobody, VerdictWait,
		`budget cart needs 1 healthy pod and has 1; cart-3 on w3 is not Ready for 2h: "CrashLoopBackOff" (exit code 1)`, "cart-3"},
	{"sick that is not planned before longer sick that is", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(time.Minute), kubetest.Crashing(2*time.Hour)), kubetest.Budget("shop/cart", 1, 1, 0, 3)),
		moved("shop/cart-1", "shop/cart-3"), VerdictWait, `budget cart needs 1 healthy pod and has 1; cart-2 on w2 is not Ready for 1m`, "cart-2"},
	{"sick for good before one that goes", append(kubetest.Cart(kubetest.Well, kubetest.Deleted(time.Hour), kubetest.NotReady(time.Minute)), kubetest.Budget("shop/cart", 1, 1, 0, 3)), kubetest.Nobody, VerdictWait,
		"budget cart needs 1 healthy pod and has 1; cart-3 on w3 is not Ready for 1m", "cart-3"},
	{"the pod itself", append(kubetest.Cart(kubetest.Crashing(4*time.Minute), kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 1, 0, 3)), kubetest.Nobody, VerdictWait,
		`budget cart needs 2 healthy pods and has 1; the pod itself is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`, "cart-1"},
	{"a pod that its owner has not made", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Phase(corev1.PodSucceeded)), kubetest.Budget("shop/cart", 2, 2, 0, 2)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; 1 of its pods not created yet", ""},
	{"the controller lags", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), kubetest.Nobody, VerdictWait,
		"budget cart needs 2 healthy pods and has 2; all its pods are healthy: the controller has not updated it yet", ""},

	{"as many needed as there are", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3)), kubetest.Nobody, VerdictNever,
		"budget cart needs 3 healthy pods of 3: it allows no disruption at all", ""},
	{"as many needed as there are, one of them sick", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 3, 2, 0, 3)), kubetest.Nobody, VerdictNever,
		"budget cart needs 3 healthy pods of 3: it allows no disruption at all", ""},
	{"one percent of one", append(kubetest.DeploymentOf("shop/cart", kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 1, kubetest.MinAvailable("1%"))), kubetest.Nobody, VerdictNever,
		"budget cart needs 1 healthy pod (minAvailable 1%) of 1: it allows no disruption at all", ""},
	{"maxUnavailable 0", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 3, 3, 0, 3, kubetest.MaxUnavailable("0"))), kubetest.Nobody, VerdictNever,
		"budget cart has maxUnavailable 0: it allows no disruption at all", ""},
	{"maxUnavailable 0%", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 3, 2, 0, 3, kubetest.MaxUnavailable("0%"))), kubetest.Nobody, VerdictNever,
		"budget cart has maxUnavailable 0%: it allows no disruption at all", ""},
	{"the status lags behind the scale: a replacement is not counted yet", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 2)), kubetest.Nobody, VerdictWait, "", ""},
	{"SyncFailed", append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 0, 0, 0, 0, kubetest.MaxUnavailable("1"), kubetest.SyncFailed(`found no controllers for pod "x"`))), kubetest.Nobody, VerdictNever,
		`budget cart cannot be computed: "found no controllers for pod "x""`, ""},
	// disruption_test.go TestStatusForUnmanagedPod, TestTotalUnmanagedPods.
	{"bare pod under maxUnavailable", []runtime.Object{kubetest.Pod("shop/cart-1"), kubetest.Budget("shop/cart", 0, 1, 0, 0, kubetest.MaxUnavailable("1"))}, kubetest.Nobody, VerdictNever,
		"budget cart counts none of its pods, since they have no controller: it allows no disruption at all", ""},
	{"bare pod under minAvailable", []runtime.Object{kubetest.Pod("shop/cart-1"), kubetest.Budget("shop/cart", 1, 1, 0, 1)}, kubetest.Nobody, VerdictNever,
		"budget cart needs 1 healthy pod of 1: it allows no disruption at all", ""},
	{"owner of a kind that we do not hold", []runtime.Object{kubetest.Pod("shop/cart-1", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "CloneSet", "cart")), kubetest.Budget("shop/cart", 2, 2, 0, 2)},
		kubetest.Nobody, VerdictNever, "budget cart needs 2 healthy pods of 2: it allows no disruption at all", ""},

	{"sick pods that wait for this drain", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour)), kubetest.Budget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2", "shop/cart-3"), VerdictDeadlock,
		`budget cart needs 2 healthy pods and has 1; cart-2 on w2 is not Ready for 1h: "CrashLoopBackOff" (exit code 1); deadlock: it can only be replaced once this drain evicts it`, "cart-2"},
	{"sick planned pod that may go: no deadlock", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), moved("shop/cart-1", "shop/cart-2"), VerdictWait, "", "cart-2"},
	{"planned pod that just starts: no deadlock", append(kubetest.Cart(kubetest.Well, kubetest.NotReady(10*time.Second), kubetest.NotReady(10*time.Second)), kubetest.Budget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2", "shop/cart-3"), VerdictWait, "", "cart-2"},
	{"planned pod that is terminating: no deadlock", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Deleted(0)), kubetest.Budget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2", "shop/cart-3"), VerdictWait, "", "cart-2"},
	{"one that is not planned may heal", append(kubetest.Cart(kubetest.Well, kubetest.Crashing(time.Hour), kubetest.Crashing(time.Hour)), kubetest.Budget("shop/cart", 2, 1, 0, 3)), moved("shop/cart-1", "shop/cart-2"), VerdictWait, "", "cart-3"},
	{"no room for the sick ones", append(kubetest.Cart(kubetest.Well, kubetest.Unscheduled("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable."), kubetest.Well), kubetest.Budget("shop/cart", 2, 2, 0, 3)), moved("shop/cart-1"), VerdictDeadlock,
		`budget cart needs 2 healthy pods and has 2; cart-2 is Pending for 1h: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.", and this drain makes no room for it`, "cart-2"},
}

func TestJudgeExplains(t *testing.T) {
	for _, row := range explained {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.objects...)
			j := Judge(s.PodNamed("shop", "cart-1"), s, row.planned, kubetest.Now)
			if j.Verdict != row.verdict {
				t.Errorf("verdict %s (%s), want %s", j.Verdict, j.Why, row.verdict)
			}
			if row.why != "" && j.Why != row.why {
				t.Errorf("why:\n%s, want\n%s", j.Why, row.why)
			}
			got := ""
			if j.UnhealthyPod != nil {
				got = j.UnhealthyPod.Name
			}
			if got != row.unhealthyPod {
				t.Errorf("unhealthy pod %q, want %q", got, row.unhealthyPod)
			}
		})
	}
}

func disrupted(pod string, since time.Duration) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		b.Status.DisruptedPods = map[string]metav1.Time{pod: kubetest.Ago(since)}
	}
}

// Budgets that cannot be seen are unknown, never none; what the server does not
// ask budgets about goes all the same.
func TestJudgeWithoutBudgets(t *testing.T) {
	for _, sync := range []kube.SyncState{{Phase: kube.Denied, Reason: "forbidden"}, {Phase: kube.NotSynced}} {
		store := kubetest.StoreOf(kubetest.Now, kubetest.Pod("shop/cart-1"), kubetest.Pod("shop/cart-2", kubetest.Phase(corev1.PodPending)))
		store.SetSync(kube.KindBudgets, sync)
		s := store.Snapshot()
		j := Judge(s.PodNamed("shop", "cart-1"), s, kubetest.Nobody, kubetest.Now)
		if j.Verdict != VerdictUnknown || j.Why == "" || j.Names == nil {
			t.Errorf("%v: %+v", sync.Phase, j)
		}
		if j := Judge(s.PodNamed("shop", "cart-2"), s, kubetest.Nobody, kubetest.Now); j.Verdict != VerdictEvictable {
			t.Errorf("%v, pending: %+v", sync.Phase, j)
		}
	}
}

// An unhealthy pod carries the kubelet's words and when the trouble began.
func TestUnhealthyPod(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, append(kubetest.Cart(kubetest.Well, kubetest.Crashing(4*time.Minute), kubetest.NotReady(time.Minute)), kubetest.Budget("shop/cart", 1, 1, 0, 3))...)
	b := s.BudgetNamed("shop", "cart")
	got := UnhealthyPodUnder(b, s, "", kubetest.Now)
	if got == nil || got.Name != "cart-2" || got.Node != "w2" || got.Namespace != "shop" || got.Reason != "CrashLoopBackOff" ||
		got.Message != "back-off 5m0s" || got.ExitCode == nil || *got.ExitCode != 1 || !got.Since.Equal(kubetest.Now.Add(-4*time.Minute)) {
		t.Errorf("unhealthy pod %+v", got)
	}
	if other := UnhealthyPodUnder(b, s, s.PodNamed("shop", "cart-2").UID, kubetest.Now); other == nil || other.Name != "cart-3" {
		t.Errorf("the other unhealthy pod is %+v", other)
	}
	if healthy := kubetest.SnapshotOf(kubetest.Now, append(kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well), kubetest.Budget("shop/cart", 1, 1, 0, 3))...); UnhealthyPodUnder(healthy.BudgetNamed("shop", "cart"), healthy, "", kubetest.Now) != nil {
		t.Error("an unhealthy pod among healthy ones")
	}
}

// Judge judges one pod of a snapshot.
func Judge(p *kube.Pod, s *kube.Snapshot, planned func(kube.UID) bool, now time.Time) Judgement {
	l := NewTracker(s, now)
	l.Advises = true
	j, _ := l.Judge(p, planned)
	return j
}
