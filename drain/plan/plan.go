package plan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
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
	ReasonDaemonSetLast     ReasonCode = "DaemonSetLast" // chosen by --evict-daemonsets
	ReasonOrphanedDaemonSet ReasonCode = "OrphanedDaemonSet"
	ReasonDaemonSetLike     ReasonCode = "DaemonSetLike" // a DaemonSet of another API group
	ReasonMirror            ReasonCode = "Mirror"
	ReasonEmptyDir          ReasonCode = "EmptyDir"
	ReasonUnmanaged         ReasonCode = "Unmanaged"
	ReasonFinished          ReasonCode = "Finished"
	ReasonTerminating       ReasonCode = "Terminating"
	ReasonNotSelected       ReasonCode = "NotSelected"
	ReasonExcluded          ReasonCode = "Excluded" // by the operator, by hand (--exclude-pod)
)

// Reason is one rule's word on a pod. Messages of kubectl's filters are
// kubectl's.
type Reason struct {
	Code    ReasonCode `json:"code"`
	Level   Level      `json:"level"`
	Message string     `json:"message"`
}

// GoesLast reports whether a pod is asked for only after all others of its node have left, for this reason: it is
// the chosen pod of a DaemonSet, which may serve the others.
func (r Reason) GoesLast() bool { return r.Code == ReasonDaemonSetLast }

// Decision is what Classify says of a pod: what is done and every reason.
type Decision struct {
	Action  Action
	Reasons []Reason
	Order   int32 // of a MachineDrainRule: pods of a lower one leave the node first
}

// Pod is what a drain would do with one pod.
type Pod struct {
	Namespace string
	Name      string
	UID       kube.UID
	Node      string
	Owner     string // "Kind/name" of the controller, "" if there is none
	// Controller is the same as a reference, nil if there is none.
	Controller *kube.Owner
	Action     Action
	Reasons    []Reason
	Order      int32 // of a MachineDrainRule, 0 without one
	// Later tells that other pods have to leave its node first: see Turn.
	Later  bool
	Budget *budget.Judgement // nil for a skipped pod
	// Wave is 1 for what can go at once, more for what waits its turn, 0 where none applies:
	// counted, until a forecast knows better (WithEstimate).
	Wave    int
	Grace   time.Duration
	Volumes bool // has claims
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
	// Down is how many healthy pods of its workload leave at once, where no other one stays until a replacement is
	// Ready; zero elsewhere.
	Down int
	// Stuck says why nothing removes it from its node once it is told to end, "" where that is not so.
	Stuck string
	// Hold is what the drain itself does not let go, as a forecast found; nil for nothing.
	Hold *Hold
	// Surges is the workload that starts its replacement first, with --surge; NoSurge is the reason where none does.
	Surges  kube.UID
	NoSurge string
	// Advice is what would help a pod that cannot simply go, the least harmful
	// first.
	Advice []budget.Advice
}

// Node is what a drain would do with one node.
type Node struct {
	Name          string
	UID           kube.UID
	Ready         bool
	Unschedulable bool
	Pods          []Pod
}

// Finding is something about the plan as a whole that the operator should
// know before going on.
type Finding struct {
	Code    string          `json:"code"`
	Level   Level           `json:"level"`
	Message string          `json:"message"`
	Objects []string        `json:"objects,omitempty"` // Kind/namespace/name
	Advice  []budget.Advice `json:"advice,omitempty"`  // the least harmful first
}

// FindingAccess tells that a drain would end before its first write, because a right is missing.
const FindingAccess = "AccessMissing"

// Costs are the findings that cost something or warn of that: all but those that
// merely inform, in their order.
func Costs(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Level == LevelInfo })
}

// Told are the costs in their words alone, as a journal keeps them.
func Told(findings []Finding) (told []Finding) {
	for _, f := range Costs(findings) {
		told = append(told, Finding{Code: f.Code, Level: f.Level, Message: f.Message})
	}
	return told
}

// Plan is the preview of a drain: what would happen to each pod of each node,
// and why. It is computed from a snapshot and writes nothing.
type Plan struct {
	TakenAt  time.Time
	Options  Options
	Nodes    []Node
	Findings []Finding
	Room     Room
	// InBatches tells that a roll drains its nodes in batches; see NewFor.
	InBatches bool
	// Surges are the workloads whose pods move, with --surge: how each surges, or why not.
	Surges []Surge
	// Estimate is how long it takes, nil where no Forecast was asked for.
	Estimate *Estimate
}

// GoesLast reports whether the plan has the pod leave after all others of its node. Its DaemonSet recreates
// it there, so no other node matters for it.
func (p *Pod) GoesLast() bool { return p.Moves() && slices.ContainsFunc(p.Reasons, Reason.GoesLast) }

// Turn is its place among the moving pods of its node: those of a lower one leave first. It is the order of
// its MachineDrainRule; pods that go last have the highest.
func (p *Pod) Turn() int64 {
	if p.GoesLast() {
		return math.MaxInt64
	}
	return int64(p.Order)
}

// Names are the names of its nodes, in order.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Nodes))
	for i := range p.Nodes {
		names[i] = p.Nodes[i].Name
	}
	return names
}

// BudgetWhy is what its budgets say of the pod, and its turn where they let several go
// one after the other; "" where there is nothing to say.
func (p *Pod) BudgetWhy() string {
	switch {
	case p.Budget == nil:
		return ""
	case p.Budget.Verdict == budget.VerdictEvictable && p.Wave > 1 && !p.GoesLast():
		return fmt.Sprintf("%s, its turn is in wave %d", p.Budget.Why, p.Wave)
	}
	return p.Budget.Why
}

// Excluded are the pods of the plan that the operator excluded.
func (p *Plan) Excluded() (pods []Pod) {
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			if slices.ContainsFunc(pod.Reasons, func(r Reason) bool { return r.Code == ReasonExcluded }) {
				pods = append(pods, pod)
			}
		}
	}
	return pods
}
