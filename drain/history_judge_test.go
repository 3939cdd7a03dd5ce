package drain

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// What holds in every history, whatever happens in it. The world of the history is the judge, never the
// books of the run.
//
//  1. A guard is kept: an eviction of the run leaves a guarded workload no fewer Ready pods than the guard needs,
//     if nobody else took one of its pods away while the request was on its way.
//  2. A workload that surges keeps as many Ready pods as it wants: none of its Ready pods is evicted before that,
//     unless the run has said that it does not surge any longer.
//  3. Nothing outside the plan is touched, and nothing while the run is paused, aborted, suspended or ended, or
//     without the cordon and the Lease of its node (script_check_test.go).
//  4. A pod that is said to have left its node is not on it.
//  5. A pod whose eviction was accepted is not evicted again.
//  6. The run ends once everybody does what they should, and no look asks for another at once.
//  7. At the end nothing temporary is left: budgets, annotations, deletion costs, replicas. What could not
//     be taken back is reported so.
//  8. The same holds after a rollback at any moment, and the cordons and Leases of the run are taken back too.
//  9. The journal gives the same state as the run has, also where its end was lost.

// judgeLook judges what a look decided; requests after the number before are new.
func (h *history) judgeLook(t *rapid.T, before uint64) {
	for id, w := range h.out {
		if id <= before || !sends[request.Evict](w) || w.Remedy != 0 {
			continue
		}
		pod := sent[request.Evict](w).UID
		if !h.retried[pod] && h.gone(pod) {
			t.Fatalf("#%d: %s was evicted already", id, pod)
		}
		h.judgeSurge(t, w, pod)
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

// judgeSurge judges the eviction of a pod whose workload surges, by what the watches show.
func (h *history) judgeSurge(t *rapid.T, w Write, uid kube.UID) {
	p := h.shownCluster.store.Snapshot().Pod(uid)
	a := h.app(appOf(p.Name))
	if a == nil {
		return
	}
	r := h.state.Surges.Of(a.uid())
	if r == nil || slices.Contains([]surge.State{surge.Undone, surge.Refused, surge.Kept, surge.Left}, r.State) || !p.Ready || h.retried[uid] || slices.Contains(r.Tried, uid) {
		return
	}
	ready := 0
	for name, other := range h.shownCluster.pods {
		_, asked := h.evicted[other.UID]
		if staying(other) && kubetest.IsReady(other) && appOf(name) == a.name && !asked {
			ready++
		}
	}
	for id, other := range h.out {
		if sends[request.Evict](other) && id <= w.ID && appOf(sent[request.Evict](other).Name) == a.name {
			ready--
		}
	}
	if ready < int(a.wants) {
		t.Fatalf("#%d: %s is evicted though %s surges (%s) and wants %d Ready pods, which leaves %d", w.ID, p.Name,
			a.name, r.State, a.wants, ready)
	}
}

// judgeGuard judges an eviction that the server just accepted.
func (h *history) judgeGuard(w Write, p *corev1.Pod) {
	a := h.app(appOf(p.Name))
	if a == nil || h.state.Run.Options.Guard == "" || h.state.Run.Options.GuardWrite || a.wants < 2 || !kubetest.IsReady(p) ||
		len(h.truth.store.Snapshot().BudgetsOf(h.truth.store.Snapshot().Pod(p.UID))) > 0 {
		return
	}
	if !a.disturbed.IsZero() && !a.disturbed.Before(w.At.Add(-watchLag)) || h.retried[p.UID] {
		return
	}
	ready := 0
	for _, name := range h.podsOf(a) {
		if kubetest.IsReady(h.truth.pods[name]) && h.truth.pods[name].UID != p.UID {
			ready++
		}
	}
	away := 1
	if h.state.Run.Options.Guard == "50%" {
		away = (int(a.wants) + 1) / 2
	}
	if ready < int(a.wants)-away {
		h.wrong = append(h.wrong, "the guard of "+a.name+" is broken by the eviction of "+p.Name)
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
	for _, b := range h.state.Budgets {
		if h.truth.budgets[b.Name] != nil && b.State != tempbudget.Left {
			t.Errorf("temporary budget %s is %s, and stands", b.Name, b.State)
		}
	}
	for _, a := range h.apps {
		h.controlNow(a)
		if r := h.state.Surges.Of(a.uid()); r != nil && (r.State == surge.Left || r.State == surge.Kept) {
			continue // which is reported
		}
		if a.owned.replicas != a.wants || a.owned.mark != "" || a.set.mark != "" && a.kind == "Deployment" {
			t.Errorf("%s has %d replicas and wants %d, its marks are %q and %q", a.name, a.owned.replicas, a.wants, a.owned.mark, a.set.mark)
		}
		for _, name := range h.podsOf(a) {
			if cost := h.truth.pods[name].Annotations[kube.DeletionCostAnnotation]; cost != "" {
				t.Errorf("%s still has the deletion cost %s", name, cost)
			}
		}
	}
}
