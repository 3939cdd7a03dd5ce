package app

import (
	"context"
	"errors"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

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

// readDrainRules reads the MachineDrainRules where they are obeyed and a plan has none yet. One that
// was made without them would move pods that it should not.
func (s *Session) readDrainRules(ctx context.Context, o *plan.Options) error {
	if !o.RulesUnread() {
		return nil
	}
	if err := s.ReadDrainRules(ctx, s.Source); err != nil {
		return &Error{Err: err, Hint: "nothing was changed; leave out --honor=" + string(plan.HonorClusterAPI) +
			" to plan without them"}
	}
	return nil
}

// planFor is a plan with all that is found beside it, and with commands that name this
// cluster.
func (s *Session) planFor(
	snapshot *kube.Snapshot, nodes []string, o plan.Options, env preflight.Env,
) (plan.Plan, error) {
	planned, err := plan.NewFor(env.Run, env.InBatches, snapshot, nodes, o, env.Now)
	if err != nil {
		return planned, err
	}
	return s.Target.Plan(preflight.Check(snapshot, planned, env)), nil
}

// Again is the plan of the same nodes from the cluster as it is now, for a run that asks
// whether it may go on. A node that no longer exists is left out. It fails where the view of
// the cluster is not known to be true within a moment.
func (s *Session) Again(ctx context.Context, shown plan.Plan, run string) (plan.Plan, error) {
	return s.again(ctx, shown, func(*kube.Snapshot) preflight.Env { return preflight.Env{Now: s.Now(), Run: run} })
}

// settleWithin is how long a check waits for the view of the cluster: an answer can come
// before the whole cluster is read.
const settleWithin = 3 * time.Second

func (s *Session) again(
	ctx context.Context, shown plan.Plan, env func(*kube.Snapshot) preflight.Env,
) (plan.Plan, error) {
	if err := s.readDrainRules(ctx, &shown.Options); err != nil {
		return shown, err
	}
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	var snapshot *kube.Snapshot
	if err := s.await(ctx, func(now *kube.Snapshot) (bool, time.Time) {
		snapshot = now
		return now.Trusted(kube.KindNodes, kube.KindPods), time.Time{}
	}); err != nil {
		return shown, errors.New("the view of the cluster is not up to date")
	}
	var names []string
	for _, n := range shown.Nodes {
		if snapshot.Node(n.Name) != nil {
			names = append(names, n.Name)
		}
	}
	of := env(snapshot)
	of.InBatches = shown.InBatches
	again, err := s.planFor(snapshot, names, shown.Options, of)
	if err != nil {
		return shown, err
	}
	return again, nil
}
