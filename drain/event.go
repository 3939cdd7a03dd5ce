package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// EventSchema is the schema of the events that `drain -o json` prints.
const EventSchema = "kdrain-tui/event/v1"

// EventKind names what happened. docs/events.md lists the kinds.
type EventKind string

// The kinds of events. State is the fold of all of them.
const (
	EventRunStarted  EventKind = "RunStarted"  // Run: what was asked, which nodes and pods
	EventPhase       EventKind = "Phase"       // Phase, PhaseStatus
	EventQuestion    EventKind = "Question"    // the run waits for confirmation
	EventConfirmed   EventKind = "Confirmed"   // the operator gave it
	EventIntent      EventKind = "Intent"      // a write is about to be sent
	EventAnswer      EventKind = "Answer"      // what came back for it
	EventPodAdded    EventKind = "PodAdded"    // bound to the node after the plan was made
	EventPod         EventKind = "Pod"         // a pod's state or what it waits for changed
	EventNode        EventKind = "Node"        // a node's state changed
	EventBudget      EventKind = "Budget"      // a temporary budget's state changed
	EventLease       EventKind = "Lease"       // the Lease of a node: taken, lost, given back
	EventRemedy      EventKind = "Remedy"      // a remedy was applied, or what became of it changed
	EventSurge       EventKind = "Surge"       // a surge's state changed
	EventReplacement EventKind = "Replacement" // what has become of the replacement of a moved pod
	EventBaseline    EventKind = "Baseline"    // how workloads were before
	EventGate        EventKind = "Gate"        // the health gate closed or opened
	EventVolumes     EventKind = "Volumes"     // where the volumes of a pod are, or what a drained node still has
	EventConnection  EventKind = "Connection"  // the API server went away or came back
	EventControl     EventKind = "Control"     // the operator steered the run
	EventJournal     EventKind = "Journal"     // the journal cannot be written, or can be again
	EventWarning     EventKind = "Warning"     // something beside the run failed, as a notification: it changes nothing
	EventRetire      EventKind = "Retire"      // after the end: a step by which a drained node leaves the cluster
	EventUndone      EventKind = "Undone"      // no process works on it: a rollback took back what it did
	EventResumed     EventKind = "Resumed"     // the run resumed by another process
	EventRunEnded    EventKind = "RunEnded"    // Outcome
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

	Run         *RunFacts            `json:"run,omitempty"`          // RunStarted
	Added       *eviction.Facts      `json:"added,omitempty"`        // PodAdded
	Phase       Phase                `json:"phase,omitempty"`        // Phase, Question, Confirmed
	PhaseStatus PhaseStatus          `json:"phaseStatus,omitempty"`  // Phase
	Word        string               `json:"confirmation,omitempty"` // Question: what must be typed, "" for a plain yes
	By          string               `json:"by,omitempty"`           // Confirmed, Control, Undone: who
	Action      *attempt.ActionFacts `json:"action,omitempty"`       // Intent, Answer
	Answer      *attempt.AnswerFacts `json:"answer,omitempty"`       // Answer
	PodState    eviction.State       `json:"podState,omitempty"`     // Pod
	Wait        *waits.Wait          `json:"wait,omitempty"`         // Pod: what it waits for
	DeletedAt   time.Time            `json:"deletedAt,omitzero"`     // Pod: when its grace ends (server time)
	Forced      bool                 `json:"forced,omitempty"`       // Pod: its next request deletes it past its budget
	NodeState   NodeState            `json:"nodeState,omitempty"`    // Node
	ServerTime  time.Time            `json:"serverTime,omitzero"`    // Node that is cordoned: when (server time)
	CordonGone  bool                 `json:"cordonGone,omitempty"`   // Node at its end: schedulable or deleted
	Budget      *tempbudget.Facts    `json:"budget,omitempty"`       // Budget
	BudgetState tempbudget.State     `json:"budgetState,omitempty"`  // Budget
	Volumes     []volume.Facts       `json:"volumes,omitempty"`      // Volumes: of the pod, or still attached
	PowerOff    *checklist.Verdict   `json:"powerOff,omitempty"`     // Volumes of a node: is it safe to power off
	Replacement *replacement.Facts   `json:"replacement,omitempty"`  // Replacement
	Baseline    replacement.Baseline `json:"workloads,omitempty"`    // Baseline
	Gate        *replacement.Gate    `json:"gate,omitempty"`         // Gate
	Lease       *lease.Facts         `json:"lease,omitempty"`        // Lease, and Intent and Answer of its writes
	LeaseState  lease.State          `json:"leaseState,omitempty"`   // Lease
	Remedy      *remedy.Facts        `json:"remedy,omitempty"`       // Remedy; Intent and Answer of one
	RemedyState remedy.State         `json:"remedyState,omitempty"`  // Remedy
	Surge       *surge.Facts         `json:"surge,omitempty"`        // Surge; Intent and Answer of its writes
	SurgeChange *surge.Change        `json:"surgeChange,omitempty"`  // Surge: its state, what a batch raises
	Cost        *surge.CostFacts     `json:"cost,omitempty"`         // Intent of a deletion cost; Undone of one
	Command     CommandKind          `json:"control,omitempty"`      // Control
	Retire      *retire.Facts        `json:"retire,omitempty"`       // Retire
	Outcome     Outcome              `json:"outcome,omitempty"`      // RunEnded, Node, Retire; Undone at its end
	Message     string               `json:"message,omitempty"`

	// Input is the ID of the Command that the event answers, 0 for none.
	Input uint64 `json:"-"`

	waiting []Command // eventWaiting: all that wait for an answer then
	// passing events are of the State alone, without a number, and in no journal: renewals of Leases, which say
	// nothing that a resume or a rollback could use, and figures that change while a pod waits.
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
	// Kubeconfig is the file that the context is of, "" where kubectl's own rules find it.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Server     string `json:"server"`
	ClusterUID string `json:"clusterUID"`
	User       string `json:"user"`
	Version    string `json:"version"`
	// Program and Connection are of this process: how it was called, and which further connection flags it was given.
	Program    string           `json:"-"`
	Connection []string         `json:"-"`
	Options    plan.Options     `json:"options"`
	Retire     *retire.Order    `json:"retire,omitempty"` // the drained nodes are to leave the cluster
	Nodes      []NodeFacts      `json:"nodes"`
	Pods       []eviction.Facts `json:"pods"`
	Surges     []surge.Facts    `json:"surges,omitempty"`   // workloads whose replacements start first
	Findings   []plan.Finding   `json:"findings,omitempty"` // those of the plan that cost something
}

