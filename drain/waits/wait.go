package waits

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
)

// For is the kind of thing a pod waits for.
type For string

// What a pod can wait for. Each names the event that ends the wait.
const (
	ForSlot            For = "slot"             // its node's turn, or a free slot
	ForAnswer          For = "answer"           // of the API server, to a request in flight
	ForBudget          For = "budget"           // its budget allows it
	ForTemporaryBudget For = "temporary budget" // the run's own guard over its workload
	ForObserved        For = "observed"         // the controller has seen the budget
	ForOneBudget       For = "one budget"       // of several budgets only one is left
	ForServer          For = "server"           // back-off after throttling or a failure
	ForWebhook         For = "webhook"          // an admission webhook lets it go
	ForGrace           For = "grace"            // its grace period
	ForFinalizers      For = "finalizers"
	ForKubelet         For = "kubelet" // the node is silent, nothing confirms the deletion
	ForEnd             For = "end"     // grace is over, the pod is still there
	ForConnection      For = "connection"
	ForCompletion      For = "completion"   // the pod's own end
	ForTier            For = "tier"         // pods that go first in the order of the run
	ForOrder           For = "order"        // pods of a lower order (MachineDrainRule) on its node
	ForOthers          For = "others"       // all other pods of its node have left
	ForTheirDetach     For = "their detach" // and their volumes are detached
	ForVolumeQueue     For = "volume queue" // pods with volumes of the same driver on its node
	ForSurge           For = "surge"        // the batch of its workload that is on its way
	ForSurplus         For = "surplus"      // pods that its budget counts, until a surge has removed them
	ForReplacement     For = "replacement"  // its replacement is not Ready yet
	ForRemoval         For = "removal"      // its replacement is Ready: its owner removes it
	ForVolumes         For = "volumes"      // claims, volumes and attachments to be read
	ForOwners          For = "owners"       // the kinds to be read by which --guard counts
	ForController      For = "controller"   // a controller that adopts it: it has lost its own
	ForDetach          For = "detach"       // of an event about volumes: Since the pod's end, Until their time is over
)

// Wait says what a pod waits for and what will wake it, with the facts behind.
type Wait struct {
	For          For                  `json:"for"`
	Budget       *budget.Numbers      `json:"budget,omitempty"`
	Budgets      []string             `json:"budgets,omitempty"` // names, where several are the trouble
	UnhealthyPod *budget.UnhealthyPod `json:"unhealthyPod,omitempty"`
	Never        bool                 `json:"never,omitempty"`   // by arithmetic it will not end by itself
	Managed      string               `json:"managed,omitempty"` // who controls the budget and when that opens it
	Until        time.Time            `json:"until,omitzero"`    // when it ends or is tried again at the latest
	Finalizers   []string             `json:"finalizers,omitempty"`
	// ForKubelet: when the kubelet was last heard of; ForDetach: the pod's end
	Since   time.Time `json:"since,omitzero"`
	PreStop bool      `json:"preStop,omitempty"`       // ForGrace: a preStop hook runs within it
	Words   string    `json:"serverMessage,omitempty"` // the server's, quoted on screens
	Driver  string    `json:"driver,omitempty"`        // ForVolumeQueue: whose turns they are
	// ForVolumeQueue: who has the turn, told to the next in line
	Ahead *Ahead `json:"ahead,omitempty"`
	// ForReplacement, ForRemoval: the pod that starts first
	Replacement *Replacement `json:"replacement,omitempty"`
	// of a pod past its grace, or with a silent kubelet: still attached to its node
	Volumes []string `json:"volumes,omitempty"`
}

// Ahead is the pod that has the turn which another waits for.
type Ahead struct {
	Namespace string   `json:"namespace"`
	Pod       string   `json:"pod"`
	Node      string   `json:"node"`
	Volumes   []string `json:"volumes,omitempty"` // gone, and these are still attached to the node
}

// Replacement is the pod that is to take the place of one that waits for it.
type Replacement struct {
	Pod    string `json:"pod"`
	Node   string `json:"node,omitempty"`
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"` // why it is not Ready, or does not count yet, where that is known
}

// String is the replacement with its node and whether it is Ready.
func (r *Replacement) String() string {
	text := r.Pod
	if r.Node != "" {
		text += " on " + r.Node
	}
	switch {
	case r.Ready && r.Reason != "":
		return text + " is Ready, counts after " + r.Reason
	case r.Ready:
		return text + " is Ready"
	case r.Reason != "":
		return text + ": " + r.Reason
	case r.Node == "":
		return text + " has no node yet"
	}
	return text + " is starting"
}

func sameReplacement(a, b *Replacement) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Recorded is the wait as journals, reports and Events may have it: without a
// container's own words.
func (w *Wait) Recorded() *Wait {
	if w == nil || w.UnhealthyPod == nil || w.UnhealthyPod.Termination == "" {
		return w
	}
	told, unhealthyPod := *w, *w.UnhealthyPod
	unhealthyPod.Termination = ""
	told.UnhealthyPod = &unhealthyPod
	return &told
}

// Same reports whether two waits say the same, apart from the moment of the
// next try, which moves without anything having happened.
func Same(a, b *Wait) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.For == b.For && a.Never == b.Never && a.Managed == b.Managed && a.Words == b.Words &&
		sameNumbers(a.Budget, b.Budget) && sameUnhealthyPod(a.UnhealthyPod, b.UnhealthyPod) &&
		a.Driver == b.Driver && sameReplacement(a.Replacement, b.Replacement) && sameAhead(a.Ahead, b.Ahead) &&
		slices.Equal(a.Volumes, b.Volumes) &&
		a.Since.Equal(b.Since) && a.PreStop == b.PreStop && slices.Equal(a.Budgets, b.Budgets) &&
		slices.Equal(a.Finalizers, b.Finalizers)
}

func sameNumbers(a, b *budget.Numbers) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// sameUnhealthyPod compares what a person would read of an unhealthy pod.
func sameUnhealthyPod(a, b *budget.UnhealthyPod) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Namespace == b.Namespace && a.Name == b.Name && a.Node == b.Node && a.Reason == b.Reason &&
		a.Starting == b.Starting
}

func sameAhead(a, b *Ahead) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Namespace == b.Namespace && a.Pod == b.Pod && a.Node == b.Node && slices.Equal(a.Volumes, b.Volumes)
}

// Retry is the wait for the next try of a request, nil where none is due.
func Retry(at time.Time) *Wait {
	if at.IsZero() {
		return nil
	}
	return &Wait{For: ForServer, Until: at}
}

// End is when the wait is over at the latest, zero without a limit or a wait.
func (w *Wait) End() time.Time {
	if w == nil {
		return time.Time{}
	}
	return w.Until
}

// Lasts tells of what is not expected to pass by itself in a moment.
func (w *Wait) Lasts() bool {
	switch w.For {
	case ForOneBudget, ForCompletion, ForTier, ForOrder, ForOthers:
		return true
	case ForBudget:
		return w.Never || w.UnhealthyPod != nil && !w.UnhealthyPod.Starting
	}
	return false
}

// OnlyFigures reports whether the other wait is the same with other figures, or with
// another pod to blame.
func (w *Wait) OnlyFigures(other *Wait) bool {
	return w != nil && other != nil && w.For == other.For && w.Never == other.Never && w.Managed == other.Managed &&
		slices.Equal(w.Budgets, other.Budgets)
}
