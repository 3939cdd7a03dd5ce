package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// EventSchema is the schema of the events that `drain -o json` prints.
const EventSchema = "kdrain-tui/event/v1"

// EventKind names what happened. docs/events.md lists the kinds.
type EventKind string

// The kinds of events. State is the fold of all of them.
const (
	EventRunStarted EventKind = "RunStarted" // Run: what was asked, which nodes and pods
	EventPhase      EventKind = "Phase"      // Phase, PhaseStatus
	EventQuestion   EventKind = "Question"   // the run waits for the operator's word
	EventConfirmed  EventKind = "Confirmed"  // the operator gave it
	EventIntent     EventKind = "Intent"     // a write is about to be sent
	EventAnswer     EventKind = "Answer"     // what came back for it
	EventPodJoined  EventKind = "PodJoined"  // bound to the node after the plan was made
	EventPod        EventKind = "Pod"        // a pod's state or what it waits for changed
	EventNode       EventKind = "Node"       // a node's state changed
	EventBudget     EventKind = "Budget"     // a temporary budget's state changed
	EventLease      EventKind = "Lease"      // the Lease over a node: taken, lost, given back
	EventRemedy     EventKind = "Rung"       // a remedy of the ladder was taken, or what became of it changed
	EventVolumes    EventKind = "Volumes"    // where the volumes of a pod are, or what a drained node still has
	EventConnection EventKind = "Connection" // the API server went away or came back
	EventCommand    EventKind = "Control"    // the operator steered the run
	EventJournal    EventKind = "Journal"    // the journal cannot be written, or can be again
	EventResumed    EventKind = "Resumed"    // the run goes on in another process
	EventRunEnded   EventKind = "RunEnded"   // Outcome
)

// eventWaiting is passing: controls wait in the state for the answer to a request.
const eventWaiting = EventKind("Waiting")

