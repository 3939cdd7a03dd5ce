package drain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// phaseStep moves the run through its phases.
type phaseStep struct{ *stepper }

func (st *stepper) phases() phaseStep { return phaseStep{st} }

// run moves the run on through its phases as far as it can go now.
func (st phaseStep) run() {
	if st.s.Suspended {
		st.suspended()
		return
	}
	st.leases().tendLeases()
	for st.s.Outcome == "" {
		phase, status := st.s.Phase, st.s.Phases[st.s.Phase]
		st.phase()()
		st.leases().tendLeases() // of nodes that ended in it
		if st.s.Phase == phase && st.s.Phases[phase] == status {
			return
		}
	}
}

// phase is the function that says what can happen in the run as it is now.
func (st phaseStep) phase() func() {
	switch {
	case st.s.Aborting:
		return st.aborting
	case st.s.Phases[st.s.Phase] == PhaseAsks:
		return st.asking
	}
	switch st.s.Phase {
	case PhaseCheck:
		return st.check
	case PhaseGuard:
		return st.tempBudgets().guard
	case PhaseCordon:
		return st.cordoning().cordon
	case PhaseSurge:
		return st.surges().confirmed
	case PhaseEvict:
		return st.evicting().evict
	case PhaseVerify:
		return st.verify
	}
	return st.close
}

// working is the phase whose work is to be done: an aborted run only takes back what it made.
func (s *State) working() Phase {
	if s.Aborting {
		return PhaseClose
	}
	return s.Phase
}

// enter begins a phase after the one that ended so.
func (st *stepper) enter(next Phase, ended PhaseStatus) {
	st.emit(Event{Kind: EventPhase, Phase: st.s.Phase, PhaseStatus: ended})
	st.emit(Event{Kind: EventPhase, Phase: next, PhaseStatus: PhaseRuns})
}

// suspended only watches: nothing is sent, not even for the Leases, and nothing ends. Whoever resumes the run has them.
func (st phaseStep) suspended() {
	if st.s.Outcome == "" {
		st.evicting().follow()
	}
}

// asking waits for confirmation. A phase about which nothing is left to ask is skipped.
func (st phaseStep) asking() {
	if st.openNodes() == 0 {
		st.enter(PhaseClose, PhaseSkipped)
		return
	}
	st.volumes().countVolumes()
	if st.s.Phase == PhaseEvict || st.s.Phase == PhaseSurge {
		st.cordoning().cordonNodes() // of those that are refused until now
		st.evicting().deadlines()
	}
	st.askAgain()
}

// check ends the read-only phase: the operator accepted the plan by starting
// the run. What is refused was marked when the run was made.
func (st phaseStep) check() {
	st.emit(Event{Kind: EventPhase, Phase: PhaseCheck, PhaseStatus: PhaseDone})
	if st.openNodes() == 0 {
		st.emit(Event{Kind: EventRunEnded, Outcome: OutcomeRefused, Message: "no node can be drained with this plan"})
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
func (st phaseStep) askAgain() {
	if st.s.Question != nil {
		return
	}
	word := ""
	switch st.s.Phase {
	case PhaseEvict:
		word = st.evictWord()
	case PhaseSurge:
		word = st.s.Surges.Word()
	}
	st.emit(Event{Kind: EventQuestion, Phase: st.s.Phase, Word: word})
}

// evictWord is what the operator types before the first eviction: the node's name, of several the context's, and their
// number where the connection has no context: several nodes never take a plain yes.
func (st *stepper) evictWord() string {
	switch {
	case len(st.s.Nodes) == 1:
		return st.s.Nodes[0].Name
	case st.s.Run.Context != "":
		return st.s.Run.Context
	}
	return "drain " + format.Count(st.openNodes(), "node")
}

// openNodes counts the nodes with which something is still to be done.
func (st *stepper) openNodes() int {
	return st.countNodes(func(n NodeState) bool { return !n.Final() })
}

func (st *stepper) countNodes(state func(NodeState) bool) int {
	return len(slices.DeleteFunc(slices.Clone(st.s.Nodes), func(n *NodeRun) bool { return !state(n.State) }))
}

// verify looks once more at what was drained, in a snapshot that can be trusted, before anybody powers a machine off.
func (st phaseStep) verify() {
	if slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return !st.sees(n) }) {
		return
	}
	if st.volumes().awaitDetach() || st.volumes().awaitAttachments() || st.evicting().awaitDaemonSets() ||
		st.replacements().await() || awaitChecklist(st.stepper) {
		return
	}
	st.lookDrained()
	st.enter(PhaseClose, PhaseDone)
}

