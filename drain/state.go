package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Phase is a step of a run that the operator confirms.
type Phase string

// The phases of a run, in order.
const (
	PhaseCheck  Phase = "check"
	PhaseGuard  Phase = "guard" // optional: temporary budgets
	PhaseCordon Phase = "cordon"
	PhaseEvict  Phase = "evict"
	PhaseVerify Phase = "verify"
	PhaseClose  Phase = "close"
)

// Phases are the phases of every run, in order.
var Phases = []Phase{PhaseCheck, PhaseCordon, PhaseEvict, PhaseVerify, PhaseClose}

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

// PodState is where a pod is in its run.
type PodState string

// The states of a pod. "Accepted" is not "gone": a pod whose eviction was
// accepted is Terminating until the cluster shows that it is not there.
const (
	PodPlanned              PodState = "Planned"
	PodRequested            PodState = "Requested"
	PodBudgetBlocked        PodState = "BudgetBlocked"
	PodBudgetSyncing        PodState = "BudgetSyncing"
	PodThrottled            PodState = "Throttled"
	PodWebhookWait          PodState = "WebhookWait"
	PodMultipleBudgets      PodState = "MultipleBudgets"
	PodNamespaceTerminating PodState = "NamespaceTerminating"
	PodRetrying             PodState = "Retrying"
	PodTerminating          PodState = "Terminating"
	PodStuckTerminating     PodState = "StuckTerminating"
	PodGone                 PodState = "Gone"
	PodReplaced             PodState = "Replaced" // a namesake with another UID has its place
	PodMoved                PodState = "Moved"    // the same pod, bound to another node
	PodSkipped              PodState = "Skipped"
	PodFailed               PodState = "Failed"
)

// Final reports whether nothing more will happen to a pod in this state.
func (s PodState) Final() bool {
	switch s {
	case PodGone, PodReplaced, PodMoved, PodSkipped, PodFailed:
		return true
	}
	return false
}

// Left reports whether the pod has left its node.
func (s PodState) Left() bool { return s == PodGone || s == PodReplaced || s == PodMoved }

// Blocked reports whether the pod waits for something that is not its own end.
func (s PodState) Blocked() bool {
	switch s {
	case PodBudgetBlocked, PodBudgetSyncing, PodThrottled, PodWebhookWait, PodMultipleBudgets,
		PodNamespaceTerminating, PodRetrying:
		return true
	}
	return false
}

// backsOff reports whether a blocked pod is left alone until a moment that no event of the
// cluster can overtake.
func (s PodState) backsOff() bool {
	switch s {
	case PodRetrying, PodThrottled, PodWebhookWait, PodNamespaceTerminating:
		return true
	}
	return false
}

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

// PodRun is one pod of a run.
type PodRun struct {
	PodFacts
	attempt.Attempt
	State     PodState
	Since     time.Time     // since when it is in State
	Wait      *waits.Wait   // nil when it waits for nothing
	Attempts  int           // eviction or delete requests sent
	Refusals  int           // of those, refused by whomever
	Begun     time.Time     // when the drain of its node began, or when it joined that; zero before
	Accepted  time.Time     // when the eviction was accepted
	DeletedAt time.Time     // deletionTimestamp, server time
	Ended     time.Time     // when it reached a final state
	Blocked   time.Duration // sum of the time it was blocked, without the current block
	// BudgetRefusals are those of the Refusals that count for --max-evict-retries.
	BudgetRefusals int
	// Held is how long its budget held it while the run could have evicted it, without
	// the present time: the clock of --force-after.
	Held     time.Duration
	Joined   bool          // bound to the node after the plan was made
	Message  string        // why it was skipped or failed
	Volumes  volume.Record // as far as they matter; nil until they were counted
	DetachBy time.Time     // until when its volumes are given time to leave the node, zero while none is on its way

	BlockedSince time.Time       // start of the present block, zero if there is none
	heldSince    time.Time       // start of the present time of Held, zero while its clock stands
	countedAt    time.Time       // when BudgetRefusals last grew
	sentUnder    string          // what was known of its budgets when it was last tried
	refusal      attempt.Refusal // the answer to that, empty before it came
	refusedAt    time.Time       // when the server last refused it
	repeats      int             // refusals in a row by a budget, while nothing else moved in its namespace
	forced       bool            // its next request is a deletion past its budget
	retryNow     bool            // the operator asked for a try at once
	saidAt       time.Time       // when what it waits for was last told
	writtenAt    time.Time       // the same, to the journal
	unwritten    bool            // the journal does not have what it waits for now
	last         bool            // the operator put it last
	Look         bool            // who has its name must be asked before anything else
}

// NodeRun is one node of a run.
type NodeRun struct {
	NodeFacts
	attempt.Attempt // cordons
	State           NodeState
	Since           time.Time
	Attempts        int  // cordon requests sent
	Cordoned        bool // by this run
	// CordonInDoubt tells that the run ended with the node before it saw what became
	// of its last cordon.
	CordonInDoubt bool
	CordonAt      time.Time // when the cordon was seen
	Started       time.Time // first eviction phase moment, base of the deadline
	Ended         time.Time
	Message       string
	Lease         *lease.Record // that keeps other runs off it, nil if none was asked for
	// Attached are the volumes that the drained node still had when the run looked
	// last. Warning says that it is not safe to power off, or that this is not known.
	Attached []volume.Facts
	Warning  string
	PowerOff *checklist.Verdict // what the run saw last, nil where it did not look

	cordonServerTime time.Time // CordonAt by the server's clock
}

// SafeToPowerOff reports whether the run drained the node and then saw that nothing
// ends or is lost with its machine. What could not be read is not taken for safe.
func (n *NodeRun) SafeToPowerOff() bool {
	return n.State == NodeDrained && n.PowerOff != nil && n.PowerOff.Safe
}

// Progress counts the pods of a node or a run.
type Progress struct {
	Total       int // pods that the run is to move
	Left        int // have left their node
	Terminating int
	Blocked     int
	Failed      int
	Skipped     int
}

// State is a run at one moment: the fold of its events. It is a value to its
// readers; only the fold makes new ones.
type State struct {
	Run      RunFacts
	Started  time.Time
	Updated  time.Time // time of the last event
	Seq      uint64    // of the last event
	Phase    Phase
	Phases   map[Phase]PhaseStatus
	Question *Question // what the run waits for, nil if for nothing
	Nodes    []*NodeRun
	Pods     []*PodRun            // in the order of the plan, joined ones last
	Budgets  []*tempbudget.Record // temporary ones
	Remedies []*remedy.Record     // as they were confirmed
	Paused   bool
	Aborting bool
	// Suspended tells that its process stopped in order, without an end.
	Suspended bool
	// JournalLost is why the journal cannot be written, "" while it can be.
	JournalLost string
	Down        *time.Time // since when the API server is unreachable, nil while it answers
	DownWhy     string
	Outcome     Outcome
	Ended       time.Time
	Message     string
	Sent        map[attempt.Verb]int // requests sent

	limits     limits
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
	waiting    []Command              // for the answer to a request for their pods
}

// Question is a confirmation that the run waits for.
type Question struct {
	Phase Phase
	// Word must be typed exactly; "" is a plain yes.
	Word  string
	Since time.Time
}

// BlockedFor is how long the pod has been blocked in all, at that moment.
func (p *PodRun) BlockedFor(now time.Time) time.Duration {
	if p.BlockedSince.IsZero() {
		return p.Blocked
	}
	return p.Blocked + now.Sub(p.BlockedSince)
}