// Event is one fact of a run, as the journal keeps it. It carries everything
// that a run page shows, so that a replay needs no cluster.
type Event struct {
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"`
	Kind      EventKind `json:"kind"`
	Node      string    `json:"node,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Pod       string    `json:"pod,omitempty"`
	UID       kube.UID  `json:"uid,omitempty"`

	Run         *RunFacts          `json:"run,omitempty"`         // RunStarted
	Joined      *PodFacts          `json:"joined,omitempty"`      // PodJoined
	Phase       Phase              `json:"phase,omitempty"`       // Phase, Question, Confirmed
	PhaseStatus PhaseStatus        `json:"phaseStatus,omitempty"` // Phase
	Word        string             `json:"word,omitempty"`        // Question: what must be typed, "" for a plain yes
	By          string             `json:"by,omitempty"`          // Confirmed, Control: who
	Action      *ActionFacts       `json:"action,omitempty"`      // Intent, Answer
	Answer      *AnswerFacts       `json:"answer,omitempty"`      // Answer
	PodState    PodState           `json:"podState,omitempty"`    // Pod
	Wait        *Wait              `json:"wait,omitempty"`        // Pod: what it waits for
	DeletedAt   time.Time          `json:"deletedAt,omitzero"`    // Pod: deletionTimestamp, when grace ends (server time)
	Forced      bool               `json:"forced,omitempty"`      // Pod: its next request deletes it past its budget
	NodeState   NodeState          `json:"nodeState,omitempty"`   // Node
	ServerTime  time.Time          `json:"serverTime,omitzero"`   // Node that is cordoned: time, by the server's clock
	Budget      *BudgetFacts       `json:"budget,omitempty"`      // Budget
	BudgetState BudgetState        `json:"budgetState,omitempty"` // Budget
	Volumes     []volume.Facts     `json:"volumes,omitempty"`     // Volumes: all of the pod, or those still attached to the node
	PowerOff    *checklist.Verdict `json:"powerOff,omitempty"`    // Volumes of a node: whether it is safe to power off
	Lease       *LeaseFacts        `json:"lease,omitempty"`       // Lease, and Intent and Answer of its writes
	LeaseState  LeaseState         `json:"leaseState,omitempty"`  // Lease
	Remedy      *RemedyFacts       `json:"rung,omitempty"`        // Remedy; Intent and Answer of one
	RemedyState RemedyState        `json:"rungState,omitempty"`   // Remedy
	Command     CommandKind        `json:"control,omitempty"`     // Control
	Outcome     Outcome            `json:"outcome,omitempty"`     // RunEnded, Node
	Message     string             `json:"message,omitempty"`

	// Input is the ID of the Control that the event answers, 0 for none.
	Input uint64 `json:"-"`

	waiting []Command // eventWaiting: all that wait for an answer then
	// passing events are of the State alone: no journal has them, and they have no
	// number of their own. So are renewals of Leases, which say nothing that a resume
	// or a rollback could use, and figures that change while a pod waits.
	passing bool
}

// Lasting are the events that a journal keeps.
func Lasting(events []Event) []Event {
	if !slices.ContainsFunc(events, func(e Event) bool { return e.passing }) {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.passing })
}

// RunFacts open a journal: what was asked, of which cluster, by whom.
type RunFacts struct {
	ID      string `json:"id"`
	Context string `json:"context"`
	// Kubeconfig is the file that the context is of, "" where kubectl's own rules
	// find it.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Server     string `json:"server"`
	ClusterUID string `json:"clusterUID"`
	User       string `json:"user"`
	Version    string `json:"version"`
	// Program and Connection are of this process: how it was called, and which further
	// connection flags it was given.
	Program    string         `json:"-"`
	Connection []string       `json:"-"`
	Options    plan.Options   `json:"options"`
	Nodes      []NodeFacts    `json:"nodes"`
	Pods       []PodFacts     `json:"pods"`
	Findings   []plan.Finding `json:"findings,omitempty"` // those of the plan that cost something, without objects and advice
}

// NodeFacts are what a run keeps of a node of its plan.
type NodeFacts struct {
	Name          string   `json:"name"`
	UID           kube.UID `json:"uid"`
	Unschedulable bool     `json:"unschedulable"`     // as it was before the run
	Refused       string   `json:"refused,omitempty"` // why the node is left untouched
}

// PodFacts are what a run keeps of a pod of its plan.
type PodFacts struct {
	Node         string        `json:"node"`
	Namespace    string        `json:"namespace"`
	Name         string        `json:"name"`
	UID          kube.UID      `json:"uid"`
	Owner        string        `json:"owner,omitempty"`
	Action       plan.Action   `json:"action"`
	Reasons      []plan.Reason `json:"reasons,omitempty"`
	GraceSeconds int64         `json:"graceSeconds"`
	Loss         plan.Loss     `json:"loss,omitempty"` // what its leaving costs, as the plan saw it
	Self         bool          `json:"self,omitempty"` // this program runs in it: it goes after all others
}

// Verb is the kind of a write.
type Verb string

// The writes of a run.
const (
	VerbCordon   Verb = "cordon"
	VerbUncordon Verb = "uncordon"
	VerbEvict    Verb = "evict"
	VerbDelete   Verb = "delete"
	VerbGuard    Verb = "guard"   // create a temporary budget
	VerbUnguard  Verb = "unguard" // remove one
	VerbTake     Verb = "take"    // take the Lease over a node, or take it over
	VerbRenew    Verb = "renew"   // keep it
	VerbRelease  Verb = "release" // give it back
	VerbRestart  Verb = "restart" // roll a Deployment out anew
	VerbScale    Verb = "scale"   // one more replica
	VerbUnscale  Verb = "unscale" // take it back
	VerbTaint    Verb = "taint"   // declare a node out of service
	VerbUntaint  Verb = "untaint" // take that back
	// VerbLook reads one pod live, where an answer left in doubt who has the name.
	VerbLook Verb = "look"
)

// ActionFacts identify a write. The id is written as an intent before the
// write is sent; an intent without an answer is in doubt.
type ActionFacts struct {
	ID   uint64 `json:"id"`
	Verb Verb   `json:"verb"`
	// Budget is set where the write takes a token of a budget. Version is that
	// budget's (or the node's) resourceVersion as known at the time of the event.
	Budget  kube.UID `json:"budget,omitempty"`
	Version string   `json:"version,omitempty"`
	// Under is what the run knew of the pod's budgets when its eviction was sent: a
	// refusal by them stands until that changes.
	Under string `json:"under,omitempty"`
}

// AnswerFacts are what a server answered, cleaned and shortened for the
// journal.
type AnswerFacts struct {
	Code              int     `json:"code"`
	Reason            string  `json:"reason,omitempty"`
	Message           string  `json:"message,omitempty"`
	Cause             string  `json:"cause,omitempty"` // message of the first cause
	RetryAfterSeconds float64 `json:"retryAfterSeconds,omitempty"`
	AuditID           string  `json:"auditID,omitempty"`
	Failure           string  `json:"failure,omitempty"`
	ResourceVersion   string  `json:"resourceVersion,omitempty"`
	Refusal           Refusal `json:"refusal,omitempty"` // who refused the request, "" if it was accepted or the pod is gone
	Look              bool    `json:"look,omitempty"`    // who has the pod's name must be asked, or asked again
}

// WaitFor is the kind of thing a pod waits for.
type WaitFor string

// What a pod can wait for. Each names the event that ends the wait.
const (
	WaitForTurn       WaitFor = "turn"       // its node's turn, or a free slot
	WaitForAnswer     WaitFor = "answer"     // of the API server, to a request in flight
	WaitForBudget     WaitFor = "budget"     // its budget allows it
	WaitForGuard      WaitFor = "guard"      // the run's own guard over its workload
	WaitForObserved   WaitFor = "observed"   // the controller has seen the budget
	WaitForOneBudget  WaitFor = "one budget" // of several budgets only one is left
	WaitForServer     WaitFor = "server"     // back-off after throttling or a failure
	WaitForWebhook    WaitFor = "webhook"    // an admission webhook lets it go
	WaitForGrace      WaitFor = "grace"      // its grace period
	WaitForFinalizers WaitFor = "finalizers"
	WaitForKubelet    WaitFor = "kubelet" // the node is silent, nobody confirms the deletion
	WaitForEnd        WaitFor = "end"     // grace is over, the pod is still there
	WaitForConnection WaitFor = "connection"
	WaitForCompletion WaitFor = "completion"  // the pod's own end
	WaitForTier       WaitFor = "tier"        // pods that go first in the order of the run
	WaitForVolumeTurn WaitFor = "volume turn" // pods with volumes of the same driver on its node
	WaitForVolumes    WaitFor = "volumes"     // claims, volumes and attachments to be read
	WaitForDetach     WaitFor = "detach"      // of an event about volumes: Since the pod's end, Until their time is over
)

// Wait says what a pod waits for and what will wake it, with the facts behind.
type Wait struct {
	For          WaitFor              `json:"for"`
	Budget       *budget.Numbers      `json:"budget,omitempty"`
	Budgets      []string             `json:"budgets,omitempty"` // names, where several are the trouble
	UnhealthyPod *budget.UnhealthyPod `json:"sibling,omitempty"`
	Never        bool                 `json:"never,omitempty"` // by arithmetic it will not end by itself
	Until        time.Time            `json:"until,omitzero"`  // when it ends or is tried again at the latest
	Finalizers   []string             `json:"finalizers,omitempty"`
	Since        time.Time            `json:"since,omitzero"`    // WaitForKubelet: when the kubelet was last heard of; WaitForDetach: the pod's end
	PreStop      bool                 `json:"preStop,omitempty"` // WaitForGrace: a preStop hook runs within it
	Words        string               `json:"words,omitempty"`   // the server's, quoted on screens
	Driver       string               `json:"driver,omitempty"`  // WaitForVolumeTurn: whose turns they are
	Ahead        *Ahead               `json:"ahead,omitempty"`   // WaitForVolumeTurn: who has the turn, told to the next in line
	Volumes      []string             `json:"volumes,omitempty"` // of a pod past its grace, or with a silent kubelet: still attached to its node
}

// Ahead is the pod that has the turn which another waits for.
type Ahead struct {
	Namespace string   `json:"namespace"`
	Pod       string   `json:"pod"`
	Node      string   `json:"node"`
	Volumes   []string `json:"volumes,omitempty"` // gone, and these are still attached to the node
}

// Words are what a person should read of the answer.
func (a *AnswerFacts) Words() string {
	switch {
	case a.Code == 0:
		return a.Failure
	case a.Cause != "":
		return a.Message + " " + a.Cause
	}
	return a.Message
}

// Target is what the commands of the run are for.
func (f *RunFacts) Target() plan.Target {
	return plan.Target{Program: f.Program, Kubeconfig: f.Kubeconfig, Context: f.Context, Others: f.Connection}
}