// lookDrained judges the drained nodes, and again where it would judge otherwise by now: the close may take long.
func (st phaseStep) lookDrained() {
	for _, n := range st.s.Nodes {
		if n.State != NodeDrained || !st.sees(n) || !st.volumes().lookPowerOff(n) {
			continue
		}
		why, _ := st.s.StillDrained(st.snap, n, st.now)
		if why != "" && checklist.Lost(st.snap.Node(n.Name), n.UID) == "" {
			st.setNode(n, NodeStopped, why)
		}
	}
}

// close takes back what the run made for itself, and ends the run when none of its requests is in flight.
func (st phaseStep) close() {
	st.evicting().follow()
	st.surges().tend(true)
	if !st.s.Paused && st.s.Down == nil { // a server that does not answer is waited for
		st.remedies().undoRemedies(true)
		st.tempBudgets().removeBudgets()
	}
	if st.s.InFlight() || st.tempBudgets().budgetsStand() || st.leases().leasesStand() ||
		st.remedies().remediesStand() || st.s.Surges.Stand() {
		return
	}
	st.lookDrained()
	st.remedies().leaveTaints()
	st.emit(Event{Kind: EventPhase, Phase: PhaseClose, PhaseStatus: PhaseDone})
	outcome, message := st.judgeRun()
	st.endRun(outcome, message)
}

func (st phaseStep) judgeRun() (Outcome, string) {
	in := func(state NodeState) int { return st.countNodes(func(n NodeState) bool { return n == state }) }
	switch drained, left := in(NodeDrained), st.s.LeftOver(); {
	case drained == len(st.s.Nodes) && st.s.Gate != nil:
		return OutcomePartly, "all nodes are drained; " + st.s.Gate.Sentence()
	case drained == len(st.s.Nodes) && len(left) > 0:
		return OutcomePartly, "all nodes are drained; " + strings.Join(left, "; ")
	case drained == len(st.s.Nodes):
		return OutcomeDone, ""
	case in(NodeRefused) == len(st.s.Nodes):
		return OutcomeRefused, "no node was drained"
	default:
		return OutcomePartly, fmt.Sprintf("%d of %d nodes drained", drained, len(st.s.Nodes))
	}
}

// aborting sends nothing more but what takes back, and ends the run once every write that is out has
// been answered: what was accepted goes on, and is reported as such.
func (st phaseStep) aborting() {
	st.evicting().follow()
	st.remedies().undoRemedies(true)
	st.surges().tend(true)
	if st.tempBudgets().removeBudgets(); st.s.InFlight() || st.tempBudgets().budgetsStand() ||
		st.remedies().remediesStand() || st.s.Surges.Stand() {
		return
	}
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeStopped, "aborted")
		}
	}
	st.evicting().follow() // as those pods are now
	if st.leases().tendLeases(); st.leases().leasesStand() {
		return
	}
	st.emit(Event{Kind: EventPhase, Phase: st.s.Phase, PhaseStatus: PhaseFailed})
	st.remedies().leaveTaints()
	st.endRun(OutcomeAborted, st.s.Message)
}

// sees reports whether the node itself and the pods on it are known and live; no more is needed to drain it.
func (st *stepper) sees(n *NodeRun) bool {
	return st.snap.On(n.Name).Trusted(kube.KindNodes, kube.KindPods)
}
