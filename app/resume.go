package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// Resumption is a run of this machine that is to go on, in steps: what it needs is
// watched from its start, Ready asks what a drain asks before its first write, Start
// goes on.
type Resumption struct {
	session *Session
	run     *drain.RunFacts
	needs   watch.Needs // must be in before it goes on
}

// Resume begins to resume a run on the cluster that it was on. everything watches all
// that the dashboard shows; else it reads what a drain would.
func (s *Session) Resume(ctx context.Context, run *drain.State, everything bool) (*Resumption, error) {
	if err := sameCluster(s.Identity(), &run.Run); err != nil {
		return nil, err
	}
	r := s.Continue(&run.Run)
	switch {
	case everything:
		s.Observe(ctx, kube.Kinds...)
	case !narrow(&run.Run.Options):
		s.Observe(ctx, planKinds...)
	default:
		touched := readsOf(run)
		r.needs = needsOf(touched, startKinds...)
		s.Source = s.Watch(ctx, needsOf(touched))
	}
	return r, nil
}

// Continue is Resume for a run of the cluster whose plan is watched already.
func (s *Session) Continue(run *drain.RunFacts) *Resumption {
	kinds := startKinds
	if run.Options.DrainRules != nil { // they select by labels of namespaces
		kinds = append(slices.Clone(kinds), kube.KindNamespaces)
	}
	return &Resumption{session: s, run: run, needs: watch.Whole(kinds...)}
}

// Ready is all that a drain makes sure of before its first write. Its plan was
// read before: it waits for what a drain without a reader begins with.
func (r *Resumption) Ready(ctx context.Context) (note string, err error) {
	s, run := r.session, r.run
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
	if err := s.rights().need(ctx, drainRights(options)); err != nil {
		return note, err
	}
	if _, err := s.synced(ctx, r.needs); err != nil {
		return note, err
	}
	if options.Guard != "" { // a guard counts the pods of owners by their scales
		s.ReadScales(ctx, s.Source, nodesOf(run))
	}
	return note, s.ReadDaemonSets(ctx, s.Source, nodesOf(run))
}

// Start takes the journal of a run and its lock, and goes on with it. before are the
// events that were in the journal.
func (r *Resumption) Start(ctx context.Context) (run Run, before []drain.Event, err error) {
	s, id := r.session, r.run.ID
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
	s.Runs.own(engine, drain.Fold(nil, before...), s.CheckAccess)
	s.followOwners(context.WithoutCancel(ctx), engine, r.run.Options, nodesOf(r.run))
	return engine, before, nil
}

// ObserveOf begins to watch all that the dashboard shows of the cluster of a run, and
// refuses every other cluster.
func (s *Session) ObserveOf(ctx context.Context, run *drain.RunFacts) error {
	if err := sameCluster(s.Identity(), run); err != nil {
		return err
	}
	s.Observe(ctx, kube.Kinds...)
	return nil
}

// SameCluster refuses every cluster but the run's.
func (s *Session) SameCluster(run *drain.RunFacts) error { return sameCluster(s.Identity(), run) }

// sameCluster refuses every cluster but the run's: names repeat, UIDs do not.
func sameCluster(here conn.Identity, run *drain.RunFacts) error {
	if run.ClusterUID == here.ClusterID {
		return nil
	}
	hint := fmt.Sprintf("the run was on context %s, server %s; choose it with --context or --kubeconfig", run.Context,
		run.Server)
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

func nodesOf(run *drain.RunFacts) []string {
	names := make([]string, len(run.Nodes))
	for i, n := range run.Nodes {
		names[i] = n.Name
	}
	return names
}
