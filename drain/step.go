package drain

import (
	"cmp"
	"math"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Output is what Step decides.
type Output struct {
	// State is the next state: the fold of Events on the one before, or that one itself where nothing happened.
	State  *State
	Events []Event
	// Writes are to be sent now, after Events are in the journal.
	Writes []Write
	// Sync tells that the journal must be on the disk before Writes are sent: a rollback must find one of them in it.
	Sync bool
	// Wake is when to look again if nothing changes before; zero is never.
	Wake time.Time
	// Refused says, by ID, why a Control changed nothing. Each other Control with an ID has an event that carries it.
	Refused map[uint64]error
}

// Step decides what a run does next. It is pure: its output follows from the state,
// what the cluster looks like, what came in and what time it is.
//
// A write is released only when a slot is free for it, and its intent is among
// the events; so a pause, an abort or a lost connection acts at once.
func Step(s *State, snap *kube.Snapshot, in []Input, now time.Time) Output {
	st := &stepper{s: s, snap: snap, now: now, pairs: surge.Pairs{}}
	return st.step(in)
}

// Simulate is Step on a state that no one else has, made by Simulated: it is changed in place,
// and the events are not kept.
func Simulate(s *State, snap *kube.Snapshot, in []Input, now time.Time) Output {
	st := &stepper{s: s, snap: snap, now: now, own: true, silent: true, pairs: surge.Pairs{}}
	return st.step(in)
}

func (st *stepper) step(in []Input) Output {
	for _, input := range in {
		st.inputs().take(input)
	}
	st.watchConnection()
	st.phases().run()
	st.wakeAt(st.view.Wake)
	st.out.State = st.s
	return st.out
}

// stepper is one Step at work: the state as it is after the events so far.
type stepper struct {
	s       *State
	snap    *kube.Snapshot
	now     time.Time
	own     bool // the state may be changed: it is a clone, or not shared
	silent  bool // events are folded and not kept
	out     Output
	view    eviction.View
	taken   map[kube.UID]bool // pods that have replaced one of the run
	pairs   surge.Pairs
	surplus *surge.Surplus // nil before it is asked for
	kept    int            // slots that chains of pods under a budget keep to themselves
}

// pods is what is decided from about the pods, as the state is now.
func (st *stepper) pods() *eviction.View {
	v, s := &st.view, st.s
	v.Snap, v.Now, v.Options, v.Limits = st.snap, st.now, &s.Run.Options, s.limits
	v.Pods, v.Assumed, v.Tried, v.Acted = s.Pods, s.Assumed, s.tried, s.acted
	return v
}

// podsOn is what is decided from about the pods of a node together.
func (st *stepper) podsOn(node string) eviction.OnNode {
	return eviction.OnNode{View: st.pods(), Own: st.s.podsOn(node)}
}

// emit appends an event and folds it, so that later rules see what earlier ones decided.
func (st *stepper) emit(e Event) {
	if !st.own {
		st.s, st.own = st.s.clone(), true
	}
	e.Seq, e.Time = st.s.Seq, st.now
	if !e.passing {
		e.Seq++
	}
	folding{st.s}.apply(e)
	if !st.silent {
		st.out.Events = append(st.out.Events, e)
	}
}

// past reports whether that moment has come; if not, it is a moment to look.
func (st *stepper) past(due time.Time) bool {
	st.wakeAt(due)
	return !st.now.Before(due)
}

// wakeAt asks for a look at that moment at the latest.
func (st *stepper) wakeAt(t time.Time) {
	if !t.IsZero() && t.After(st.now) && (st.out.Wake.IsZero() || t.Before(st.out.Wake)) {
		st.out.Wake = t
	}
}

// watchConnection notes when the API server goes away and comes back.
func (st *stepper) watchConnection() {
	health := st.snap.Health()
	switch {
	case !health.Live && st.s.Down == nil:
		st.emit(Event{Kind: EventConnection, Message: cmp.Or(health.Reason, "no answer")})
	case health.Live && st.s.Down != nil:
		st.emit(Event{Kind: EventConnection})
	}
}

// setNode notes the state of a node. One that ends while it is being cordoned is
// checked once more: what the run did must be known to be undone.
func (st *stepper) setNode(n *NodeRun, state NodeState, message string) {
	if node := st.snap.Node(n.Name); state.Final() && n.State == NodeCordoning && node != nil && node.UID == n.UID &&
		node.Unschedulable && annotation.Foreign(node, st.s.Run.ID) == "" {
		st.setNode(n, NodeCordoned, "")
	}
	e := Event{Kind: EventNode, Node: n.Name, NodeState: state, Message: message,
		CordonGone: state.Final() && st.cordonGone(n)}
	if state == NodeCordoned {
		e.ServerTime = st.snap.ServerTime(st.now)
	}
	st.emit(e)
}

// setPod notes a pod's state and what it waits for, if that is worth an event.
func (st *stepper) setPod(p *eviction.Record, c eviction.Change) {
	if st.pods().Tell(p, &c) {
		st.tellPod(p, c)
	}
}

// tellPod notes a pod's state and what it waits for.
func (st *stepper) tellPod(p *eviction.Record, c eviction.Change) {
	if live := st.snap.Pod(p.UID); live != nil {
		c.DeletedAt = live.Deleted
	}
	st.emit(Event{
		Kind: EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, PodState: c.State, Wait: c.Wait,
		Message: c.Message, DeletedAt: c.DeletedAt, Forced: c.Forced, passing: c.Passing,
	})
}

// endRun ends the run. What pods wait for then is in its journal, as it is now.
func (st *stepper) endRun(outcome Outcome, message string) {
	for _, p := range st.s.Pods {
		if p.Unwritten() {
			st.tellPod(p, eviction.Change{State: p.State, Wait: p.Wait})
		}
	}
	st.emit(Event{Kind: EventRunEnded, Outcome: outcome, Message: message})
}

// waits reports whether nothing is to be sent now: an answer is out, or a pause is not over.
func (st *stepper) waits(a attempt.Attempt) bool {
	st.wakeAt(a.Next)
	return a.Waits(st.now)
}

// rightsRetry is the pause before a missing right is asked for again.
const rightsRetry = 2 * time.Second

// stillStarting reports whether the answer refuses a right, and may only do so because the API server is not ready yet.
func (st *stepper) stillStarting(a kube.Answer) bool {
	return !st.s.unwell.IsZero() && attempt.RefusedAtStart(a, st.s.unwell, st.now)
}

// classOf is the class of an answer in this run. A right that may be missing only
// because the API server is starting is asked for again.
func (st *stepper) classOf(a kube.Answer) kube.AnswerClass {
	if st.stillStarting(a) {
		return kube.AnswerTransient
	}
	return a.Class()
}

// Simulated is the state of a run that is only simulated: its server answers at once and its events are not read.
func Simulated(plan plan.Plan, now time.Time) *State {
	first := StartEvent(plan, RunFacts{ID: "forecast", Context: "forecast"})
	first.Seq, first.Time = 1, now
	s := Fold(nil, first)
	s.limits = eviction.Limits{PerBudget: math.MaxInt, FiguresEvery: -1}
	return s
}
