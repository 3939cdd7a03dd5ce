package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/order"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// surgeStep does what is decided about the surges of workloads.
type surgeStep struct{ *stepper }

func (st *stepper) surges() surgeStep { return surgeStep{st} }

// confirmed goes on to the question about the evictions.
func (st surgeStep) confirmed() {
	st.emit(Event{Kind: EventPhase, Phase: PhaseSurge, PhaseStatus: PhaseDone})
	st.ask(PhaseEvict, st.evictWord())
}

// tend acts on what is decided about all surges; with end, they are set back. It reports whether to call it again.
func (st surgeStep) tend(end bool) (changed bool) {
	if len(st.s.Surges) == 0 || st.s.Down != nil && !st.s.Aborting {
		return false
	}
	turn, ahead := map[kube.UID][]*kube.Pod{}, false // by surge: those whose turn has come
	if !end {
		st.releasing().inOrder(func(c order.Candidate, p *eviction.Record, what waits.For) {
			live := st.snap.Pod(p.UID)
			// A pod put last waits for all others, except those of a later order, which wait for it.
			ahead = ahead || !c.Last && !c.Later && p.HoldsNextTier()
			if what != "" || c.Later || c.Last && ahead || p.State.Final() || p.InFlight != 0 {
				return
			}
			if r, _ := st.of(p, live); r != nil && live.Ready {
				turn[r.UID] = append(turn[r.UID], live)
			}
		})
	}
	for i := range st.s.Surges {
		of := st.s.Surges[i].UID
		for st.tendOne(st.s.Surges[i], surge.Owned(st.snap, turn[of], of), end) { // one may follow from another
			changed = true
		}
		r := st.s.Surges[i]
		for _, live := range turn[of] {
			hold, wake := r.Hold(st.view(r, nil, end), live)
			if st.wakeAt(wake); hold == surge.Stays {
				left := eviction.Change{State: eviction.Skipped, Message: "left where it is: " + r.Message}
				st.setPod(st.s.Pod(live.UID), left)
				changed = true
			}
		}
	}
	return changed
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
		return p != nil && (!end && st.moves(p) && !st.leases().mayTouch(st.s.Node(p.Node)) || st.justLost(p.Node))
	})
	return surge.View{
		Run: st.s.Run.ID, By: st.s.Run.User, Reason: o.Reason, Managed: o.SurgeManaged, Timeout: o.SurgeTimeout,
		Then: o.SurgeFallback, Abort: st.s.Aborting, ByHand: st.s.Run.Target().Line(r.ByHand()...),
		Snap: st.snap, Trusted: st.snap.Trusted(surge.Kinds...), End: end, Paused: held || st.s.Paused && !st.s.Aborting,
		Slots: max(1, o.MaxParallelEvictions) - st.s.Surges.InFlightCosts(), From: st.s.counted(st.s.acted), Now: st.now, Moves: moves,
		Wanted: func(uid kube.UID) bool { return st.moves(st.s.Pod(uid)) },
		Stays: func(live *kube.Pod) bool {
			p := st.s.Pod(live.UID)
			return p != nil && (p.State == eviction.Skipped || st.s.Node(p.Node).State == NodeStopped)
		},
		Asked: func(uid kube.UID) time.Time { return st.s.Pod(uid).Asked() },
	}
}

// lostShows is how long the watches may take to show what the run did that has taken a node over.
const lostShows = 2 * time.Second

// justLost reports whether another run has taken the node over a moment ago: a deletion cost that looks like ours may
// be that run's.
func (st surgeStep) justLost(node string) bool {
	n := st.s.Node(node)
	if n.TakenOverBy() == "" || !st.now.Before(n.Lease.Since.Add(lostShows)) {
		return false
	}
	st.wakeAt(n.Lease.Since.Add(lostShows))
	return true
}

// moves reports whether the pod is to leave its node now.
func (st surgeStep) moves(p *eviction.Record) bool {
	return p != nil && !p.State.Final() && p.MaySurge() && st.s.Node(p.Node).State == NodeDraining
}

// of is the surge of the pod's workload, nil where it takes part in none; known is false while that is not known.
func (st surgeStep) of(p *eviction.Record, live *kube.Pod) (r *surge.Record, known bool) {
	if live == nil || live.Terminating() || !p.MaySurge() {
		return nil, true
	}
	return st.s.Surges.For(st.snap, live, p.Surges)
}

// holds reports whether the pod is not evicted now, because its replacement comes first or a surge is to remove pods
// that its budget counts, and notes that.
func (st surgeStep) holds(p *eviction.Record) bool {
	live := st.snap.Pod(p.UID)
	r, known := st.of(p, live)
	if live == nil || p.State.Ends() || p.Look { // a look evicts nothing
		return false
	}
	free := r == nil && known
	if r != nil {
		hold, _ := r.Hold(st.view(r, nil, false), live)
		free = hold == surge.Free
	}
	if free {
		if st.surplus == nil {
			st.surplus = st.s.Surges.Surplus(surge.View{Run: st.s.Run.ID, Timeout: st.s.Run.Options.SurgeTimeout,
				Snap: st.snap, From: st.s.counted(st.s.acted), Now: st.now,
				Out: func(b *kube.Budget, uid kube.UID) bool {
					of := st.s.Pod(uid)
					goes := of != nil && (of.State.Ends() || of.State.Left())
					return goes && !st.pods().Account(b).Assumes(uid)
				}})
		}
		left := func(b *kube.Budget) int { return st.pods().Account(b).FreeFor(p.UID) }
		until := st.surplus.Holds(st.snap, live, left)
		if until == nil || p.Action != plan.ActionEvict {
			return false
		}
		st.wakeAt(*until)
		st.releasing().follow(p, st.pods().WaitFor(p, waits.ForSurplus))
		return true
	}
	st.setPod(p, eviction.Change{State: eviction.Surging, Wait: st.pairs.Wait(r, st.snap, st.now, p.UID)})
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
	}
	class := st.classOf(a)
	st.emit(e)
	r = st.s.Surges.Of(w.Surge)
	if c := r.After(w.Verb, a, class, st.s.Run.Target().Line(r.ByHand()...)); c != nil {
		st.set(r, c)
	}
}

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
