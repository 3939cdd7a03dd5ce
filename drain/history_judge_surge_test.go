package drain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// judgeTurn judges that a pod for which a workload is raised may leave by then: the removal that follows from the
// raise keeps to the order of the run as an eviction does.
func (h *history) judgeTurn(t *rapid.T, was *State, events []Event, uid kube.UID) {
	p := h.state.Pod(uid)
	if toCompletion(p) {
		t.Fatalf("a replacement is started for %s, which is to run to its end", uid)
	}
	for _, other := range h.state.Pods {
		before := was.Pod(other.UID)
		if other == p || before == nil || other.State.Final() || other.Self {
			continue
		}
		if other.Node == p.Node && other.Order < p.Order && !goesLast(other) {
			t.Fatalf("a replacement is started for %s, and %s of a lower order is still there", uid, other.UID)
		}
		blocked := slices.ContainsFunc(events, func(e Event) bool { // and free again in the same look
			return e.UID == other.UID && e.PodState.Blocked()
		})
		switch ahead := !blocked && h.mayGo(was, before) && h.mayGo(h.state, other); {
		case !ahead:
		case other.Node == p.Node && h.tier(other) < h.tier(p):
			t.Fatalf("a replacement is started for %s before the tier of %s is through", uid, other.UID)
		case p.PutLast && !other.PutLast && h.tier(other) == h.tier(p) && other.Node == p.Node:
			t.Fatalf("a replacement is started for %s, which is put last, and %s is still there", uid, other.UID)
		}
	}
}

// mayGo reports whether a pod keeps those waiting that come after it: nothing holds it but its turn.
func (h *history) mayGo(s *State, p *eviction.Record) bool {
	held := p.Wait != nil && (p.Wait.For == waits.ForTemporaryBudget || p.Wait.For == waits.ForOwners || p.Wait.For == waits.ForController)
	return !p.State.Final() && !p.State.Blocked() && p.State != eviction.StuckTerminating && !toCompletion(p) && !held &&
		p.Order <= h.lowestOn(s, p.Node)
}

// lowestOn is the lowest order of the pods that are to leave a node.
func (h *history) lowestOn(s *State, node string) int32 {
	lowest := int32(math.MaxInt32)
	for _, p := range s.Pods {
		if p.Node == node && !p.State.Final() && !goesLast(p) && !p.Self {
			lowest = min(lowest, p.Order)
		}
	}
	return lowest
}

func goesLast(p *eviction.Record) bool { return slices.ContainsFunc(p.Reasons, plan.Reason.GoesLast) }

func toCompletion(p *eviction.Record) bool {
	return slices.ContainsFunc(p.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonWaitForCompletion })
}

// tier is the place of a pod in the order of the run.
func (h *history) tier(p *eviction.Record) int {
	a := h.app(appOf(p.Name))
	switch {
	case goesLast(p):
		return 2
	case h.state.Run.Options.Order == plan.OrderTiers && a != nil && a.words == "critical":
		return 1
	}
	return 0
}

// judgeHolds notes what this look sees in the way of surges.
func (h *history) judgeHolds() {
	for _, a := range h.apps {
		w := h.store.Snapshot().Workload(a.uid())
		switch since := h.heldSince[a.name]; {
		case w == nil: // nothing is seen
		case !w.RollingOut && !readOthersMark(w.SurgeMark).raised():
			delete(h.heldSince, a.name)
		case since.IsZero():
			h.heldSince[a.name] = h.now
		}
	}
}

// judgeRefusal judges that what may pass is waited for, as long as for a replacement.
func (h *history) judgeRefusal(t *rapid.T, app, why string) {
	since, held := h.heldSince[app]
	passes := strings.Contains(why, "rollout") || strings.HasPrefix(why, "the controller of") || strings.HasPrefix(why, "run r9")
	within := h.state.Run.Options.SurgeTimeout
	if held && passes && (within == 0 || h.now.Sub(since) < within) {
		t.Fatalf("%s does not surge, as it is held for %s: %s", app, h.now.Sub(since), why)
	}
}

// judgeReplaced fails where the replicas of a batch are set back before each pod that is to leave has a Ready replacement
// in the watches. A replacement is a pod that was made after the batch began, or a surplus pod of the workload.
func (h *history) judgeReplaced(t *rapid.T, a *app, c *surge.Change) {
	var others, ready []kube.UID
	batch := h.state.Surges.Of(a.uid()).Batch
	for name, p := range h.shownCluster.pods {
		if uid := kube.UID(p.UID); active(p) && appOf(name) == a.name && !batch.Has(uid) {
			others = append(others, uid)
			if kubetest.IsReady(p) && (a.begun == nil || !slices.Contains(a.begun.others, uid)) {
				ready = append(ready, uid)
			}
		}
	}
	switch {
	case c.Batch != nil:
		a.begun = &begun{others, max(0, len(others)-int(batch.Was)+len(batch.Pods))}
	case c.State == surge.Lowering && !c.Late && c.Message == "":
		leave := 0
		for _, m := range batch.Pods {
			p, live := h.state.Pod(m.UID), h.shownCluster.store.Snapshot().Pod(m.UID)
			if live != nil && !live.Terminating() && !live.Finished() && !p.State.Final() && p.MaySurge() && h.state.Node(p.Node).State == NodeDraining {
				leave++
			}
		}
		if len(ready)+a.begun.spare < leave {
			t.Fatalf("%s is set back for %d pods, and %d replacements are Ready", a.name, leave, len(ready))
		}
	}
}

