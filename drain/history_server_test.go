package drain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// history is a run in a small cluster in which anything may happen at any time. What
// the API server knows is the truth; what the run sees of it comes later.
type history struct {
	*script
	truth    *shownCluster
	apps     []*app
	unseen   []occurrence
	requests []Write                // out, in the order of their numbers
	arrived  []Input                // at the next look
	evicted  map[kube.UID]time.Time // when an eviction was accepted
	retried  map[kube.UID]bool      // the operator wanted another try
	refused  map[kube.UID]time.Time // when the server's last word about a pod came, that its budget holds it
	wrong    []string               // what happened in the cluster that must not
	serial   int
	down     bool
	claims   map[string]string // where the volume of a claim is attached
	tears    bool              // the process ends in its next look
	lossless bool              // no answer gets lost, and none is an error
	// costsUnseen tells that the watches of the ReplicaSet controller show replicas before they show deletion costs.
	costsUnseen bool
	rolledBack  bool
	// heldSince is since when something is in the way of the surge of an app, or since when this process waits for it.
	heldSince map[string]time.Time
}

// occurrence is a change of the cluster, and when it was.
type occurrence struct {
	at       time.Time
	ofBudget bool // a watch of its own shows it, which may be ahead of the others
	change   func(c *shownCluster)
}

// watchLag is how much later than the truth the run sees it at most, while the server
// answers.
const watchLag = 300 * time.Millisecond

// happen changes the truth; the watches show it later.
func (h *history) happen(change func(c *shownCluster)) { h.happenTo(false, change) }

func (h *history) happenTo(budget bool, change func(c *shownCluster)) {
	h.truth.now = h.now
	change(h.truth)
	h.unseen = append(h.unseen, occurrence{h.now, budget, change})
}

// lines is happen for lines as in scripts.
func (h *history) lines(text string) {
	h.happenTo(strings.HasPrefix(text, "budget "), func(c *shownCluster) { c.change(text) })
}

// show lets the watches show the next so many occurrences.
func (h *history) showNext(n int) {
	h.show(h.unseen[:n])
	h.unseen = slices.Delete(h.unseen, 0, n)
}

func (h *history) show(some []occurrence) {
	now := h.now
	for _, one := range some {
		h.now = one.at
		one.change(h.shownCluster)
	}
	h.now = now
}

// showBudgets lets the watch of the budgets be ahead of the others.
func (h *history) showBudgets() {
	var budgets, others []occurrence
	for _, one := range h.unseen {
		if one.ofBudget {
			budgets = append(budgets, one)
		} else {
			others = append(others, one)
		}
	}
	h.show(budgets)
	h.unseen = others
}

// pass lets time pass; what is late by then is shown.
func (h *history) pass(d time.Duration) {
	h.now = h.now.Add(d)
	late := 0
	for !h.down && late < len(h.unseen) && h.now.Sub(h.unseen[late].at) >= watchLag {
		late++
	}
	h.showNext(late)
}

// sent takes note of the requests of a look.
func (h *history) sent(writes map[uint64]Write) {
	for id, w := range writes {
		if !slices.ContainsFunc(h.requests, func(r Write) bool { return r.ID == id }) {
			h.requests = append(h.requests, w)
		}
	}
	slices.SortFunc(h.requests, func(a, b Write) int { return cmp.Compare(a.ID, b.ID) })
}

// carryOut is the server at a request: what it does and what it answers.
func (h *history) carryOut(w Write) kube.Answer {
	switch {
	case sends[request.Evict](w):
		return h.evict(w)
	case sends[request.Delete](w):
		return h.delete(w)
	case sends[request.GetPod](w):
		p := h.truth.pods[sent[request.GetPod](w).Name]
		if p == nil {
			return h.answerOf("404", w)
		}
		a := h.answerOf("200", w)
		a.UID = p.UID
		return a
	case sends[request.Cordon](w):
		if n := h.truth.nodes[w.Node]; n == nil || n.UID != sent[request.Cordon](w).UID || n.ResourceVersion != sent[request.Cordon](w).ResourceVersion {
			return h.answerOf("409", w)
		}
	case sends[request.SetTaints](w):
		if n := h.truth.nodes[w.Node]; n == nil || n.ResourceVersion != sent[request.SetTaints](w).ResourceVersion {
			return h.answerOf("409", w)
		}
	case sends[request.WriteLease](w) || sends[request.DeleteLease](w):
		return h.lease(w)
	case sends[request.Scale](w) || sends[request.Raise](w) || sends[request.Lower](w) || sends[request.Restart](w):
		return h.scale(w)
	case sends[request.SetCost](w):
		return h.setCost(w)
	case sends[request.CreateBudget](w):
		if h.truth.budgets[sent[request.CreateBudget](w).Name] != nil {
			return kube.Answer{Code: 409, Reason: metav1.StatusReasonAlreadyExists, Message: "it exists already"}
		}
	case sends[request.BudgetRef](w):
		if h.truth.budgets[sent[request.BudgetRef](w).Name] == nil {
			return kube.Answer{Code: 404, Reason: metav1.StatusReasonNotFound, Message: `poddisruptionbudgets.policy "x" not found`}
		}
	case sends[request.GetBudget](w):
		if h.truth.budgets[sent[request.GetBudget](w).Name] == nil {
			return kube.Answer{Code: 404, Reason: metav1.StatusReasonNotFound, Message: `poddisruptionbudgets.policy "x" not found`}
		}
	}
	a := h.answerOf("200", w)
	a.UID = w.made()
	ofBudget := sends[request.CreateBudget](w) || sends[request.BudgetRef](w)
	h.happenTo(ofBudget, func(c *shownCluster) { c.show(w, a) })
	return a
}

