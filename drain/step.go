package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Output is what Step decides.
type Output struct {
	// State is the next state: the fold of Events on the one before, or that one
	// itself where nothing happened.
	State  *State
	Events []Event
	// Writes are to be sent now, after Events are in the journal.
	Writes []Write
	// Sync tells that the journal must be on the disk before Writes are sent: a
	// rollback must find one of them in it.
	Sync bool
	// Wake is when to look again if nothing changes before; zero is never.
	Wake time.Time
	// Refused says, by ID, why a Control changed nothing. Each other Control with an
	// ID has an event that carries it.
	Refused map[uint64]error
}

// Step decides what a run does next. It is pure: its output follows from the state,
// what the cluster looks like, what came in and what time it is.
//
// A write is released only when a slot is free for it, and its intent is among
// the events; so a pause, an abort or a lost connection acts at once.
func Step(s *State, snap *kube.Snapshot, in []Input, now time.Time) Output {
	st := &stepper{s: s, snap: snap, now: now}
	return st.step(in)
}

// Simulate is Step on a state of nobody else, made by simulated: it is changed in place.
func Simulate(s *State, snap *kube.Snapshot, in []Input, now time.Time) Output {
	st := &stepper{s: s, snap: snap, now: now, own: true}
	return st.step(in)
}

func (st *stepper) step(in []Input) Output {
	for _, input := range in {
		st.take(input)
	}
	st.watchConnection()
	st.tendLeases()
	st.run()
	st.out.State = st.s
	return st.out
}

// stepper is one Step at work: the state as it is after the events so far.
type stepper struct {
	s     *State
	snap  *kube.Snapshot
	now   time.Time
	own   bool // the state may be changed: it is a clone, or nobody else's
	out   Output
	books books
}

// emit appends an event and folds it, so that later rules see what earlier ones
// decided.
func (st *stepper) emit(e Event) {
	if !st.own {
		st.s, st.own = st.s.clone(), true
	}
	e.Seq, e.Time = st.s.Seq, st.now
	if !e.passing {
		e.Seq++
	}
	st.s.apply(e)
	st.out.Events = append(st.out.Events, e)
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
		why := health.Reason
		if why == "" {
			why = "no answer"
		}
		st.emit(Event{Kind: EventConnection, Message: why})
	case health.Live && st.s.Down != nil:
		st.emit(Event{Kind: EventConnection})
	}
}

// run moves the run on through its phases as far as it can go now.
func (st *stepper) run() {
	for st.s.Outcome == "" {
		before := st.s.Phase
		beforeStatus := st.s.Phases[before]
		if st.s.Suspended {
			st.follow()
			return // nothing is sent, and nothing is ended
		}
		if st.s.Aborting {
			st.abort()
			return
		}
		switch {
		case before == PhaseCheck:
			st.check()
		case beforeStatus == PhaseAsks && st.openNodes() == 0: // nothing is left to ask about
			st.emit(Event{Kind: EventPhase, Phase: before, PhaseStatus: PhaseSkipped})
			st.emit(Event{Kind: EventPhase, Phase: PhaseClose, PhaseStatus: PhaseRuns})
		case beforeStatus == PhaseAsks:
			st.countVolumes()
			if before == PhaseEvict {
				st.cordonNodes() // of those that are refused until now
				st.deadlines()
			}
			st.askAgain()
			return
		case before == PhaseGuard:
			st.guard()
		case before == PhaseCordon:
			st.countVolumes()
			st.cordon()
		case before == PhaseEvict:
			st.evict()
		case before == PhaseVerify:
			st.verify()
		case before == PhaseClose:
			st.end()
		}
		if st.s.Phase == before && st.s.Phases[before] == beforeStatus {
			return
		}
	}
}

// check ends the read-only phase: the operator accepted the plan by starting
// the run. What is refused was marked when the run was made.
func (st *stepper) check() {
	st.emit(Event{Kind: EventPhase, Phase: PhaseCheck, PhaseStatus: PhaseDone})
	if st.openNodes() == 0 {
		st.emit(Event{Kind: EventRunEnded, Outcome: OutcomeRefused, Message: "no node can be drained as the plan stands"})
		return
	}
	if st.s.Run.Options.GuardWrite {
		st.ask(PhaseGuard, "")
		return
	}
	st.ask(PhaseCordon, "")
}

func (st *stepper) ask(phase Phase, word string) {
	st.emit(Event{Kind: EventPhase, Phase: phase, PhaseStatus: PhaseAsks})
	st.emit(Event{Kind: EventQuestion, Phase: phase, Word: word})
}

// askAgain puts the question that a journal may lack: its last line can be lost
// between the phase and its question, or between a confirmation and its effect.
func (st *stepper) askAgain() {
	if st.s.Question != nil {
		return
	}
	word := ""
	if st.s.Phase == PhaseEvict {
		word = st.evictWord()
	}
	st.emit(Event{Kind: EventQuestion, Phase: st.s.Phase, Word: word})
}

// evictWord is what the operator types before the first eviction: the node's
// name, or the context's where several nodes are drained. Where the connection has no
// context it is their number: several nodes never take a plain yes.
func (st *stepper) evictWord() string {
	switch {
	case len(st.s.Nodes) == 1:
		return st.s.Nodes[0].Name
	case st.s.Run.Context != "":
		return st.s.Run.Context
	}
	return "drain " + words.Count(st.openNodes(), "node", "nodes")
}

