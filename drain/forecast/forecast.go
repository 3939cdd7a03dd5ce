package forecast

import (
	"cmp"
	"container/heap"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// forecastWork bounds a forecast: looks times pods, at most about 100 ms. Larger plans
	// are counted instead of played.
	forecastWork = 60_000
	// forecastGrain is how close in time two things of the model may be to be
	// dealt with together.
	forecastGrain = 500 * time.Millisecond
	// forecastIdle is how often the run may wake in the model with nothing of the
	// cluster left to happen before it is taken to wait for good.
	forecastIdle = 3
	// forecastTurns is the same while a node waits for the place of another, which
	// may be stuck only after a long grace period.
	forecastTurns = 200
)

// Of says how long a plan takes, and in which waves its pods go: it plays
// the plan with Step, the rules of the run itself, on a model of the cluster in
// which only budgets, owners and one start-up time per owner are left. Nothing
// in it becomes healthy that is unhealthy now. It is pure, and too slow for every frame: ask
// when the plan changes.
func Of(s *kube.Snapshot, plan plan.Plan, now time.Time) plan.Estimate {
	e := played(s, plan, now)
	e.Saved = saved(s, plan, e, now)
	least, of := bound(s, plan, now)
	e.LowerBound = least
	if of != nil && least > 0 {
		e.Longest, e.LongestGrace = of.Namespace+"/"+of.Name, of.Grace
	}
	if least > 0 && 2*least >= e.Total {
		e.Total = max(e.Total, least)
		e.Because = e.Longest + " may take " + format.Duration(least) + " to end"
		if of.Grace == least {
			e.Because = e.Longest + " has a grace period of " + format.Duration(of.Grace)
		}
	}
	return e
}

func played(s *kube.Snapshot, planned plan.Plan, now time.Time) plan.Estimate {
	pods := 0
	plan.EachMove(planned, func(*plan.Pod) { pods++ })
	if pods == 0 {
		return plan.Estimate{Because: "no pod moves"}
	}
	m := newModel(s, planned, now)
	for looks := 0; looks*pods < forecastWork; looks++ {
		if !m.look() {
			return m.estimate()
		}
	}
	return reckoned(s, planned)
}

// model is a cluster reduced to what a forecast needs, with its own time and the
// run that is played on it.
type model struct {
	s       *kube.Snapshot
	plan    plan.Plan
	store   *kube.Store
	began   time.Time
	now     time.Time
	state   *drain.State
	inputs  []drain.Input
	queue   happenings
	idle    int
	version int
	pods    map[kube.UID]*modelPod
	budgets map[kube.UID]*modelBudget
	guards  map[kube.UID]*modelGuard   // by workload
	starts  map[kube.UID]time.Duration // by owner
	going   map[string]int             // by node: pods that are on their way out
	stirred bool                       // something happened that the run may act on
	last    *modelPod                  // the last that left
	left    time.Duration              // when
	spans   map[string]*plan.NodeSpan  // by node that a pod was asked to leave
}

// modelPod is a pod of the plan.
type modelPod struct {
	plan    *plan.Pod
	live    *kube.Pod
	budget  *modelBudget // nil where it is counted under none
	guard   *modelGuard  // nil where the run's own guard does not count it
	wave    int
	evicted bool
	back    bool // another one serves in its place
	// detaches tells that volumes of it are attached to its node until some time after its end.
	detaches bool
}

// modelBudget is a budget, and how many of its pods serve.
type modelBudget struct {
	record  *kube.Budget
	healthy int32
	back    int // the latest wave of which a pod has been made up for
}

// happening is something that the cluster does by itself.
type happening struct {
	at time.Time
	n  int // in which order they were noted
	do func()
}

type happenings []happening

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, k int) bool {
	return cmp.Or(h[i].at.Compare(h[k].at), cmp.Compare(h[i].n, h[k].n)) < 0
}
func (h happenings) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *happenings) Push(x any)   { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (m *model) later(after time.Duration, do func()) {
	m.version++
	heap.Push(&m.queue, happening{m.now.Add(max(after, 0)), m.version, do})
}

// look is one Step and what follows from it; it returns false when the run has
// ended or nothing more happens.
func (m *model) look() bool {
	out := drain.Simulate(m.state, m.store.Snapshot(), m.inputs, m.now)
	m.inputs = nil
	for _, w := range out.Writes {
		m.inputs = append(m.inputs, drain.Answered{Write: w, Answer: m.perform(w)})
	}
	if q := m.state.Question; q != nil {
		m.inputs = append(m.inputs, drain.Confirm{Phase: q.Phase, Word: q.Word, By: "forecast"})
	}
	switch {
	case m.state.Outcome != "":
		return false
	case len(m.inputs) > 0:
		return true
	}
	place := m.state.PlaceFrees(m.now)
	switch {
	case len(m.queue) > 0 && (place.IsZero() || !m.queue[0].at.After(place)):
		m.idle = 0
		for m.stirred = false; len(m.queue) > 0 && !m.stirred && (place.IsZero() || !m.queue[0].at.After(place)); {
			m.happen()
		}
		return true
	case !place.IsZero():
		m.now = place
		return true
	case out.Wake.IsZero(), m.idle >= forecastIdle && (!m.state.PlacesAwaited() || m.idle >= forecastTurns):
		return false
	}
	m.idle++
	m.now = out.Wake
	return true
}

// happen lets the next things happen, and those that come right after.
func (m *model) happen() {
	m.now = m.queue[0].at
	until := m.now.Add(forecastGrain)
	for len(m.queue) > 0 && !m.queue[0].at.After(until) {
		next := heap.Pop(&m.queue).(happening)
		m.now = next.at
		next.do()
	}
}

func (m *model) estimate() plan.Estimate {
	e := plan.Estimate{Total: m.left, Because: "no pod can be evicted as the cluster is", Wave: map[kube.UID]int{},
		Holds: m.holds()}
	plan.EachMove(m.plan, func(plan *plan.Pod) {
		if p := m.pods[plan.UID]; p == nil || p.wave == 0 {
			e.Held++
		} else {
			e.Count(p.wave)
			e.Wave[plan.UID] = p.wave
		}
	})
	for _, n := range m.plan.Nodes {
		if span := m.spans[n.Name]; span != nil && span.Until > 0 { // zero where no pod ends: its kubelet is silent
			e.Nodes = append(e.Nodes, *span)
		}
	}
	switch p := m.last; {
	case p == nil && m.state.Outcome == drain.OutcomeRefused:
		e.Because = "no node can be drained with this plan"
	case p == nil:
	case p.wave > 1 && p.live.Owner != nil && (p.budget != nil || p.guard != nil):
		of := "budget "
		if p.budget != nil {
			of += p.budget.record.Name
		} else {
			of = "the temporary budget for " + p.guard.of
		}
		e.Because = fmt.Sprintf("wave %d of %s: its pods take about %s to be Ready", p.wave, of,
			format.Duration(m.startsIn(p.live.Owner)))
	default:
		e.Because = fmt.Sprintf("%s/%s needs about %s to end", p.plan.Namespace, p.plan.Name,
			format.Duration(endsIn(p.plan.Grace)))
		if p.detaches {
			e.Because += ", its volumes " + format.Duration(detachTakes) + " to be detached"
		}
	}
	return e
}
