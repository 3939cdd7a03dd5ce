//go:build lab

package budget

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The grid: what Predict says against what the API server of a lab answers to a
// dry-run eviction, in every cell. Pods and budgets are made once and used again
// and again; the status of the budgets is written by hand.

// gridPods are all pods of one namespace of the grid.
func gridPods() []givenLabPod {
	var pods []givenLabPod
	for _, phase := range []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown} {
		for _, ready := range []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, ""} {
			for _, terminating := range []bool{false, true} {
				pods = append(pods, givenLabPod{app: "grid", phase: phase, ready: ready, terminating: terminating})
			}
		}
	}
	return pods
}

// gridStatuses are all states of a budget: not observed or observed (or, which
// no controller writes, ahead), then allowed, healthy and desired.
func gridStatuses() []policyv1.PodDisruptionBudgetStatus {
	var statuses []policyv1.PodDisruptionBudgetStatus
	for observed := range int64(3) { // generations begin at one
		for _, allowed := range []int32{0, 1} {
			for _, healthy := range [][2]int32{{0, 0}, {1, 2}, {2, 2}, {3, 2}} {
				statuses = append(statuses, policyv1.PodDisruptionBudgetStatus{
					ObservedGeneration: observed, DisruptionsAllowed: allowed,
					CurrentHealthy: healthy[0], DesiredHealthy: healthy[1], ExpectedPods: 3,
				})
			}
		}
	}
	return statuses
}

var gridPolicies = []policyv1.UnhealthyPodEvictionPolicyType{"", policyv1.IfHealthyBudget, policyv1.AlwaysAllow}

func TestPredictAsTheServer(t *testing.T) {
	began := time.Now()
	l := openLab(t)
	l.freeze("kube-controller-manager", "kwok")
	cells := &cells{perWay: map[Prediction]int{}}
	var all sync.WaitGroup
	for budgets := range 3 {
		for _, policy := range gridPolicies {
			if budgets == 0 && policy != "" {
				continue // no budget has no policy
			}
			all.Go(func() { l.grid(cells, budgets, policy) })
		}
	}
	all.Wait()
	for way, n := range cells.perWay {
		t.Logf("%5d cells: %d %q, way %q", n, way.Code, way.Cause, way.Way)
	}
	t.Logf("%d cells in %s, %d differ", cells.count.Load(), time.Since(began).Round(time.Millisecond), cells.wrong.Load())
	if want := int64(30 * (1 + 2*len(gridPolicies)*len(gridStatuses()))); cells.count.Load() != want && !t.Failed() {
		t.Errorf("%d cells were asked, want %d", cells.count.Load(), want)
	}
}

// cells counts what was compared.
type cells struct {
	count, wrong atomic.Int64
	mu           sync.Mutex
	perWay       map[Prediction]int
}

func (c *cells) add(t *testing.T, what string, p Prediction, a kube.Answer) {
	c.count.Add(1)
	c.mu.Lock()
	c.perWay[p]++
	c.mu.Unlock()
	if !p.Matches(a) {
		if c.wrong.Add(1) <= 20 {
			t.Errorf("%s: predicted %+v, answered %d %q causes %v, retry after %s", what, p, a.Code, a.Message, a.Causes, a.RetryAfter)
		}
	}
}

// grid asks for all cells of one number of budgets and one policy.
func (l *labCluster) grid(cells *cells, budgets int, policy policyv1.UnhealthyPodEvictionPolicyType) {
	namespace := l.namespace(fmt.Sprintf("grid-%d-%s-", budgets, lower(policy)))
	var pods []*kube.Pod
	for _, given := range gridPods() {
		pods = append(pods, l.pod(namespace, given))
	}
	names := []string{"first", "second"}[:budgets]
	for _, name := range names {
		l.budget(namespace, name, "grid", policy)
	}
	statuses := gridStatuses()
	if budgets == 0 {
		statuses = statuses[:1]
	}
	for _, status := range statuses {
		records := make([]*kube.Budget, 0, budgets)
		for _, name := range names {
			records = append(records, l.budgetStatus(namespace, name, status))
		}
		for _, p := range pods {
			what := fmt.Sprintf("%d budgets, policy %q, observed %d, allowed %d, %d of %d healthy; %s", budgets, policy,
				status.ObservedGeneration, status.DisruptionsAllowed, status.CurrentHealthy, status.DesiredHealthy, p.Name)
			answer := l.cluster.Evict(l.t.Context(), request.Evict{Namespace: namespace, Name: p.Name, UID: p.UID, DryRun: true})
			cells.add(l.t, what, Predict(p, records, p.UID), answer)
		}
	}
}

// branch is one way through the handler.
type branch struct {
	name     string
	pod      givenLabPod
	policies []policyv1.UnhealthyPodEvictionPolicyType // of its budgets
	status   policyv1.PodDisruptionBudgetStatus
	want     Prediction // without a precondition
}