// openNodes counts the nodes with which something is still to be done.
func (st *stepper) openNodes() int {
	open := 0
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			open++
		}
	}
	return open
}

// verify looks once more at what was drained, in a snapshot that can be
// trusted, before anybody powers a machine off.
func (st *stepper) verify() {
	if slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return !st.sees(n) }) {
		return
	}
	if st.awaitDetach() || st.awaitAttachments() || st.awaitDaemonSets() {
		return
	}
	for _, n := range st.s.Nodes {
		if n.State != NodeDrained {
			continue
		}
		st.lookPowerOff(n)
		if left, _ := st.unplanned(n); len(left) > 0 {
			st.setNode(n, NodeStopped, fmt.Sprintf("%s came to the node after it was drained", left[0].Namespace+"/"+left[0].Name))
		} else if node := st.snap.Node(n.Name); node != nil && node.UID == n.UID && !node.Unschedulable {
			st.setNode(n, NodeStopped, "somebody uncordoned it after it was drained")
		}
	}
	st.emit(Event{Kind: EventPhase, Phase: PhaseVerify, PhaseStatus: PhaseDone})
	st.emit(Event{Kind: EventPhase, Phase: PhaseClose, PhaseStatus: PhaseRuns})
}

func (st *stepper) end() {
	st.follow()
	st.tendLeases()
	if !st.s.Paused && st.s.Down == nil { // a server that is away is waited for
		st.undoRungs(true)
		st.unguard()
	}
	if st.inFlight() || st.budgetsStand() || st.leasesStand() || st.rungsStand() {
		return
	}
	st.leaveTaints()
	st.emit(Event{Kind: EventPhase, Phase: PhaseClose, PhaseStatus: PhaseDone})
	outcome, message := st.judgeRun()
	st.endRun(outcome, message)
}

func (st *stepper) judgeRun() (Outcome, string) {
	drained, refused := 0, 0
	for _, n := range st.s.Nodes {
		switch n.State {
		case NodeDrained:
			drained++
		case NodeRefused:
			refused++
		}
	}
	switch {
	case drained == len(st.s.Nodes):
		return OutcomeDone, ""
	case refused == len(st.s.Nodes):
		return OutcomeRefused, "no node was drained"
	}
	return OutcomePartly, fmt.Sprintf("%d of %d nodes drained", drained, len(st.s.Nodes))
}

// abort sends nothing more and ends the run once every write that is out has
// been answered: what was accepted goes on, and is reported as such.
func (st *stepper) abort() {
	st.follow()
	st.undoRungs(true)
	if st.unguard(); st.inFlight() || st.budgetsStand() || st.rungsStand() {
		return
	}
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeStopped, "aborted")
		}
	}
	st.follow() // as those pods are now
	if st.tendLeases(); st.leasesStand() {
		return
	}
	st.emit(Event{Kind: EventPhase, Phase: st.s.Phase, PhaseStatus: PhaseFailed})
	st.leaveTaints()
	st.endRun(OutcomeAborted, st.s.Message)
}

func (st *stepper) inFlight() bool { return st.s.InFlight() }

// setNode notes the state of a node. One that ends while it is being cordoned is
// looked at once more: what the run did must be known to be undone.
func (st *stepper) setNode(n *NodeRun, state NodeState, message string) {
	if node := st.snap.Node(n.Name); state.Final() && n.State == NodeCordoning && node != nil && node.UID == n.UID &&
		node.Unschedulable && foreignCordon(node, st.s.Run.ID) == "" {
		st.setNode(n, NodeCordoned, "")
	}
	e := Event{Kind: EventNode, Node: n.Name, NodeState: state, Message: message}
	if state == NodeCordoned {
		e.ServerTime = st.snap.ServerTime(st.now)
	}
	st.emit(e)
}

// setPod notes a pod's state and what it waits for, if either is new.
func (st *stepper) setPod(p *PodRun, state PodState, wait *Wait, message string) {
	passing := false
	if message == "" || message == p.Message {
		if p.State == state && sameWait(p.Wait, wait) {
			return
		}
		if onlyFigures(p, state, wait) {
			if st.tooSoon(p) {
				return
			}
			passing = st.now.Before(p.writtenAt.Add(p.BlockedFor(st.now) / figuresPart))
		}
	}
	st.emit(Event{
		Kind: EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID,
		PodState: state, Wait: wait, Message: message, DeletedAt: st.deletedAt(p), passing: passing,
	})
}

// endRun ends the run. What pods wait for then is in its journal, as it is now.
func (st *stepper) endRun(outcome Outcome, message string) {
	for _, p := range st.s.Pods {
		if p.unwritten {
			st.emit(Event{Kind: EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID,
				PodState: p.State, Wait: p.Wait, DeletedAt: st.deletedAt(p)})
		}
	}
	st.emit(Event{Kind: EventRunEnded, Outcome: outcome, Message: message})
}

// deletedAt is when the pod's grace ends, in the server's time.
func (st *stepper) deletedAt(p *PodRun) time.Time {
	if live := st.snap.Pod(p.UID); live != nil {
		return live.Deleted
	}
	return time.Time{}
}
