package roll

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// View is what a roll sees.
type View struct {
	Snap *kube.Snapshot
	Now  time.Time
	// Drain is the run of the batch that is under way, nil while this process does not have it.
	Drain *drain.State
	// Left says of each node with a Command that was cut off whether that still runs.
	Left   map[string]process.Seen
	Leases Leases // as the last Output left them
}

// Output is what Next decides.
type Output struct {
	State   *State
	Events  []Event
	Actions []Action
	Leases  Leases
	Wake    time.Time // when to decide again if nothing changes, zero for never
}

// Action is something that the roll wants: a Drain, a RunHook, an Uncordon or a WriteLease.
type Action interface{ action() }

// Drain wants the run of that id carried out on the nodes: begun, or resumed where it has a journal. It
// is wanted in each Output until View has the run, or a DrainFailed tells why there is none.
type Drain struct {
	Run   string
	Nodes []string
	// Ends tells that the roll is being aborted: the run is resumed to end it, and never begun.
	Ends bool
}

// RunHook wants a command run for a node, once.
type RunHook struct {
	Node    string
	Hook    Hook
	Command string
}

// Uncordon wants a request sent. It is wanted in each Output until View shows it done.
type Uncordon struct {
	Node    string
	Request request.Request
}

func (Drain) action()    {}
func (RunHook) action()  {}
func (Uncordon) action() {}

// Next is what a roll does next, with what happened since: the next State, the events that led to it and
// what is to be carried out. The state that it is given is not changed.
func Next(s *State, in []Input, v View) Output {
	st := &stepper{s: Fold(s), v: v, leases: v.Leases}
	for _, i := range in {
		st.take(i)
	}
	for before := uint64(0); before != st.s.Seq; { // until nothing follows from what followed
		before, st.wanted = st.s.Seq, nil
		st.step()
	}
	return Output{State: st.s, Events: st.events, Actions: append(st.once, st.wanted...), Leases: st.leases,
		Wake: st.wake}
}

type stepper struct {
	s      *State // of this step alone
	v      View
	leases Leases
	events []Event
	once   []Action
	wanted []Action
	wake   time.Time
}

func (st *stepper) emit(e Event) {
	e.Seq, e.Time = st.s.Seq+1, st.v.Now
	st.s.apply(&e)
	st.events = append(st.events, e)
}

func (st *stepper) wakeAt(at time.Time) {
	if !at.IsZero() && (st.wake.IsZero() || at.Before(st.wake)) {
		st.wake = at
	}
}

func (st *stepper) step() {
	st.tendLeases()
	switch s := st.s; {
	case s.Outcome != "" || s.Suspended:
	case st.run() != nil && st.run().Suspended: // as on a hangup, or by whoever steers that run
		st.emit(Event{Kind: EventControl, Command: drain.CommandSuspend, By: s.Facts.Run.User,
			Message: "its run " + s.Run + " was suspended"})
	case s.Aborting:
		st.readDrain() // what the run of the batch has made for the drain is removed at its end
		if !st.busy() {
			st.emit(Event{Kind: EventRollEnded, Outcome: drain.OutcomeAborted, Message: s.Message})
		}
	case s.Under:
		st.batch()
	default:
		st.between()
	}
}

// busy reports whether something of the roll is still on its way to its end.
func (st *stepper) busy() bool {
	return st.s.Run != "" && !st.s.drainOver || st.leaseStands() ||
		slices.ContainsFunc(st.s.Nodes, func(n Node) bool { return n.Running() != "" })
}

