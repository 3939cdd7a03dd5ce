package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
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
	p.listen(f.yes || options.DryRun != plan.DryRunNone)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{
		ChunkSize: f.chunkSize, Nodes: f.selection(args).Names(), LeaseNamespace: options.LeaseNamespace,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	session.ObserveDrain(ctx, f.selection(args), options, options.DryRun == plan.DryRunNone && !f.yes) // comes in while we ask
	if err := p.settleEvictions(ctx, session, &options); err != nil {
		return err
	}
	if err := session.MayDrain(ctx, options); err != nil {
		return err
	}
	if f.takesUp {
		if err := p.takeUp(ctx, f, session, args, &options); err != nil {
			return err
		}
	}
	planned, err := session.Plan(ctx, options, preflight.Access{})
	if err != nil {
		return err
	}
	out := p.newOutput(f, session).Of(planned)
	if len(planned.Nodes) == 0 {
		out.Nothing()
		return nil
	}
	if err := session.MayReadScales(ctx, planned); err != nil {
		return err
	}
	out.Refusals(planned)
	if options.DryRun != plan.DryRunNone {
		return p.dryRun(ctx, session, planned, out)
	}
	return p.runDrain(ctx, f, session, planned, out)
}

// drainOptions judges the command line before anything connects.
func (p *Program) drainOptions(cmd *cobra.Command, f *flags, args []string) (plan.Options, error) {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return plan.Options{}, err
	}
	if err := f.check(); err != nil {
		return plan.Options{}, err
	}
	options, err := f.options()
	if err != nil {
		return options, err
	}
	if options.DryRun == plan.DryRunNone {
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

// settleEvictions says what differs from what was asked for.
func (p *Program) settleEvictions(ctx context.Context, session *app.Session, o *plan.Options) error {
	note, err := session.SettleEvictions(ctx, o)
	if note != "" {
		fmt.Fprintln(p.Err, note)
	}
	return err
}

// runDrain starts the run and follows it to its end.
func (p *Program) runDrain(ctx context.Context, f *flags, session *app.Session, plan plan.Plan, out *print.Drain) error {
	if !f.yes && !refusedWhole(plan) {
		session.Estimate(&plan)
		out.Preview(plan)
	} else {
		out.Findings(plan)
	}
	// From here on a signal ends the run, not the program: what was begun is
	// said, and the journal is closed.
	p.graceful.Store(true)
	run, err := session.Start(ctx, plan)
	if err != nil {
		return err
	}
	out.Begins(run.State(), p.display())
	return p.see(ctx, &follower{p: p, run: run, session: session, out: out, yes: f.yes})
}

// see follows a run to its end and says how it ended.
func (p *Program) see(ctx context.Context, f *follower) error {
	served, err := p.runs.Served(f.run.State().Run.ID)
	if f.served = served; err != nil {
		explain(p.Err, &failure{text: p.display() + " ctl will not reach this run", err: err})
	}
	state := f.follow(ctx)
	f.out.End(f.run.Events(0))
	f.out.Leftovers(state, f.session.Snapshot())
	journal, events := app.Shortcomings(f.run)
	if events != "" {
		f.out.Note("the nodes have no Events of this run: %s", events)
	}
	if state.Suspended {
		f.out.Note("run %s is suspended, not ended: %s goes on with it", state.Run.ID, p.printed(state, "resume"))
	}
	if state.Outcome != drain.OutcomeDone {
		f.out.Note("the journal of this run: %s", p.runs.Path(state.Run.ID))
	}
	if journal != nil {
		f.out.Complain("the journal of this run is not complete: " + journal.Error())
	}
	return told(ExitOf(state.Outcome))
}

// refusedWhole tells whether the plan lets no node be drained.
func refusedWhole(planned plan.Plan) bool {
	refused := 0
	for _, n := range planned.Nodes {
		if slices.ContainsFunc(n.Pods, func(p plan.Pod) bool { return p.Action == plan.ActionRefuse }) {
			refused++
		}
	}
	return refused == len(planned.Nodes) || refused > 0 && planned.Options.AllOrNothing
}