func (h *history) answerOf(name string, w Write) kube.Answer {
	a, err := said(name, w)
	if err != nil {
		panic(err)
	}
	return a
}

// evict is the eviction handler, by the rules of Predict.
func (h *history) evict(w Write) kube.Answer {
	p := h.truth.pods[sent[request.Evict](w).Name]
	if p == nil {
		return h.answerOf("404", w)
	}
	snap := h.truth.store.Snapshot()
	live := snap.Pod(p.UID)
	budgets := snap.BudgetsOf(live)
	predicted := budget.Predict(live, budgets, sent[request.Evict](w).UID)
	switch {
	case predicted.Code == 500:
		return h.answerOf("500 several", w)
	case predicted.Cause == budget.CauseBudget:
		return h.answerOf("429 budget", w)
	case predicted.Cause == budget.CauseNotObserved || predicted.Cause == budget.CauseRaced:
		return h.answerOf("429 syncing", w)
	case predicted.Code == 403:
		return h.answerOf("403 negative", w)
	}
	if predicted.Way == budget.WaySpends {
		h.spend(budgets[0].Name, p.Name)
	}
	if p.UID != sent[request.Evict](w).UID {
		return h.answerOf("409", w)
	}
	h.evicted[p.UID] = h.now
	h.disturb(p.Name)
	h.terminate(p.Name)
	return h.answerOf("201", w)
}

// spend takes one disruption of a budget, as the handler writes it down.
func (h *history) spend(budget, pod string) {
	h.happenTo(true, func(c *shownCluster) {
		b := c.budgets[budget]
		if b == nil {
			return
		}
		b = b.DeepCopy()
		b.Status.DisruptionsAllowed--
		if b.Status.DisruptedPods == nil {
			b.Status.DisruptedPods = map[string]metav1.Time{}
		}
		b.Status.DisruptedPods[pod] = metav1.NewTime(c.now)
		b.ResourceVersion = c.nextBudgetVersion()
		c.budgets[budget] = b
		c.put(b)
	})
}

func (h *history) terminate(name string) {
	if h.truth.pods[name].DeletionTimestamp == nil {
		h.lines("pod " + name + " terminating")
	}
}

func (h *history) delete(w Write) kube.Answer {
	p := h.truth.pods[sent[request.Delete](w).Name]
	switch {
	case p == nil:
		return h.answerOf("404", w)
	case p.UID != sent[request.Delete](w).UID:
		return h.answerOf("409", w)
	}
	h.disturb(p.Name)
	h.terminate(p.Name)
	return h.answerOf("200", w)
}

// lease is the server at a write of a Lease, each of which names what it saw.
func (h *history) lease(w Write) kube.Answer {
	if r, deletes := w.Request.(request.DeleteLease); deletes {
		for _, n := range h.state.Nodes {
			live := h.truth.store.Snapshot().LeaseOf(n.UID)
			if live != nil && live.ResourceVersion == r.ResourceVersion {
				h.lines(fmt.Sprintf("lease %s of=%s gone", n.Name, n.UID))
				return h.answerOf("200", w)
			}
		}
		return h.answerOf("409", w)
	}
	r, version := sent[request.WriteLease](w), ""
	if live := h.truth.store.Snapshot().LeaseOf(r.NodeUID); live != nil {
		version = live.ResourceVersion
	}
	if r.ResourceVersion != version {
		return h.answerOf("409", w)
	}
	h.lines(fmt.Sprintf("lease %s of=%s holder=%s", w.Node, r.NodeUID, r.Run))
	a, live := h.answerOf("200", w), h.truth.store.Snapshot().LeaseOf(r.NodeUID)
	a.UID, a.ResourceVersion = live.UID, live.ResourceVersion
	return a
}

// controlBudget is the disruption controller's look at a budget, and at the pods as they are.
func (h *history) controlBudget(name string) {
	counted := h.truth.budgets[name].DeepCopy()
	h.truth.now = h.now
	h.truth.recount(counted)
	var pods []string
	for _, name := range alike(h.truth.pods, func(p *corev1.Pod) bool { return staying(p) && kubetest.IsReady(p) }) {
		pods = append(pods, name+"/"+string(h.truth.pods[name].UID))
	}
	counted.Annotations = map[string]string{countedPods: strings.Join(pods, " ")}
	h.happenTo(true, func(c *shownCluster) {
		b := c.budgets[name].DeepCopy()
		b.ResourceVersion, b.Status, b.Annotations = c.nextBudgetVersion(), counted.Status, counted.Annotations
		c.budgets[name] = b
		c.put(b)
	})
}

// countedPods are, on a budget, the Ready pods at the last look of the disruption controller.
const countedPods = "history/counted"

// recount gives a budget the figures of its pods.
func (c *shownCluster) recount(b *policyv1.PodDisruptionBudget) {
	c.count(b, edit{})
	if b.Labels != nil { // a temporary one, which allows one disruption
		b.Status.DesiredHealthy = b.Status.ExpectedPods - 1
		b.Status.DisruptionsAllowed = max(0, b.Status.CurrentHealthy-b.Status.DesiredHealthy)
	}
}

// alike are the names of a map in order, so that a draw among them means the same each time.
func alike[V any](all map[string]V, fits func(V) bool) (names []string) {
	for name, v := range all {
		if fits(v) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