var branches = []branch{
	{"pending", givenLabPod{phase: corev1.PodPending}, gridPolicies[:1], healthy(2, 2, 0), Prediction{201, "", WayIgnored}},
	{"succeeded", givenLabPod{phase: corev1.PodSucceeded}, gridPolicies[:1], healthy(2, 2, 0), Prediction{201, "", WayIgnored}},
	{"failed", givenLabPod{phase: corev1.PodFailed}, gridPolicies[:2], healthy(2, 2, 0), Prediction{201, "", WayIgnored}},
	{"terminating", givenLabPod{phase: corev1.PodRunning, terminating: true}, gridPolicies[:1], healthy(2, 2, 0), Prediction{201, "", WayIgnored}},
	{"several", givenLabPod{phase: corev1.PodRunning}, gridPolicies[:2], healthy(2, 3, 1), Prediction{500, CauseMultiple, WaySeveral}},
	{"none", givenLabPod{phase: corev1.PodRunning, ready: corev1.ConditionTrue}, nil, healthy(0, 0, 0), Prediction{201, "", WayNone}},
	{"free by policy", givenLabPod{phase: corev1.PodRunning}, gridPolicies[2:], healthy(2, 1, 0), Prediction{201, "", WayFree}},
	{"free by health", givenLabPod{phase: corev1.PodRunning}, gridPolicies[:1], healthy(2, 2, 0), Prediction{201, "", WayFree}},
	{"spends", givenLabPod{phase: corev1.PodRunning, ready: corev1.ConditionTrue}, gridPolicies[:1], healthy(2, 3, 1), Prediction{201, "", WaySpends}},
	{"nothing to spend", givenLabPod{phase: corev1.PodRunning, ready: corev1.ConditionTrue}, gridPolicies[:1], healthy(2, 2, 0), Prediction{429, CauseBudget, WaySpends}},
	{"not observed", givenLabPod{phase: corev1.PodRunning, ready: corev1.ConditionTrue}, gridPolicies[:1], unseen(healthy(2, 3, 1)), Prediction{429, CauseNotObserved, WaySpends}},
	{"too many", givenLabPod{phase: corev1.PodRunning, ready: corev1.ConditionTrue}, gridPolicies[:1], crowded(healthy(2, 3, 1)), Prediction{403, CauseTooMany, WaySpends}},
}

// Each branch once with no precondition, with the pod's own UID and with
// another's, for real.
func TestPredictRealWrites(t *testing.T) {
	began := time.Now()
	l := openLab(t)
	l.freeze("kube-controller-manager", "kwok")
	namespace := l.namespace("real-")
	cells := &cells{perWay: map[Prediction]int{}}
	var all sync.WaitGroup
	for i, b := range branches {
		for k, uid := range []kube.UID{"", "own", "00000000-0000-0000-0000-000000000000"} {
			all.Go(func() { l.reallyEvict(cells, namespace, fmt.Sprintf("branch-%d-%d", i, k), b, uid) })
		}
	}
	all.Wait()
	t.Logf("%d real evictions in %s, %d differ", cells.count.Load(), time.Since(began).Round(time.Millisecond), cells.wrong.Load())
}

func (l *labCluster) reallyEvict(cells *cells, namespace, app string, b branch, uid kube.UID) {
	b.pod.app = app
	p := l.pod(namespace, b.pod)
	var budgets []*kube.Budget
	for i, policy := range b.policies {
		name := fmt.Sprintf("%s-%d", app, i)
		l.budget(namespace, name, app, policy)
		budgets = append(budgets, l.budgetStatus(namespace, name, b.status))
	}
	if uid == "own" {
		uid = p.UID
	}
	predicted := Predict(p, budgets, uid)
	what := fmt.Sprintf("%s, precondition %q", b.name, uid)
	if ours := uid == "" || uid == p.UID; ours && predicted != b.want {
		l.t.Errorf("%s: %+v is predicted, the table says %+v", what, predicted, b.want)
	}
	dry := l.cluster.Evict(l.t.Context(), request.Evict{Namespace: namespace, Name: p.Name, UID: uid, DryRun: true})
	cells.add(l.t, what+", dry run", predicted, dry)
	answer := l.cluster.Evict(l.t.Context(), request.Evict{Namespace: namespace, Name: p.Name, UID: uid})
	cells.add(l.t, what, predicted, answer)
	if predicted.Way != WaySpends || b.want.Code != 201 {
		return
	}
	// The precondition is checked after the budget was charged.
	after := l.readBudget(namespace, budgets[0].Name)
	if _, noted := after.DisruptedPods[p.Name]; after.DisruptionsAllowed != 0 || !noted {
		l.t.Errorf("%s: the budget was not charged: %+v", what, after)
	}
}

// What the API refuses to store cannot be compared; the table of predict_test.go
// stands for it.
func TestServerRefusesToStore(t *testing.T) {
	l := openLab(t)
	namespace := l.namespace("refused-")
	l.freeze("kube-controller-manager")
	l.budget(namespace, "a", "a", "")
	if err := l.tryBudgetStatus(namespace, "a", healthy(0, 1, -1)); err == nil {
		t.Error("a negative number of disruptions was stored: put it into the grid")
	}
	if err := l.tryBudget(namespace, "b", "b", "Other"); err == nil {
		t.Error("a policy of another name was stored: put it into the grid")
	}
}

func healthy(desired, current, allowed int32) policyv1.PodDisruptionBudgetStatus {
	return policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: 1, DesiredHealthy: desired, CurrentHealthy: current, DisruptionsAllowed: allowed, ExpectedPods: 3,
	}
}

func unseen(s policyv1.PodDisruptionBudgetStatus) policyv1.PodDisruptionBudgetStatus {
	s.ObservedGeneration = 0
	return s
}
