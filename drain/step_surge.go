package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// surgeStep does what is decided about the surges of workloads.
type surgeStep struct{ *stepper }

func (st *stepper) surges() surgeStep { return surgeStep{st} }

// word is what the operator types before the first replica is added.
func (st surgeStep) word() string {
	return "surge " + words.Count(len(st.s.Surges), "workload", "workloads")
}

// confirmed goes on to the question about the evictions.
func (st surgeStep) confirmed() {
	st.emit(Event{Kind: EventPhase, Phase: PhaseSurge, PhaseStatus: PhaseDone})
	st.ask(PhaseEvict, st.evictWord())
}

// tend moves all surges on; end takes back what stands. It tells whether pods were left
// where they are, for that may end their node.
func (st surgeStep) tend(end bool) (left bool) {
	if len(st.s.Surges) == 0 || st.s.Down != nil && !st.s.Aborting {
		return false
	}
	moves := map[kube.UID][]*kube.Pod{} // by workload
	for _, p := range st.s.Pods {
		if live := st.snap.Pod(p.UID); !end && p.InFlight == 0 && st.moves(p) &&
			!st.untouchable(p) && live != nil && live.Ready {
			if r := st.waitsFor(p, live); r != nil {
				moves[r.UID] = append(moves[r.UID], live)
			}
		}
	}
	for i := range st.s.Surges {
		for st.tendOne(st.s.Surges[i], moves[st.s.Surges[i].UID], end) { // one decision may follow from another
		}
		r := st.s.Surges[i]
		for _, live := range moves[r.UID] {
			if p := st.s.Pod(live.UID); r.Leaves(st.s.Run.Options.SurgeFallback) && !p.State.Final() {
				st.setPod(p, eviction.Change{State: eviction.Skipped, Message: "left where it is: " + r.Message})
				left = true
			}
		}
	}
	return left
}

// tendOne does what is decided about a surge, and tells whether its state changed.
func (st surgeStep) tendOne(r *surge.Record, moves []*kube.Pod, end bool) bool {
	d := r.Decide(st.view(r, moves, end))
	st.wakeAt(d.Wake)
	for _, s := range d.Sends {
		facts, action := r.Facts, attempt.ActionFacts{Verb: s.Verb, Version: s.Version}
		e := Event{Namespace: r.Namespace, Surge: &facts, Cost: s.Cost, Action: &action}
		if s.Cost != nil {
			e.Pod, e.UID = s.Cost.Name, s.Cost.UID
		}
		st.send(Write{Verb: s.Verb, Surge: r.UID, Request: s.Request}, e)
	}
	if d.Change != nil {
		st.set(r, d.Change)
	}
	return d.Change != nil
}

func (st surgeStep) set(r *surge.Record, c *surge.Change) {
	facts := r.Facts
	st.emit(Event{Kind: EventSurge, Namespace: r.Namespace, Surge: &facts, SurgeChange: c, Message: c.Message})
}

// begin lets a workload surge, as a remedy that was confirmed.
func (st surgeStep) begin(f remedy.Facts) {
	facts := surge.Facts{Kind: f.Object, Namespace: f.Namespace, Name: f.Name, UID: f.UID, AtOnce: 1, Pods: 1}
	st.emit(Event{Kind: EventSurge, Namespace: f.Namespace, Surge: &facts,
		SurgeChange: &surge.Change{State: surge.Planned, Asked: true}})
	st.remedies().setRemedy(st.s.remedy(f.ID), remedy.Change{State: remedy.Done, Message: "it surges"})
}

