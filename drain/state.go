package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Phase is a step of a run that the operator confirms.
type Phase string

// The phases of a run, in order.
const (
	PhaseCheck  Phase = "check"
	PhaseGuard  Phase = "guard" // optional: temporary budgets
	PhaseCordon Phase = "cordon"
	PhaseSurge  Phase = "surge" // optional: replacements first
	PhaseEvict  Phase = "evict"
	PhaseVerify Phase = "verify"
	PhaseClose  Phase = "close"
)

// phases are the phases of every run, in order.
var phases = []Phase{PhaseCheck, PhaseCordon, PhaseEvict, PhaseVerify, PhaseClose}

// PhaseStatus is how far a phase is.
type PhaseStatus string

// The status of a phase; "" is not begun.
const (
	PhaseAsks    PhaseStatus = "asks" // waits for confirmation
	PhaseRuns    PhaseStatus = "runs"
	PhaseDone    PhaseStatus = "done"
	PhaseFailed  PhaseStatus = "failed"
	PhaseSkipped PhaseStatus = "skipped"
)

// NodeState is where a node is in its run.
type NodeState string

// The states of a node in a run.
const (
	NodeWaiting   NodeState = "Waiting"
	NodeCordoning NodeState = "Cordoning"
	NodeCordoned  NodeState = "Cordoned"
	NodeDraining  NodeState = "Draining"
	NodeDrained   NodeState = "Drained"
	NodeRefused   NodeState = "Refused" // left untouched, not even cordoned
	NodeFailed    NodeState = "Failed"  // timed out, or a pod failed
	NodeStopped   NodeState = "Stopped" // something changed that the operator must judge, or aborted
)

// Final reports whether nothing more will happen to a node in this state.
func (s NodeState) Final() bool {
	return s == NodeDrained || s == NodeRefused || s == NodeFailed || s == NodeStopped
}

// Outcome is how a run or a node ended.
type Outcome string

// The outcomes of a run; "" while it lives.
const (
	OutcomeDone    Outcome = "done"
	OutcomePartly  Outcome = "partly" // timed out or partly drained
	OutcomeRefused Outcome = "refused"
	OutcomeAborted Outcome = "aborted"
	OutcomeFailed  Outcome = "failed"
)

// CommandKind is how the operator steers a live run.
type CommandKind string

// What an operator can do to a live run.
const (
	CommandPause    CommandKind = "pause"
	CommandContinue CommandKind = "continue"
	CommandRetry    CommandKind = "retry" // a pod, now
	CommandSkip     CommandKind = "skip"  // a pod
	CommandLast     CommandKind = "last"  // a pod, after all others of its run
	CommandLeave    CommandKind = "leave" // a node: nothing more is evicted there
	CommandAbort    CommandKind = "abort"
	CommandRemedy   CommandKind = "remedy" // a remedy for a pod
	// CommandSuspend ends the process and not the run: sending stops, and resume
	// goes on later. It is what becomes of a run whose terminal went away.
	CommandSuspend CommandKind = "suspend"
)

// NodeRun is one node of a run.
type NodeRun struct {
	NodeFacts
	attempt.Attempt // cordons
	State           NodeState
	Since           time.Time
	Attempts        int       // cordon requests sent
	Cordoned        bool      // by this run
	CordonInDoubt   bool      // the run ended with the node before it saw what became of its last cordon
	CordonGone      bool      // the node was schedulable or deleted when the run saw it last
	CordonAt        time.Time // when the cordon was seen
	Started         time.Time // first eviction phase moment, base of the deadline
	Ended           time.Time
	Message         string
	Lease           *lease.Record // that keeps other runs off it, nil if none was asked for
	// Attached are the volumes that the drained node still had when the run looked
	// last. Warning says that it is not safe to power off, or that this is not known.
	Attached []volume.Facts
	Warning  string
	PowerOff *checklist.Verdict // what the run saw last, nil where it did not look
	Retire   retire.Record      // how far it is on its way out of the cluster, after the end

	cordonServerTime time.Time // CordonAt by the server's clock
}

// LeftCordoned reports whether the cordon of the run still stands, as far as it saw.
func (n *NodeRun) LeftCordoned() bool { return n.Cordoned && !n.CordonGone }

// SafeToPowerOff reports whether the run drained the node and then saw that nothing
// ends or is lost with its machine. What could not be read is not taken for safe.
func (n *NodeRun) SafeToPowerOff() bool {
	return n.State == NodeDrained && n.PowerOff != nil && n.PowerOff.Safe
}

// State is a run at one moment: the fold of its events. It is a value to its readers; only the fold makes new ones.
type State struct {
	Run      RunFacts
	Started  time.Time
	Updated  time.Time // time of the last event
	Seq      uint64    // of the last event
	Phase    Phase
	Phases   map[Phase]PhaseStatus
	Question *Question // what the run waits for, nil if for nothing
	Nodes    []*NodeRun
	Pods     []*eviction.Record   // in the order of the plan, joined ones last
	Budgets  []*tempbudget.Record // temporary ones
	Remedies []*remedy.Record     // as they were confirmed
	Surges   surge.Records        // of the workloads whose replacements start first
	// Baseline is how the workloads were before the first eviction, where the run waits for
	// replacements; Gate is nil unless more of them are worse now than the run may leave so.
	Baseline replacement.Baseline
	Gate     *replacement.GateRun
	Paused   bool
	Aborting bool
	// Suspended tells that its process stopped in order, without an end.
	Suspended bool
	// JournalLost is why the journal cannot be written, "" while it can be.
	JournalLost string
	Warnings    []string   // what failed beside the run
	RolledBack  bool       // a rollback has taken back all that it could, and it was not resumed since
	Down        *time.Time // since when the API server is unreachable, nil while it answers
	DownWhy     string
	Outcome     Outcome
	Ended       time.Time
	Message     string
	Sent        map[attempt.Verb]int // requests sent

	limits     eviction.Limits
	nextAction uint64
	Assumed    budget.Assumed         // our evictions that their budgets may not show yet
	tried      map[kube.UID]time.Time // by budget: when an eviction under it was last sent
	QuietUntil time.Time              // nothing is sent before, after throttling
	resumed    time.Time              // when a process last took the run up again, zero if none did
	unwell     time.Time              // when the API server last gave no answer, or came back
	guardFrom  time.Time              // when the temporary budgets were confirmed
	cordonFrom time.Time              // when the cordon was: the turn of every node begins
	acted      time.Time              // since when nothing has kept the run from evicting
	moved      map[string]time.Time   // by namespace: when an eviction in it was last accepted
	index      map[kube.UID]int       // of Pods
	onNode     map[string][]int       // the same by node
	measured   int                    // how many of Pods Baseline is about
	waiting    []Command              // for the answer to a request for their pods
}

// Question is a confirmation that the run waits for.
type Question struct {
	Phase Phase
	// Word must be typed exactly; "" is a plain yes.
	Word  string
	Since time.Time
}
