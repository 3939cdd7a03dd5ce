package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Start opens a journal and begins the run of a plan. It goes on when the context
// ends: whoever started it aborts it by a command, and waits.
func (s *Session) Start(ctx context.Context, plan plan.Plan) (Run, error) {
	id := drain.NewRunID()
	journal, err := journal.CreateJournal(s.Runs.Dir, id)
	if err != nil {
		return nil, &Error{
			Text: "cannot write the journal of the run in " + s.Runs.Dir + "; nothing was changed",
			Err:  err, Hint: "free space there, or choose another folder with XDG_STATE_HOME",
		}
	}
	identity := s.Identity()
	run, err := s.launch(context.WithoutCancel(ctx), s.engine(journal), plan, drain.RunFacts{
		ID: id, Context: identity.Context, Kubeconfig: s.Target.Kubeconfig, Program: s.Target.Program, Connection: s.Target.Others,
		Server: identity.Server, ClusterUID: identity.ClusterID, User: identity.User, Version: s.Version,
	})
	if err != nil {
		return nil, &Error{Text: "cannot start the run; nothing was changed", Err: err}
	}
	s.Runs.own(run, s.CheckAccess)
	keep, now := s.Runs.Keep, s.Now()
	s.Runs.group.Go("prune journals", func() { s.Runs.Prune(keep, now) })
	return run, nil
}

// StartConfirmed is Start for a plan that was on a screen for a while: the rights are
// asked for once more.
func (s *Session) StartConfirmed(ctx context.Context, plan plan.Plan) (live.Run, error) {
	if err := s.MayDrain(ctx, plan.Options); err != nil {
		return nil, err
	}
	run, err := s.Start(ctx, plan)
	if err != nil {
		return nil, err // not a Run that is nil
	}
	return run, nil
}

func (s *Session) launch(ctx context.Context, c engine.EngineConfig, plan plan.Plan, facts drain.RunFacts) (Run, error) {
	if s.Launch != nil {
		return s.Launch(ctx, c, plan, facts)
	}
	return engine.Start(ctx, c, plan, facts)
}

func (s *Session) engine(journal *journal.Journal) engine.EngineConfig {
	return engine.EngineConfig{Source: s.Source, Writer: s.Writer(), Journal: journal, Now: s.Now}
}

// ReadyToResume is all that a drain makes sure of before its first write. Its plan was
// read before: it waits for what a drain without a reader begins with.
func (s *Session) ReadyToResume(ctx context.Context, run *drain.RunFacts) (note string, err error) {
	options := run.Options
	if note, err = s.SettleEvictions(ctx, &options); err != nil {
		return note, err
	}
	if options.DisableEviction != run.Options.DisableEviction {
		// Deletions past the budgets were not confirmed.
		return note, &Error{
			Text: "run " + run.ID + " evicts, and the API server no longer serves evictions; nothing was changed",
			Hint: "begin a new drain with --disable-eviction, if that is what you want",
		}
	}
	if err := s.MayDrain(ctx, options); err != nil {
		return note, err
	}
	if _, err := s.Synced(ctx, startKinds, s.scope.nodes...); err != nil {
		return note, err
	}
	return note, s.readDaemonSets(ctx, nodesOf(run))
}

// Resume takes the journal of a run and its lock, and goes on with it. before are the
// events that were in the journal.
func (s *Session) Resume(ctx context.Context, id string) (run Run, before []drain.Event, err error) {
	journal, before, err := s.Runs.lock(id)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Runs.NotEnded(drain.Fold(nil, before...)); err != nil { // by another process, meanwhile
		return nil, nil, errors.Join(err, journal.Close())
	}
	engine, err := engine.Resume(context.WithoutCancel(ctx), s.engine(journal), before)
	if err != nil {
		return nil, nil, &Error{
			Text: "cannot resume run " + id + "; nothing was changed", Err: errors.Join(err, journal.Close()),
		}
	}
	s.Runs.own(engine, s.CheckAccess)
	return engine, before, nil
}

// SameCluster refuses every cluster but the run's: names repeat, UIDs do not.
func (s *Session) SameCluster(run *drain.RunFacts) error {
	here := s.Identity()
	if run.ClusterUID == here.ClusterID {
		return nil
	}
	hint := fmt.Sprintf("the run was on context %s, server %s; choose it with --context or --kubeconfig", run.Context, run.Server)
	if strings.HasPrefix(run.ClusterUID, "server:") != strings.HasPrefix(here.ClusterID, "server:") {
		hint = "the namespace kube-system, whose UID identifies the cluster, could be read only one of the two times"
		if here.Why != "" {
			hint += ": " + here.Why
		}
		hint += "\nif the API server is just starting, try again in a moment; otherwise use an identity with the rights that the run had"
	}
	return &Error{
		Reason: ReasonUsage, Hint: hint,
		Text: fmt.Sprintf("wrong cluster: run %s was on %s, this is %s (context %s); nothing was changed",
			run.ID, run.ClusterUID, here.ClusterID, here.Context),
	}
}

// Shortcomings are what went wrong beside a run that has ended: what is not in its
// journal, and that its nodes have no Events.
func Shortcomings(run live.Run) (events string, journal error) {
	if e, ok := run.(interface{ Err() error }); ok {
		journal = e.Err()
	}
	if e, ok := run.(interface{ Silent() string }); ok {
		events = e.Silent()
	}
	return events, journal
}

func nodesOf(run *drain.RunFacts) []string {
	names := make([]string, len(run.Nodes))
	for i, n := range run.Nodes {
		names[i] = n.Name
	}
	return names
}