// between is the time without a batch: the next one begins, or the roll ends.
func (st *stepper) between() {
	s := st.s
	failed, last := s.Count(Failed), s.Batch == len(s.Facts.Batches)-1
	switch {
	case failed > s.Facts.Options.MaxFailed:
		text := format.Count(failed, "node") + " failed"
		if waiting := s.Count(Waiting); waiting > 0 {
			text += ": " + format.Plural(waiting, "node is", "nodes are") + " left as before"
		}
		st.emit(Event{Kind: EventRollEnded, Outcome: drain.OutcomePartly, Message: text})
	case s.Batch < 0 && !s.measured && !st.measure(allNodes(s)):
	case !last && s.Gate == nil && !st.mayBegin(): // judging the gate for nothing is dear in a large cluster
	case s.Batch >= 0 && !st.gateOpen():
	case last && failed > 0:
		st.emit(Event{Kind: EventRollEnded, Outcome: drain.OutcomePartly, Message: format.Plural(failed, "node",
			"nodes") + " failed"})
	case last && s.left:
		st.emit(Event{Kind: EventRollEnded, Outcome: drain.OutcomePartly,
			Message: "all nodes are done, and a run left something in the cluster"})
	case last:
		st.emit(Event{Kind: EventRollEnded, Outcome: drain.OutcomeDone})
	case !st.mayBegin() || !st.measure(s.Facts.Batches[s.Batch+1].Nodes):
	default:
		st.begin()
	}
}

func (st *stepper) begin() {
	next := st.s.Batch + 1
	nodes := st.s.Facts.Batches[next].Nodes
	st.emit(Event{Kind: EventBatchStarted, Batch: next + 1, Nodes: nodes})
	for _, n := range st.s.inBatch() {
		st.become(n, n.State, "")
	}
}

// mayBegin reports whether the roll is not paused, the pause between batches over and the window open.
func (st *stepper) mayBegin() bool {
	if st.s.Paused {
		return false
	}
	o, wait := st.s.Facts.Options, Wait{}
	if pause := time.Duration(o.PauseBetween); st.s.Batch >= 0 && st.v.Now.Before(st.s.batchEnded.Add(pause)) {
		wait = Wait{Kind: WaitPauseBetween, Until: st.s.batchEnded.Add(pause)}
	} else if w, err := parseWindow(o.Window); err != nil { // as on a machine that does not know its time zone
		wait = Wait{Kind: WaitWindow, Message: err.Error()}
	} else if opens := w.opens(st.v.Now); opens.After(st.v.Now) {
		wait = Wait{Kind: WaitWindow, Until: opens}
	}
	st.wakeAt(wait.Until)
	if now := st.s.Wait; now == nil && wait.Kind != "" || now != nil && (now.Kind != wait.Kind ||
		!now.Until.Equal(wait.Until) || now.Message != wait.Message) {
		st.emit(Event{Kind: EventWait, Wait: wait.Kind, Until: wait.Until, Message: wait.Message})
	}
	return wait.Kind == ""
}

func allNodes(s *State) (names []string) {
	for i := range s.Nodes {
		names = append(names, s.Nodes[i].Name)
	}
	return names
}

func (v View) health() replacement.View {
	return replacement.View{Snap: v.Snap, Now: v.Now, Ours: func(kube.UID) bool { return false }}
}

// measure notes how the workloads with pods on the nodes are, those that are known already left as they
// were. It is false while they cannot be counted.
func (st *stepper) measure(nodes []string) bool {
	var of []replacement.Controlled
	for _, name := range nodes {
		if !st.v.Snap.On(name).Trusted(kube.KindNodes, kube.KindPods) {
			return false
		}
		for _, p := range st.v.Snap.PodsOn(name) {
			if p.Owner == nil {
				continue
			}
			if !st.v.health().Readable(p.Namespace, p.Owner) {
				return false
			}
			of = append(of, replacement.Controlled{Namespace: p.Namespace, Owner: p.Owner})
		}
	}
	if all := st.s.Baseline.With(st.v.health().Measure(of)); !st.s.measured || len(all) > len(st.s.Baseline) {
		st.emit(Event{Kind: EventBaseline, Baseline: all})
	}
	return true
}

// gateOpen reports whether no more workloads are worse than before the roll than may be.
func (st *stepper) gateOpen() bool {
	if !st.v.health().Counts(st.s.Baseline) {
		return false
	}
	worse, wake := st.s.Baseline.Worse(st.v.health(), nil)
	st.wakeAt(wake)
	next, tell, wake := st.s.Gate.Decide(worse, st.s.Facts.Options.MaxUnhealthy, st.v.Now)
	st.wakeAt(wake)
	if tell {
		e := Event{Kind: EventGate, Gate: &next}
		if next.Closed {
			e.Message = next.Sentence()
		}
		st.emit(e)
	}
	return !next.Closed
}
