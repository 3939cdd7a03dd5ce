package request

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// DryRun says how far a write goes.
type DryRun bool

// Evict asks for the eviction of exactly one pod: UID is a
// precondition, so a namesake is never hit.
type Evict struct {
	Namespace, Name string
	UID             kube.UID
	Grace           *int64 // nil: the pod's own
	DryRun          DryRun
}

// Delete deletes exactly one pod, past all budgets.
type Delete struct {
	Namespace, Name string
	UID             kube.UID
	Grace           *int64 // nil: the pod's own
	DryRun          DryRun
}

// Cordon sets spec.unschedulable and our mark in one patch that fails
// with 409 if the node changed since ResourceVersion, and with 422 if the name
// belongs to another UID now (the server takes it for a change of a field that
// cannot change).
type Cordon struct {
	Node            string
	UID             kube.UID
	ResourceVersion string // "" patches whatever is there
	Unschedulable   bool
	Mark            string // content of our annotation; "" removes it
	// ExcludeFromLB sets or removes the label that takes the node out of
	// external load balancers; nil leaves it as it is.
	ExcludeFromLB *bool
	DryRun        DryRun
}

// Writer is every change that a run makes to a cluster, and the live reads
// that a write in doubt needs. Each call is one request: no hidden retries.
type Writer interface {
	Evict(ctx context.Context, r Evict) kube.Answer
	Delete(ctx context.Context, r Delete) kube.Answer
	Cordon(ctx context.Context, r Cordon) kube.Answer
	// CreateBudget makes a temporary budget; the answer's UID is its.
	CreateBudget(ctx context.Context, r CreateBudget) kube.Answer
	DeleteBudget(ctx context.Context, r BudgetRef) kube.Answer
	// LiveBudget reads a temporary budget from the server, not from the store. The
	// answer's UID is its, empty where the name is that of another run or of no run.
	LiveBudget(ctx context.Context, r GetBudget) kube.Answer
	Scale(ctx context.Context, r Scale) kube.Answer
	Restart(ctx context.Context, r Restart) kube.Answer
	Raise(ctx context.Context, r Raise) kube.Answer
	Lower(ctx context.Context, r Lower) kube.Answer
	SetCost(ctx context.Context, r SetCost) kube.Answer
	Taint(ctx context.Context, r SetTaints) kube.Answer
	SetFields(ctx context.Context, r SetFields) kube.Answer
	// LivePod reads a pod from the server, not from the store. The answer's
	// UID tells which pod has the name now; 404 means none.
	LivePod(ctx context.Context, namespace, name string) (*kube.Pod, kube.Answer)
}

// CreateBudget asks for a temporary budget over the pods of one workload, which
// owns it: if the workload goes, the budget goes.
type CreateBudget struct {
	Namespace, Name string
	Owner           kube.Owner
	Selector        string // the workload's own selector, as text
	MaxUnavailable  string // "25%" or "2"
	Run             string
	At              time.Time
}

// BudgetRef is exactly one budget: UID is a precondition of every write.
type BudgetRef struct {
	Namespace, Name string
	UID             kube.UID
}

// GetBudget asks for the temporary budget of a run by its name.
type GetBudget struct{ Namespace, Name, Run string }

// Scale changes the number of replicas of one workload from what it was
// believed to be. It fails with 422 if the number is another by now and with 409
// if the name is another UID's: the patch tests both. A resourceVersion would be the
// stricter condition, and a useless one: every change of the status makes it old.
type Scale struct {
	Kind            string // Deployment, StatefulSet, ReplicaSet or ReplicationController
	Namespace, Name string
	UID             kube.UID
	From, To        int32 // From is at least 1: the API leaves a zero out
	DryRun          DryRun
}

// Restart rolls a Deployment out again, as `kubectl rollout restart` does. It
// fails with 409 if the Deployment changed since ResourceVersion.
type Restart struct {
	Namespace, Name string
	UID             kube.UID
	ResourceVersion string
	At              time.Time
	DryRun          DryRun
}

// SetTaints sets the taints of a node and our mark about them in one patch. The
// API replaces the list as a whole, so the patch fails with 409 if the node changed
// since ResourceVersion, and with 422 if the name belongs to another UID now.
type SetTaints struct {
	Node            string
	UID             kube.UID
	ResourceVersion string
	Taints          []corev1.Taint // all of them, as they are to be
	Mark            string         // content of OutOfServiceAnnotation; "" removes it
	DryRun          DryRun
}

// WriteLease is the whole content of a Lease of a node, as a run writes it.
type WriteLease struct {
	Namespace string
	Node      string // the node's name
	NodeUID   kube.UID
	Run       string
	By        string
	Reason    string
	Since     time.Time // when the run took it, by the server's clock
	Renewed   time.Time // now, by the server's clock: for people, no rule uses it
	// Transitions is how often it changed hands.
	Transitions int32
	// UID and ResourceVersion are those of the Lease that is meant: the write fails
	// with 409 if it has changed since. Both are empty for one that is made.
	UID             kube.UID
	ResourceVersion string
}

// DeleteLease deletes exactly one state of one Lease.
type DeleteLease struct {
	Namespace, Name string
	UID             kube.UID
	ResourceVersion string
}

// LeaseWriter is what takes, keeps and gives back Leases of nodes. Each call
// is one request.
type LeaseWriter interface {
	// CreateLease makes the Lease; 409 tells that there is one.
	CreateLease(ctx context.Context, w WriteLease) kube.Answer
	// UpdateLease renews the Lease, or takes it over from another holder.
	UpdateLease(ctx context.Context, w WriteLease) kube.Answer
	DeleteLease(ctx context.Context, r DeleteLease) kube.Answer
}

// DeleteNode deletes exactly one Node object: it fails with 409 if another UID has the name.
type DeleteNode struct {
	Node string
	UID  kube.UID
}

// NodeDeleter is what deletes Node objects. Each call is one request.
type NodeDeleter interface {
	DeleteNode(ctx context.Context, r DeleteNode) kube.Answer
}

// NodeEvent is something to tell about a node by an Event in the cluster.
type NodeEvent struct {
	Node    string
	UID     kube.UID
	Reason  string // one of the constants in marks.go
	Message string
	Warning bool
	At      time.Time // by the server's clock
}

// EventWriter writes Events about nodes. Each call is one request.
type EventWriter interface {
	WriteEvent(ctx context.Context, e NodeEvent) kube.Answer
}

// ScaleResources are the resources with a scale that a run may change, by kind.
var ScaleResources = map[string]Permission{
	"Deployment":            {Verb: "patch", Group: "apps", Resource: "deployments", Subresource: "scale"},
	"StatefulSet":           {Verb: "patch", Group: "apps", Resource: "statefulsets", Subresource: "scale"},
	"ReplicaSet":            {Verb: "patch", Group: "apps", Resource: "replicasets", Subresource: "scale"},
	"ReplicationController": {Verb: "patch", Resource: "replicationcontrollers", Subresource: "scale"},
}
