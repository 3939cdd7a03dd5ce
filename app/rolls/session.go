package rolls

import (
	"context"
	"errors"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Plan is a roll before it begins: the plan of all its nodes, and its batches.
func Plan(s *app.Session, planned plan.Plan, o roll.Options) roll.Facts {
	identity, snapshot := s.Identity(), s.Snapshot()
	facts := roll.Facts{Options: o, Run: drain.RunFacts{
		ID: app.NewRunID(), Context: identity.Context, Kubeconfig: s.Target.Kubeconfig, Program: s.Target.Program,
		Connection: s.Target.Others, Server: identity.Server, ClusterUID: identity.ClusterID, User: identity.User,
		Version: s.Version, Options: planned.Options, Findings: plan.Told(planned.Findings),
	}}
	var nodes []*kube.Node
	for _, n := range planned.Nodes {
		facts.Run.Nodes = append(facts.Run.Nodes, drain.NodeFacts{Name: n.Name, UID: n.UID,
			Unschedulable: n.Unschedulable})
		if live := snapshot.Node(n.Name); live != nil {
			nodes = append(nodes, live)
		}
	}
	facts.Batches = roll.Batches(nodes, o)
	return facts
}

// Begin begins a roll on the cluster of the session, which watches what a plan needs. The error is an
// *app.Error.
func Begin(ctx context.Context, s *app.Session, facts roll.Facts) (*Roll, error) {
	planned := func(node kube.UID) bool {
		return slices.ContainsFunc(facts.Run.Nodes, func(n drain.NodeFacts) bool { return n.UID == node })
	}
	if err := s.Runs.CheckCommands(planned); err != nil {
		return nil, err
	}
	if err := Check(facts.Options); err != nil { // from a dashboard
		return nil, &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	written, err := journal.CreateRoll(s.Runs.Dir, facts.Run.ID)
	if err != nil {
		return nil, &app.Error{Text: "cannot write the journal of the roll in " + s.Runs.Dir + "; nothing was changed",
			Err: err, Hint: "the folder must be writable, with free space; or choose another folder with XDG_STATE_HOME"}
	}
	r, err := start(ctx, configOf(s, written, &facts), facts)
	return owned(s, r, nil, err)
}

// GoOn takes a roll up whose process ended before it, as Begin. before are the events of its journal.
func GoOn(ctx context.Context, s *app.Session, id string) (r *Roll, before []roll.Event, err error) {
	written, before, err := journal.OpenRoll(journal.RollPath(s.Runs.Dir, id))
	switch {
	case errors.Is(err, journal.ErrRunLives):
		return nil, nil, &app.Error{Text: "roll " + id + " is live in another process; nothing was changed",
			Hint: s.Runs.Program + " ctl " + id + " abort ends it"}
	case err != nil:
		return nil, nil, &app.Error{Text: "nothing was changed", Err: err}
	}
	state := roll.Fold(nil, before...)
	if err = Check(state.Facts.Options); err == nil {
		r, err = resume(ctx, configOf(s, written, &state.Facts), before)
	}
	if err != nil {
		err = errors.Join(err, written.Close())
	}
	r, err = owned(s, r, state, err)
	return r, before, err
}

func owned(s *app.Session, r *Roll, before *roll.State, err error) (*Roll, error) {
	if err != nil {
		return nil, &app.Error{Text: "cannot begin the roll; nothing was changed", Err: err}
	}
	run := r.State().Facts.Run
	s.Runs.Own(&app.Owned{ID: run.ID, Done: r.Done(),
		Steer: func(kind drain.CommandKind, why string) { r.Send(roll.Command{Kind: kind, By: run.User, Why: why}) },
		Serve: func() (*control.Server, error) { return control.ServeRoll(s.Runs.Dir, r) },
	})
	tellOf(s.Runs, r, before)
	return r, nil
}

func configOf(s *app.Session, written *journal.Of[roll.Event], facts *roll.Facts) config {
	return config{Source: s.Source, Writer: s.Writer(), Journal: written, Now: s.Now, Hooks: hook.Run, Look: hook.Look,
		Drains: func(ctx context.Context, wanted roll.Drain) (app.Run, bool, error) {
			return drainOf(ctx, s, wanted, facts.Run.Options)
		}}
}

// drainOf begins the run of a batch, resumes it where its journal says that it has begun, or shows it where it has
// ended or was rolled back.
func drainOf(ctx context.Context, s *app.Session, wanted roll.Drain, o plan.Options) (app.Run, bool, error) {
	id := wanted.Run
	if s.Runs.Known(id) == nil {
		events, _, err := journal.ReadJournal(s.Runs.Path(id))
		switch {
		case err != nil:
			return nil, true, err
		case len(events) == 0: // its process died between the first two lines
			if err := journal.Remove(s.Runs.Path(id)); err != nil {
				return nil, false, err
			}
		default:
			state := drain.Fold(nil, events...)
			if s.Runs.NotEnded(state) != nil {
				run, err := journal.Ended(events)
				return run, true, err
			}
			resumption := s.Continue(&state.Run)
			if _, err := resumption.Ready(ctx); err != nil {
				return nil, true, err
			}
			run, _, err := resumption.Start(ctx)
			return run, true, err
		}
	}
	if wanted.Ends {
		return nil, false, errors.New("the roll was aborted")
	}
	planned, err := planOf(ctx, s, id, wanted.Nodes, o)
	if err != nil {
		return nil, false, err
	}
	if err := s.Lost(s.Snapshot(), id, wanted.Nodes); err != nil {
		return nil, false, err
	}
	run, err := s.StartAs(ctx, id, planned)
	return run, false, err
}

// planOf plans the batch from the cluster as it is now, once that is known.
func planOf(ctx context.Context, s *app.Session, run string, nodes []string, o plan.Options) (plan.Plan, error) {
	shown := plan.Plan{Options: o}
	for _, name := range nodes {
		shown.Nodes = append(shown.Nodes, plan.Node{Name: name})
	}
	kinds := []kube.Kind{kube.KindNodes, kube.KindPods}
	if o.Surge != "" {
		kinds = append(kinds, kube.KindDeployments, kube.KindReplicaSets)
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	changed := s.Changed(watching)
	for {
		if s.Snapshot().Trusted(kinds...) {
			return s.Again(ctx, shown, run)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return shown, context.Cause(ctx)
		}
	}
}

// Watch watches what a resumed roll needs, on the cluster that it was on, and asks for its rights. The
// error is an *app.Error.
func Watch(ctx context.Context, s *app.Session, state *roll.State) error {
	run := &state.Facts.Run
	if err := s.SameCluster(run); err != nil {
		return err
	}
	steps := s.Drain(ctx, app.Selection{}, run.Options, app.Whole)
	if err := s.MayRoll(ctx, run.Options); err != nil {
		return err
	}
	return steps.Synced(ctx)
}
