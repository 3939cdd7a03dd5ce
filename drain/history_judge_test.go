package drain

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// What holds in every history, whatever happens in it. The world of the history is the judge, never the
// books of the run.
//
//  1. A guard is kept: an eviction of the run leaves a guarded workload no fewer Ready pods than the guard needs. One
//     that was done counts, whatever answer came for it.
//  2. A workload that surges keeps as many Ready pods as it wants: none of its Ready pods is evicted or removed
//     before. One whose batch is over, or whose workload cannot be raised any more, goes alone, or once the time for
//     replacements is over. What may pass is waited for as long as for a replacement, from when it began.
//     A raise keeps to the order of the run, is not for a pod that runs to its end, and removes none that was left.
//     No eviction uses what a budget of several workloads allows for pods that a surge is to remove.
//  3. Nothing outside the plan is touched, and nothing while the run is paused, aborted, suspended or ended, or
//     without the cordon and the Lease of its node (script_check_test.go).
//  4. A pod that is said to have left its node is not on it.
//  5. A pod whose eviction was accepted is not evicted again. One is deleted past its budgets only after the server
//     has just said to this process that they hold it.
//  6. The run ends once everybody does what they should, and no look asks for another at once.
//  7. At the end nothing temporary is left: budgets, taints, annotations, deletion costs, replicas and who owns them. What could not
//     be taken back is reported so. The report names the pods that are still there and the nodes that stay cordoned,
//     and says of no node on which a pod runs that it is safe to power off.
//  8. The same holds after a rollback at any moment, and the cordons and Leases of the run are taken back too.
//  9. The journal gives the same state as the run has, also where its end was lost.

// judgeLook judges what a look decided, from the state before it.
func (h *history) judgeLook(t *rapid.T, was *State, events []Event) {
	for id, w := range h.out {
		if id <= was.nextAction || w.Remedy != 0 {
			continue
		}
		switch r := w.Request.(type) {
		case request.Evict:
			if !h.retried[r.UID] && h.gone(r.UID) {
				t.Fatalf("#%d: %s was evicted already", id, r.UID)
			}
			h.judgeSurge(t, w, r.UID)
			h.judgeSurplus(t, w, r.UID)
			h.judgeGuard(t, w, r.UID)
		case request.Delete:
			h.judgeDeletion(t, w, r.UID)
		case request.Lower:
			if a := h.app(r.Name); r.Scales() {
				a.noneShown = len(h.shownCluster.podsOf(a.name)) <= int(r.To)
			}
		}
	}
	for _, e := range events {
		if e.SurgeChange != nil && e.SurgeChange.Batch != nil && e.SurgeChange.Batch.Began.IsZero() {
			for _, m := range e.SurgeChange.Batch.Pods {
				h.judgeTurn(t, was, events, m.UID)
			}
		}
		if e.SurgeChange != nil && e.SurgeChange.State == surge.Refused {
			h.judgeRefusal(t, appOf(e.Surge.Name+"-"), e.Message)
		}
		if e.SurgeChange != nil {
			h.judgeReplaced(t, h.app(e.Surge.Name), e.SurgeChange)
		}
	}
	if was.Outcome == "" && h.state.Outcome != "" {
		h.judgeReport(t)
	}
	if h.state.Paused || h.down {
		clear(h.refused)
	}
	for _, p := range h.state.Pods {
		if !p.State.Left() {
			continue
		}
		if live := h.truth.pods[p.Name]; live != nil && live.UID == p.UID && live.Spec.NodeName == p.Node {
			t.Fatalf("%s is said to have left %s (%s), and is on it", p.Name, p.Node, p.State)
		}
	}
}

