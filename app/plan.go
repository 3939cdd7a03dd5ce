package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// screenReads are what is read for the plans of the dashboard beside what is watched.
type screenReads struct {
	self    sync.Once
	where   preflight.Self
	scales  atomic.Bool // being read
	readers kube.Group  // never waited for: they end with the context

	mu     sync.Mutex
	rights []request.Permission // that were asked for last
	access preflight.Access
}

// SettleEvictions asks which evictions the server takes, as kubectl does before
// a drain. One that takes none makes the drain delete: sent all the same, an
// eviction would be answered by a 404 that looks like a pod that is gone. The note
// says what differs from what was asked for, "" if nothing does.
func (s *Session) SettleEvictions(ctx context.Context, o *plan.Options) (note string, err error) {
	if o.DisableEviction {
		return "", nil
	}
	switch version, err := s.EvictionSupport(ctx); {
	case err != nil:
		return "", err
	case version == conn.NoEviction:
		o.DisableEviction = true
		return "Warning: the API server does not serve evictions: pods are deleted instead, as with --disable-eviction; " +
			"no PodDisruptionBudget protects them", nil
	case version == conn.EvictionV1beta1:
		return "the API server serves evictions as " + string(version) + " only; they are sent as that", nil
	}
	return "", nil
}

// Plan plans the drain that ObservePlan or ObserveDrain was told of, once all that it
// depends on is in. access is what was found to be missing for it.
func (s *Session) Plan(ctx context.Context, o plan.Options, access preflight.Access) (plan.Plan, error) {
	from := s.scope
	snapshot, err := s.Synced(ctx, from.needs, from.nodes...)
	if err != nil {
		return plan.Plan{}, err
	}
	nodes, err := from.selection.Nodes(snapshot)
	if err != nil {
		return plan.Plan{}, err
	}
	if len(from.nodes) > 0 { // those that a selector found first: the others are not all known
		nodes = slices.DeleteFunc(nodes, func(name string) bool { return !slices.Contains(from.nodes, name) })
	}
	if whole := plan.NeedsWhole(snapshot, nodes); len(whole) > 0 {
		if _, err := s.Read(ctx, whole); err != nil {
			return plan.Plan{}, err
		}
	}
	if err := s.readDaemonSets(ctx, nodes); err != nil {
		return plan.Plan{}, err
	}
	if from.read {
		s.ReadScales(ctx, s.Source, nodes)
	}
	snapshot = s.Snapshot()
	return planFor(s, snapshot, nodes, o, s.Now(), s.self(ctx, from.read), access)
}

// readDaemonSets reads those of the nodes' pods by name where they may not be listed.
func (s *Session) readDaemonSets(ctx context.Context, nodes []string) error {
	if s.Snapshot().Sync(kube.KindDaemonSets).Phase != kube.Denied {
		return nil
	}
	return s.ReadDaemonSets(ctx, s.Source, nodes)
}

// NewPlan plans for the dashboard: at once from what is known, while the scales of
// owners that are not watched come in; they change the plan when they are there. The
// context is that of the dashboard.
func (s *Session) NewPlan(
	ctx context.Context, snapshot *kube.Snapshot, nodes []string, o plan.Options, now time.Time,
) (plan.Plan, error) {
	s.screen.self.Do(func() { s.screen.where = s.self(ctx, true) })
	plan, err := planFor(s, snapshot, nodes, o, now, s.screen.where, s.knownAccess(o))
	if err == nil && s.screen.scales.CompareAndSwap(false, true) {
		nodes := slices.Clone(nodes)
		s.screen.readers.Go("scales of owners", func() {
			defer s.screen.scales.Store(false)
			s.ReadScales(ctx, s.Source, nodes)
		})
	}
	return plan, err
}

// planFor is a plan with all that is found beside it.
func planFor(
	s *Session, snapshot *kube.Snapshot, nodes []string, o plan.Options, now time.Time, self preflight.Self, access preflight.Access,
) (plan.Plan, error) {
	plan, err := plan.New(snapshot, nodes, o, now)
	if err != nil {
		return plan, err
	}
	return s.Target.Plan(preflight.Check(snapshot, plan, preflight.Env{
		Now: now, Self: self, Access: access, Leftovers: s.Leftovers(snapshot, now), ReadOnly: s.ReadOnly,
	})), nil
}

// Again is the plan of the same nodes from the cluster as it is now, for a run that asks
// whether it may go on. A node that no longer exists is left out. It fails while the
// view of the cluster is not known to be true.
func (s *Session) Again(planned plan.Plan, run string) (plan.Plan, error) {
	snapshot := s.Snapshot()
	if !snapshot.Trusted(kube.KindNodes, kube.KindPods) {
		return planned, errors.New("the view of the cluster is not up to date")
	}
	var names []string
	for _, n := range planned.Nodes {
		if snapshot.Node(n.Name) != nil {
			names = append(names, n.Name)
		}
	}
	now := s.Now()
	again, err := plan.New(snapshot, names, planned.Options, now)
	if err != nil {
		return planned, err
	}
	return s.Target.Plan(preflight.Check(snapshot, again, preflight.Env{Now: now, Run: run})), nil
}

// Estimate adds to a plan how long it takes.
func (s *Session) Estimate(plan *plan.Plan) {
	e := forecast.Of(s.Snapshot(), *plan, s.Now())
	*plan = plan.WithEstimate(e)
}