// NodeFacts are what a run keeps of a node of its plan.
type NodeFacts struct {
	Name          string   `json:"name"`
	UID           kube.UID `json:"uid"`
	Unschedulable bool     `json:"unschedulable"`     // as it was before the run
	Refused       string   `json:"refused,omitempty"` // why the node is left untouched
}

// Target is what the commands of the run are for.
func (f *RunFacts) Target() plan.Target {
	return plan.Target{Program: f.Program, Kubeconfig: f.Kubeconfig, Context: f.Context, Others: f.Connection}
}

// StartEvent is the first event of a run of the plan.
func StartEvent(planned plan.Plan, facts RunFacts) Event {
	facts.Options, facts.Surges, facts.Findings = planned.Options, planned.Surging(), plan.Told(planned.Findings)
	refused := map[string]string{}
	for _, n := range planned.Refused() {
		refused[n.Node] = n.Why
	}
	for _, n := range planned.Nodes {
		facts.Nodes = append(facts.Nodes, NodeFacts{Name: n.Name, UID: n.UID, Unschedulable: n.Unschedulable,
			Refused: refused[n.Name]})
		for _, p := range n.Pods {
			facts.Pods = append(facts.Pods, eviction.FactsOfPlan(n.Name, &p))
		}
	}
	return Event{Kind: EventRunStarted, Run: &facts}
}