// judgeSurge judges the eviction of a pod whose workload surges, by what the watches show.
func (h *history) judgeSurge(t *rapid.T, w Write, uid kube.UID) {
	p := h.shownCluster.store.Snapshot().Pod(uid)
	a, o := h.app(appOf(p.Name)), &h.state.Run.Options
	if a == nil || !p.Ready || h.retried[uid] {
		return
	}
	r := h.state.Surges.Of(a.uid())
	if r == nil || r.State == surge.Refused && r.Batch.To == 0 || r.Late {
		return
	}
	tried := slices.Contains(r.Spent, uid)
	if !tried && slices.Contains([]surge.State{surge.Refused, surge.Kept, surge.Orphaned}, r.State) {
		tried = true
	}
	if tried && o.SurgeTimeout > 0 && h.now.Sub(r.Since) >= o.SurgeTimeout {
		return
	}
	shown, ready := h.shownCluster.apps[a.name], h.readyBut(a, w)
	wants := int(shown.wants)
	if tried { // for one after the other
		if ready >= int(max(shown.wants, shown.owned.replicas)) { // another run may have raised it
			t.Fatalf("#%d: %s is evicted while %s has %d Ready pods and wants %d: its controller is to remove one", w.ID, p.Name,
				a.name, ready+1, wants)
		}
		wants--
	}
	if ready < wants {
		t.Fatalf("#%d: %s is evicted though %s surges (%s) and wants %d Ready pods, which leaves %d", w.ID, p.Name,
			a.name, r.State, wants, ready)
	}
}

// judgeSurplus judges an eviction under the budget of all pods, by what the watches show.
func (h *history) judgeSurplus(t *rapid.T, w Write, uid kube.UID) {
	snap := h.shownCluster.store.Snapshot()
	b, p := h.shownCluster.budgets["shared"], snap.Pod(uid)
	refused := len(snap.BudgetsOf(p)) > 1 // by the server, whatever they allow
	if b == nil || !p.Ready || h.retried[uid] || h.shownCluster.hidden || refused {
		return
	}
	surplus := 0
	for _, a := range h.apps {
		r := h.state.Surges.Of(a.uid())
		if r != nil && slices.Contains([]surge.State{surge.Raising, surge.Starting, surge.Lowering, surge.Verifying}, r.State) {
			more := max(h.readyBut(a, w), h.countedBut(a, w, b)) - int(h.shownCluster.apps[a.name].wants)
			surplus += max(0, min(more, int(r.Batch.To-r.Batch.Was))) // an autoscaler that wants fewer removes the others
		}
	}
	if surplus > 0 && int(b.Status.DisruptionsAllowed) <= surplus {
		t.Fatalf("#%d: %s is evicted by a budget that allows %d, and %d pods are to be removed", w.ID, p.Name,
			b.Status.DisruptionsAllowed, surplus)
	}
}

// readyBut is how many Ready pods an app has, as the watches show it, without those that the run has evicted and
// those that it asks for up to a request.
func (h *history) readyBut(a *app, w Write) (ready int) {
	asked := h.askedUpTo(w)
	for name, p := range h.shownCluster.pods {
		if !asked[p.UID] && staying(p) && kubetest.IsReady(p) && appOf(name) == a.name {
			ready++
		}
	}
	return ready
}

// countedBut is readyBut as the status of a budget counts them, whose watch may be ahead.
func (h *history) countedBut(a *app, w Write, b *policyv1.PodDisruptionBudget) (ready int) {
	asked := h.askedUpTo(w)
	for pod := range strings.FieldsSeq(b.Annotations[countedPods]) {
		if name, uid, _ := strings.Cut(pod, "/"); !asked[kube.UID(uid)] && appOf(name) == a.name {
			ready++
		}
	}
	return ready
}

// askedUpTo are the pods that the run has evicted, or asks for up to a request.
func (h *history) askedUpTo(w Write) map[kube.UID]bool {
	asked := map[kube.UID]bool{}
	for uid := range h.evicted {
		asked[uid] = true
	}
	for id, other := range h.out {
		if sends[request.Evict](other) && id <= w.ID {
			asked[sent[request.Evict](other).UID] = true
		}
	}
	return asked
}

// judgeRemoval judges a pod that its controller removes, as the run has set the replicas back.
func (h *history) judgeRemoval(a *app, p *corev1.Pod) {
	madeJustBefore := !p.CreationTimestamp.Time.Before(a.raised.Add(-3 * time.Second)) // both times are in whole seconds: it may be a replacement
	if !a.lowered || madeJustBefore || !kubetest.IsReady(p) || p.Annotations[kube.DeletionCostAnnotation] != request.LowestDeletionCost {
		return
	}
	if r := h.state.Pod(p.UID); !a.noneShown && r != nil && r.State == eviction.Skipped && r.DeletedAt.IsZero() && r.Node == p.Spec.NodeName {
		h.wrong = append(h.wrong, fmt.Sprintf("%s is removed by the surge, though the run left it: %s", p.Name, r.Message))
	}
	if ready := h.serving(a) - 1; ready < min(int(a.wants), a.served) && a.disturbed.Before(a.raised) {
		h.wrong = append(h.wrong, fmt.Sprintf("the surge removes %s and leaves %d of %d Ready pods of %s", p.Name, ready, a.wants, a.name))
	}
}

// serving is how many Ready pods an app has.
func (h *history) serving(a *app) (ready int) {
	for _, name := range h.podsOf(a) {
		if kubetest.IsReady(h.truth.pods[name]) {
			ready++
		}
	}
	return ready
}
