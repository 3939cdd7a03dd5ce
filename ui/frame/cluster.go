package frame

import (
	"context"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// Cluster is what the dashboard does to a cluster and asks of it. All of it may wait: it
// is called from Shell.Go. There is none in a replay.
type Cluster interface {
	drainer
	cordoner
	budgets
	reader
}

// The parts of a Cluster.
type (
	// drainer plans drains and starts their runs.
	drainer interface {
		// NewPlan plans from that snapshot, with all that is known of the session.
		NewPlan(s *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error)
		// Again plans what was shown from the cluster as it is now, for a run that has the
		// Leases of its nodes, "" before there is one. It fails while the view of the
		// cluster is not known to be true.
		Again(ctx context.Context, shown plan.Plan, run string) (plan.Plan, error)
		Forecast(s *kube.Snapshot, planned plan.Plan, now time.Time) plan.Estimate
		// Access asks the server which rights a drain under the options lacks.
		Access(ctx context.Context, o plan.Options) (preflight.Access, error)
		// StartConfirmed begins a run of a plan that the operator confirmed.
		StartConfirmed(ctx context.Context, planned plan.Plan) (live.Run, error)
		// Retire begins a step by which a node that a run drained leaves the cluster, after
		// the end of that run. What becomes of it shows in the run that it returns, which is
		// done when the step is over.
		Retire(ctx context.Context, run, node string, c retire.Confirmed) (live.Run, error)
		// StartRoll begins a roll over the nodes of a plan that the operator confirmed.
		StartRoll(ctx context.Context, planned plan.Plan, o roll.Options) (live.Roll, error)
		// Served reports whether ctl reaches a run or a roll of this process, and what went wrong if
		// it does not.
		Served(run string) (bool, error)
	}

	// cordoner makes nodes unschedulable, for a reason, and schedulable again. It
	// reports whether there was anything to do.
	cordoner interface {
		Cordon(ctx context.Context, node, reason string, dry plan.DryRun) (changed bool, err error)
		Uncordon(ctx context.Context, node string, dry plan.DryRun) (changed bool, err error)
	}

	// budgets finds the temporary budgets that runs left behind, and removes exactly one.
	budgets interface {
		Leftovers(s *kube.Snapshot, now time.Time) []tempbudget.Leftover
		RemoveLeftover(ctx context.Context, l tempbudget.Leftover) error
	}

	// reader reads what is not watched.
	reader interface {
		// PodDetails is what the API server knows about one pod, PodLogs adds the log of the container that was
		// chosen, "" for the one that tells most.
		PodDetails(ctx context.Context, namespace, name string, uid kube.UID,
			container string) (watch.PodDetails, error)
		PodLogs(ctx context.Context, namespace, name string, d watch.PodDetails) watch.PodDetails
		// NodeDetails is what there is to know about one node.
		NodeDetails(ctx context.Context, name string, uid kube.UID) (watch.NodeDetails, error)
		// PodUsage is what pods use by the metrics API, by namespace and name: those of one namespace, or
		// of all where it is "".
		PodUsage(ctx context.Context, namespace string) (map[string]kube.Usage, error)
		CheckAccess(ctx context.Context, needs []request.Permission) ([]request.AccessResult, error)
	}
)