// judgeGuard judges an eviction under a guard, by what the watches show: an eviction that was done counts, whatever
// came back for it.
func (h *history) judgeGuard(t *rapid.T, w Write, uid kube.UID) {
	snap := h.shownCluster.store.Snapshot()
	p, guard := snap.Pod(uid), string(h.state.Run.Options.Guard)
	a := h.app(appOf(p.Name))
	if a == nil || guard == "" || !p.Ready || len(snap.BudgetsOf(p)) > 0 {
		return
	}
	shown := h.shownCluster.apps[a.name]
	wants := int(min(shown.wants, shown.controlled().replicas))
	away, err := strconv.Atoi(strings.TrimSuffix(guard, "%"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(guard, "%") {
		away = (wants*away + 99) / 100
	}
	if ready := h.readyBut(a, w); wants > 1 && ready < wants-away {
		t.Fatalf("#%d: the eviction of %s leaves %d Ready pods of %d: the guard %s is broken", w.ID, p.Name, ready, wants, guard)
	}
}

// judgeAnswers notes which pods the server said that their budgets hold.
func (h *history) judgeAnswers(in []Input) {
	for _, in := range in {
		a, answered := in.(Answered)
		if !answered || !sends[request.Evict](a.Write) {
			continue
		}
		delete(h.refused, a.Write.pod())
		byBudget := slices.ContainsFunc(a.Answer.Causes, func(c kube.Cause) bool { return c.Type == "DisruptionBudget" })
		if byBudget || strings.Contains(a.Answer.Message, "more than one PodDisruptionBudget") {
			h.refused[a.Write.pod()] = h.now
		}
	}
}

// judgeDeletion judges the deletion of a pod past its budgets: the server has just said to this process that they
// hold it.
func (h *history) judgeDeletion(t *rapid.T, w Write, uid kube.UID) {
	_, refused := h.refused[uid]
	if delete(h.refused, uid); !refused && !h.state.Run.Options.DisableEviction {
		t.Fatalf("#%d: %s is deleted past its budget, and no refusal says that it holds it", w.ID, uid)
	}
}

// judgeReport judges what the report says at the end of the run, by what the watches show then.
func (h *history) judgeReport(t *rapid.T) {
	left, safe := ToDo(Lasting(h.events))
	says := func(words string) bool {
		return slices.ContainsFunc(left, func(what string) bool { return strings.HasPrefix(what, words) })
	}
	for _, n := range h.state.Nodes {
		node := h.shownCluster.nodes[n.Name]
		if node == nil || kube.UID(node.UID) != n.UID || n.State == NodeRefused || n.TakenOverBy() != "" {
			continue
		}
		var mark annotation.Mark
		marked := json.Unmarshal([]byte(node.Annotations[kube.CordonAnnotation]), &mark) == nil && mark.Run == h.state.Run.ID
		if marked && node.Spec.Unschedulable && !says("node "+n.Name+" was left cordoned") &&
			!says("whether node "+n.Name+" is cordoned") {
			t.Errorf("%s is cordoned, and the report does not say so: %q", n.Name, left)
		}
		for name, p := range h.shownCluster.pods {
			if p.Spec.NodeName != n.Name {
				continue
			}
			if safe[n.Name] && active(p) && h.app(appOf(name)) != nil {
				t.Errorf("%s is said to be safe to power off, and %s runs there", n.Name, name)
			}
			r := h.state.Pod(kube.UID(p.UID))
			toGo := r != nil && (r.Action == plan.ActionEvict || r.Action == plan.ActionDelete)
			if now := h.truth.pods[name]; r != nil && r.State == eviction.Gone && (now == nil || now.UID != p.UID) {
				toGo = false // the server says so before the watch does
			}
			if toGo && !says("pod default/"+name+" is ") {
				t.Errorf("%s is still on %s, and the report does not say so: %q", name, n.Name, left)
			}
		}
	}
}

// judgeWorld fails where something happened in the cluster that must not.
func (h *history) judgeWorld(t *rapid.T) {
	if len(h.wrong) > 0 {
		t.Fatal(strings.Join(h.wrong, "\n"))
	}
}

// judgeLeftovers judges what the run leaves in the cluster at its end.
func (h *history) judgeLeftovers(t *rapid.T) {
	h.judgeWorld(t)
	for name, b := range h.truth.budgets {
		i := slices.IndexFunc(h.state.Budgets, func(r *tempbudget.Record) bool { return r.Name == name })
		if b.Labels != nil && (i < 0 || h.state.Budgets[i].State != tempbudget.Orphaned) {
			t.Errorf("temporary budget %s stands, and nobody says so", name)
		}
	}
	for _, n := range h.truth.nodes {
		tainted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeOutOfService })
		if tainted && !slices.ContainsFunc(h.state.Remedies, func(r *remedy.Record) bool {
			return r.Kind == remedy.OutOfService && r.Name == n.Name && r.MayStand()
		}) {
			t.Errorf("%s has the out-of-service taint, and nobody says so", n.Name)
		}
	}
	for _, a := range h.apps {
		h.controlNow(a)
		if r := h.state.Surges.Of(a.uid()); r != nil && (r.State == surge.Orphaned || r.State == surge.Kept) {
			continue // which is reported
		}
		if a.owned.othersMark() != nil || a.returns != "" { // its surge is not over
			continue
		}
		copied := a.kind == "Deployment" && a.set.mark != "" && a.set.othersMark() == nil // of an earlier run's raise it may stay
		if a.owned.replicas != a.wants || a.owned.mark != "" || copied {
			t.Errorf("%s has %d replicas and wants %d, its marks are %q and %q", a.name, a.owned.replicas, a.wants, a.owned.mark, a.set.mark)
		}
		if r := h.state.Surges.Of(a.uid()); a.due != "" && a.owners != a.due && (r == nil || !r.MarkLeft) {
			t.Errorf("the replicas of %s belong to %q (ours: %v), and before the run to %q", a.name, a.owners, a.ours, a.due)
		}
		for _, name := range h.podsOf(a) {
			if cost := h.truth.pods[name].Annotations[kube.DeletionCostAnnotation]; cost != "" {
				t.Errorf("%s still has the deletion cost %s", name, cost)
			}
		}
	}
}
