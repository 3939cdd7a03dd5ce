package drain

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Action is what a drain does with a pod.
type Action string

// What a drain does with a pod. A node is not drained while one pod is refused.
const (
	ActionEvict  Action = "evict"
	ActionDelete Action = "delete" // past all budgets, with --disable-eviction
	ActionSkip   Action = "skip"
	ActionRefuse Action = "refuse"
)

// Level is how grave a reason or finding is.
type Level string

// The levels of reasons and findings. Errors refuse.
const (
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// ReasonCode names a rule that had something to say about a pod.
type ReasonCode string

// The reason codes of the contract.
const (
	ReasonDaemonSet         ReasonCode = "DaemonSet"
	ReasonOrphanedDaemonSet ReasonCode = "OrphanedDaemonSet"
	ReasonDaemonSetLike     ReasonCode = "DaemonSetLike" // a DaemonSet of another API group
	ReasonMirror            ReasonCode = "Mirror"
	ReasonEmptyDir          ReasonCode = "EmptyDir"
	ReasonUnmanaged         ReasonCode = "Unmanaged"
	ReasonFinished          ReasonCode = "Finished"
	ReasonTerminating       ReasonCode = "Terminating"
	ReasonNotSelected       ReasonCode = "NotSelected"
)

// Reason is one rule's word on a pod. Messages of kubectl's filters are
// kubectl's.
type Reason struct {
	Code    ReasonCode `json:"code"`
	Level   Level      `json:"level"`
	Message string     `json:"message"`
}

// Decision is what Classify says of a pod: what is done and every reason.
type Decision struct {
	Action  Action
	Reasons []Reason
}

// Verdict is whether the budgets of a pod let it go.
type Verdict string

// The verdicts of the contract.
const (
	VerdictEvictable Verdict = "Evictable"
	VerdictWait      Verdict = "Wait"     // blocked now, by something that can pass
	VerdictNever     Verdict = "Never"    // blocked by arithmetic, whatever happens to pods
	VerdictDeadlock  Verdict = "Deadlock" // waits for pods that wait for this drain
	VerdictMultiple  Verdict = "Multiple" // more than one budget: the server answers 500
	VerdictSyncing   Verdict = "Syncing"  // the controller has not observed the budget yet
	VerdictUnknown   Verdict = "Unknown"  // budgets cannot be seen
)

// Sibling is the pod under the same budget whose trouble holds it.
type Sibling struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Node      string    `json:"node,omitempty"`
	Since     time.Time `json:"since,omitzero"` // since when it is not Ready
	// Starting tells that it, or what replaces it, should be Ready in a moment.
	Starting bool   `json:"starting,omitempty"`
	Reason   string `json:"reason"` // CrashLoopBackOff, ImagePullBackOff, not Ready, terminating, ...
	Message  string `json:"message,omitempty"`
	ExitCode *int32 `json:"exitCode,omitempty"`
	// Termination is what its container left as its last words, often lines of its
	// log. A screen shows them; no journal, report or Event has them.
	Termination string `json:"-"`
	// Phase is Pending or Failed, "" for any other; Silent tells that the kubelet of
	// its node does not answer.
	Phase  corev1.PodPhase `json:"phase,omitempty"`
	Silent bool            `json:"silent,omitempty"`
}

// BudgetNumbers are the figures of a budget at one moment.
type BudgetNumbers struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Needed    int32  `json:"needed"`  // desiredHealthy
	Present   int32  `json:"present"` // currentHealthy
	Allowed   int32  `json:"allowed"` // disruptionsAllowed
	Expected  int32  `json:"expected"`
}

// BudgetJudgement is what the budgets say of a pod: Judge computes it.
type BudgetJudgement struct {
	Verdict Verdict         `json:"verdict"`
	Names   []string        `json:"names"` // of the budgets that select the pod, sorted
	Why     string          `json:"why,omitempty"`
	Budgets []BudgetNumbers `json:"budgets,omitempty"`
	Sibling *Sibling        `json:"sibling,omitempty"`
	Advice  []Advice        `json:"advice,omitempty"` // the least harmful first
}

// PodPlan is what a drain would do with one pod.
type PodPlan struct {
	Namespace string
	Name      string
	UID       kube.UID
	Node      string
	Owner     string // "Kind/name" of the controller, "" if there is none
	Action    Action
	Reasons   []Reason
	Budget    *BudgetJudgement // nil for a skipped pod
	Wave      int              // 1 for what can go at once, more for what waits its turn, 0 where none applies
	Grace     time.Duration
	Volumes   bool // has claims
	// Pinned is a volume of a claim of the pod that no node beside those of the plan
	// can reach: its replacement starts nowhere until its node is back. "" for none.
	Pinned string
	Self   bool // this program runs in it: it goes after all others
	// Landing is where its replacement could go, nil where there will be none.
	Landing *Landing
	// NotRemade says why no replacement is made once the pod is gone, "" where one is
	// or it is not known. Retried tells that its owner goes on trying.
	NotRemade string
	Retried   bool
	Ephemeral bool // a volume is deleted with it
	// Advice is what would help a pod that cannot simply go, the least harmful
	// first.
	Advice []Advice
}

// NodePlan is what a drain would do with one node.
type NodePlan struct {
	Name          string
	UID           kube.UID
	Ready         bool
	Unschedulable bool
	Pods          []PodPlan
	// Drainable is nil where a verdict is Unknown.
	Drainable *bool
}

// Finding is something about the plan as a whole that the operator should
// know before going on.
type Finding struct {
	Code    string   `json:"code"`
	Level   Level    `json:"level"`
	Message string   `json:"message"`
	Objects []string `json:"objects,omitempty"` // Kind/namespace/name
	Advice  []Advice `json:"advice,omitempty"`  // the least harmful first
}

// Plan is the preview of a drain: what would happen to each pod of each node,
// and why. It is computed from a snapshot and writes nothing.
type Plan struct {
	TakenAt   time.Time
	Options   Options
	Nodes     []NodePlan
	Findings  []Finding
	Room      Room
	Drainable *bool
	// Estimate is how long it takes, nil where nobody asked for a Forecast.
	Estimate *Estimate
}

// Counts sums a plan or a node of it up by what happens to the pods.
type Counts struct {
	Move    int // evicted or deleted, nothing in the way
	Wait    int // evicted when a budget allows it (Wait, Syncing)
	Never   int // Never, Deadlock or Multiple
	Unknown int
	Stay    int // skipped
	Refused int
}

// names are the names of its nodes, in order.
func (p *Plan) names() []string {
	names := make([]string, len(p.Nodes))
	for i := range p.Nodes {
		names[i] = p.Nodes[i].Name
	}
	return names
}
