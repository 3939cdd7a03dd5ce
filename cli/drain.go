package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) drainCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "drain NODE...",
		Short: "Drain nodes without the dashboard; a superset of kubectl drain",
		Long: "Cordons the nodes and evicts their pods as fast as the budgets allow, with the flags of kubectl drain.\n" +
			"Asks before each phase on a terminal; elsewhere it needs --yes. A node with a pod that is refused is left\n" +
			"untouched, not even cordoned.\n\n" +
			"Exit codes: 0 drained, 1 error, 2 usage, 3 refused and nothing written, 4 timed out or partly drained,\n" +
			"5 permission missing, 6 aborted, 128+n ended by signal n.",
		Example: p.examples("drain worker-1 --ignore-daemonsets",
			"drain worker-1 worker-2 --ignore-daemonsets --delete-emptydir-data --timeout=10m --yes",
			"drain -l pool=batch --ignore-daemonsets --dry-run=server"),
		ValidArgsFunction: p.completeNodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.drain(cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindDrain(fs)
	fs.BoolVar(&f.yes, "yes", false, "confirm cordon and eviction, instead of being asked")
	f.bindOutput(fs)
	f.bindLook(fs)
	return cmd
}

func (p *Program) drain(cmd *cobra.Command, f *flags, args []string) error {
	options, err := p.drainOptions(cmd, f, args)
	if err != nil {
		return err
	}
	p.listen(f.yes || options.DryRun != drain.DryRunNone)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.open(ctx, OpenOptions{ChunkSize: f.chunkSize, Nodes: namesIn(args), LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer cluster.Close()
	first := firstNodes(ctx, cluster, args, f, options)
	source := cluster.watchFirst(ctx, first, drainWatches(f, options)...) // comes in while we ask
	if err := p.settleEvictions(ctx, cluster, &options); err != nil {
		return err
	}
	if err := checkAccess(ctx, cluster, drainRules(options)); err != nil {
		return err
	}
	from := planned{cluster: cluster, source: source, needs: startKinds, nodes: first}
	if needsPlan(f, options) {
		from.needs, from.nodes = planKinds, nil
	}
	if f.takesUp {
		if err := p.takeUp(ctx, f, from, args, &options); err != nil {
			return err
		}
	}
	plan, err := p.makePlan(ctx, from, f, args, options)
	if err != nil {
		return err
	}
	out := p.newOutput(f, cluster, plan)
	if len(plan.Nodes) == 0 {
		out.note(noNodeMatches)
		out.nothing()
		return nil
	}
	if err := checkScales(ctx, cluster, source.Snapshot(), plan); err != nil {
		return err
	}
	out.refusals(plan)
	if options.DryRun != drain.DryRunNone {
		return p.dryRun(ctx, cluster, plan, out)
	}
	return p.runDrain(ctx, f, cluster, source, plan, out)
}

// drainWatches are the kinds that a drain watches.
func drainWatches(f *flags, o drain.Options) []kube.Kind {
	if needsPlan(f, o) {
		return planKinds
	}
	return slices.DeleteFunc(slices.Clone(planKinds), func(k kube.Kind) bool { return slices.Contains(servingKinds, k) })
}

// needsPlan tells whether somebody reads the plan first, or the flags make the
// drain depend on all of it. Any other drain begins with less (startKinds): what
// only explains more of it comes in meanwhile.
func needsPlan(f *flags, o drain.Options) bool {
	return o.DryRun == drain.DryRunNone && !f.yes || o.FailOnBlockers || o.Guard != "" || o.BlockSingleReplica || o.AllowScale
}

// drainOptions judges the command line before anything connects.
func (p *Program) drainOptions(cmd *cobra.Command, f *flags, args []string) (drain.Options, error) {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return drain.Options{}, err
	}
	if err := f.check(); err != nil {
		return drain.Options{}, err
	}
	options, err := f.options()
	if err != nil {
		return options, err
	}
	if options.DryRun == drain.DryRunNone {
		switch {
		case p.connection.ReadOnly:
			return options, usage("see plan, or --dry-run=server", "--read-only forbids a drain")
		case !f.yes && !p.canAsk():
			return options, usage("add --yes to confirm cordon and eviction, or look first: "+p.display()+" plan",
				"there is no terminal to ask on; nothing was done")
		}
	}
	return options, nil
}

// runDrain starts the run and follows it to its end.
func (p *Program) runDrain(
	ctx context.Context, f *flags, c *Cluster, source drain.Source, plan drain.Plan, out *output,
) error {
	if !f.yes && !refusedWhole(plan) {
		p.estimate(&plan, source)
		out.preview(plan)
	} else {
		out.sayFindings(plan)
	}
	// From here on a signal ends the run, not the program: what was begun is
	// said, and the journal is closed.
	p.graceful.Store(true)
	run, err := p.startRun(ctx, c, source, plan)
	if err != nil {
		return err
	}
	out.begins(run.State(), p.display())
	return p.see(ctx, &follower{p: p, run: run, served: p.own(run, c), source: source, out: out, yes: f.yes, user: c.User})
}

// see follows a run to its end and says how it ended.
func (p *Program) see(ctx context.Context, f *follower) error {
	state := f.follow(ctx)
	f.out.end(f.run.Events(0))
	f.out.leftovers(state, f.source.Snapshot())
	if e, ok := f.run.(interface{ Silent() string }); ok && e.Silent() != "" {
		f.out.note("the nodes have no Events of this run: %s", e.Silent())
	}
	if state.Suspended {
		f.out.note("run %s is suspended, not ended: %s goes on with it", state.Run.ID, p.printed(state, "resume"))
	}
	if state.Outcome != drain.OutcomeDone {
		f.out.note("the journal of this run: %s", drain.JournalPath(p.StateDir, state.Run.ID))
	}
	if e, ok := f.run.(interface{ Err() error }); ok && e.Err() != nil {
		f.out.complain("the journal of this run is not complete: " + e.Err().Error())
	}
	return told(ExitOf(state.Outcome))
}

// startRun opens a journal and begins the run. It goes on when the context
// ends: whoever started it aborts it by a word, and waits.
func (p *Program) startRun(ctx context.Context, c *Cluster, source drain.Source, plan drain.Plan) (Run, error) {
	id := drain.NewRunID()
	journal, err := drain.CreateJournal(p.StateDir, id)
	if err != nil {
		return nil, &failure{
			code: ExitError, text: "cannot write the journal of the run in " + p.StateDir + "; nothing was changed",
			err: err, hint: "make room there, or choose another folder with XDG_STATE_HOME",
		}
	}
	run, err := p.Start(context.WithoutCancel(ctx), drain.EngineConfig{
		Source: source, Writer: c.Writer, Journal: journal, Now: p.Now,
	}, plan, drain.RunFacts{
		ID: id, Context: c.Context, Kubeconfig: c.Target.Kubeconfig, Program: c.Target.Program, Connection: c.Target.Others, Server: c.Server, ClusterUID: c.UID, User: c.User, Version: p.Build.Version,
	})
	if err != nil {
		return nil, &failure{code: ExitError, text: "cannot start the run; nothing was changed", err: err}
	}
	return run, nil
}

// refusedWhole tells whether the plan lets no node be drained.
func refusedWhole(plan drain.Plan) bool {
	refused := 0
	for _, n := range plan.Nodes {
		if slices.ContainsFunc(n.Pods, func(p drain.PodPlan) bool { return p.Action == drain.ActionRefuse }) {
			refused++
		}
	}
	return refused == len(plan.Nodes) || refused > 0 && plan.Options.AllOrNothing
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
