package kube

import "context"

// DryRun says how far a write goes.
type DryRun bool

// EvictRequest asks for the eviction of exactly one pod: UID is a
// precondition, so a namesake is never hit.
type EvictRequest struct {
	Namespace, Name string
	UID             UID
	Grace           *int64 // nil: the pod's own
	DryRun          DryRun
}

// DeleteRequest deletes exactly one pod, past all budgets.
type DeleteRequest struct {
	Namespace, Name string
	UID             UID
	Grace           *int64 // nil: the pod's own
	DryRun          DryRun
}

// CordonRequest sets spec.unschedulable and our mark in one patch that fails
// with 409 if the node changed since ResourceVersion, and with 422 if the name
// belongs to another UID now (the server takes it for a change of a field that
// cannot change). With Unschedulable false the mark is removed in the same patch.
type CordonRequest struct {
	Node            string
	UID             UID
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
	Evict(ctx context.Context, r EvictRequest) Answer
	Delete(ctx context.Context, r DeleteRequest) Answer
	Cordon(ctx context.Context, r CordonRequest) Answer
	// CreateBudget makes a temporary budget; the answer's UID is its.
	CreateBudget(ctx context.Context, r BudgetRequest) Answer
	DeleteBudget(ctx context.Context, r BudgetRef) Answer
	// LiveBudget reads a temporary budget from the server, not from the store. The
	// answer's UID is its, empty where the name is that of another run or of no run.
	LiveBudget(ctx context.Context, r BudgetLook) Answer
	Scale(ctx context.Context, r ScaleRequest) Answer
	Restart(ctx context.Context, r RestartRequest) Answer
	Taint(ctx context.Context, r TaintRequest) Answer
	// LivePod reads a pod from the server, not from the store. The answer's
	// UID tells which pod has the name now; 404 means none.
	LivePod(ctx context.Context, namespace, name string) (*Pod, Answer)
}