// view is what is decided from about a surge.
func (st surgeStep) view(r *surge.Record, moves []*kube.Pod, end bool) surge.View {
	o := &st.s.Run.Options
	held := slices.ContainsFunc(r.Batch.Pods, func(m surge.Mover) bool {
		p := st.s.Pod(m.UID)
		return !end && st.moves(p) && st.untouchable(p)
	})
	return surge.View{
		Run: st.s.Run.ID, By: st.s.Run.User, Reason: o.Reason, Managed: o.SurgeManaged, Timeout: o.SurgeTimeout,
		Abort: st.s.Aborting, ByHand: st.s.Run.Target().Line(r.ByHand()),
		Snap: st.snap, Trusted: st.snap.Trusted(surge.Kinds...), End: end, Paused: held || st.s.Paused && !st.s.Aborting,
		Slots: max(1, o.MaxParallelEvictions) - st.s.Surges.InFlightCosts(), From: st.s.counted(st.s.acted), Now: st.now, Moves: moves,
		Wanted: func(uid kube.UID) bool { return st.moves(st.s.Pod(uid)) },
	}
}

// moves reports whether the pod is to leave its node now.
func (st surgeStep) moves(p *eviction.Record) bool {
	if p == nil || p.State.Final() || p.Action != plan.ActionEvict {
		return false
	}
	return st.s.Node(p.Node).State == NodeDraining
}

// untouchable reports whether the Lease of the pod's node is not in hand at this moment.
func (st surgeStep) untouchable(p *eviction.Record) bool {
	return !st.leases().mayTouch(st.s.Node(p.Node))
}

// waitsFor is the surge that is for the pod, nil where there is none: the pod has been in a
// batch that is over, or goes after all others.
func (st surgeStep) waitsFor(p *eviction.Record, live *kube.Pod) *surge.Record {
	if p.Self || p.Action != plan.ActionEvict {
		return nil
	}
	return st.s.Surges.For(st.snap, live, st.s.Run.Options.SurgeFallback)
}

// holds reports whether the pod is not evicted now, because its replacement comes first,
// and notes that. A pod that is not Ready waits for nothing: it is evicted as usual.
func (st surgeStep) holds(p *eviction.Record) bool {
	live := st.snap.Pod(p.UID)
	if live == nil || live.Terminating() || p.State == eviction.Terminating {
		return false
	}
	r := st.waitsFor(p, live)
	switch {
	case r == nil, !live.Ready && !r.Batch.Has(p.UID), r.State.Ended():
		return false
	}
	if st.pairs == nil {
		st.pairs = surge.Pairs{}
	}
	wait := st.pairs.Wait(r, st.snap, p.UID)
	st.setPod(p, eviction.Change{State: eviction.Surging, Wait: wait})
	return true
}

// onAnswer notes what came back for a request of a surge.
func (st surgeStep) onAnswer(w Write, a kube.Answer, e Event) {
	r := st.s.Surges.Of(w.Surge)
	if r == nil {
		return
	}
	facts := r.Facts
	e.Namespace, e.Surge = r.Namespace, &facts
	if cost, of := w.Request.(request.SetCost); of {
		e.Pod, e.UID = cost.Name, cost.UID
		st.emit(e)
		return
	}
	class := st.classOf(a)
	st.emit(e)
	r = st.s.Surges.Of(w.Surge)
	if c := r.After(w.Verb, a, class, st.s.Run.Target().Line(r.ByHand())); c != nil {
		st.set(r, c)
	}
}

// stand reports whether a surge is still to be taken back before the run may end.
func (st surgeStep) stand() bool { return slices.ContainsFunc(st.s.Surges, (*surge.Record).Stands) }

// applySurge is the fold of a surge's state.
func (s folding) applySurge(e Event) {
	if s.Surges.Of(e.Surge.UID) == nil {
		s.Surges = append(s.Surges, &surge.Record{Facts: *e.Surge, State: surge.Planned, Since: e.Time})
	}
	s.editSurge(e.Surge, func(r *surge.Record) { r.Become(*e.SurgeChange, e.Time) })
}

func (s *State) editSurge(f *surge.Facts, change func(r *surge.Record)) {
	editRecord(s.Surges, func(r *surge.Record) bool { return r.UID == f.UID }, change)
}
