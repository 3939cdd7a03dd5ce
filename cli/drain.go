package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/dryrun"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
)

func (p *Program) drainCommand() *cobra.Command {
	c := &draining{Program: p, f: p.newFlags()}
	cmd := &cobra.Command{
		Use:   "drain NODE...",
		Short: "Drain nodes without the dashboard; a superset of kubectl drain",
		Long: "Cordons the nodes and evicts their pods as fast as the budgets allow, pods with volumes one at a time,\n" +
			"with the flags of kubectl drain. Asks before each phase on a terminal; elsewhere it needs --yes. A node with\n" +
			"a pod that is refused is left untouched, not even cordoned.\n\n" +
			"Exit codes: 0 drained, 1 error, 2 usage, 3 refused and nothing written, 4 timed out or partly drained,\n" +
			"5 permission missing, 6 aborted, 128+n ended by signal n.",
		Example: p.examples(`
# Drain a node: asks before it is cordoned and before its pods are evicted
drain worker-1 --ignore-daemonsets
# Drain two nodes from a script; data in emptyDir volumes is lost
drain worker-1 worker-2 --ignore-daemonsets --delete-emptydir-data --timeout=10m --yes
# Ask the API server what it would refuse, and change nothing
drain -l pool=batch --ignore-daemonsets --dry-run=server`),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE:              c.drain,
	}
	c.f.bindDrainCommand(cmd.Flags())
	c.f.telling.Bind(cmd.Flags())
	return cmd
}

// bindDrainCommand adds the flags of the command drain, for those that print one too.
func (f *flags) bindDrainCommand(fs *pflag.FlagSet) {
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindDrain(fs)
	f.bindYes(fs, "confirm cordon and eviction without being asked")
	f.bindProtected(fs)
	f.bindJournals(fs)
	f.bindOutput(fs)
	f.bindLook(fs)
}

// draining is the command drain.
type draining struct {
	*Program
	f     *flags
	order *retire.Order // the drained nodes are to leave the cluster, nil where they stay
}

func (c *draining) drain(cmd *cobra.Command, args []string) error {
	options, err := c.judged(cmd, args)
	if err != nil {
		return err
	}
	c.listen(c.f.yes || options.DryRun != plan.DryRunNone)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := c.open(ctx, app.ConnectOptions{ChunkSize: c.f.chunkSize, Nodes: c.f.selection(args).Names(),
		LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer session.Close()
	if options.DryRun == plan.DryRunNone {
		if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
			return err
		}
	}
	extent := app.Decisive
	if options.DryRun == plan.DryRunNone && !c.f.yes {
		extent = app.Whole // somebody reads the plan
	}
	steps := session.Drain(ctx, c.f.selection(args), options, extent) // what it needs comes in while we ask
	if err := settleEvictions(ctx, c.Err, session, &options); err != nil {
		return err
	}
	if err := steps.MayDrain(ctx, options); err != nil {
		return err
	}
	if session.Retires = c.order; c.order != nil && !(c.f.yes && !c.order.DeleteNode) {
		if err := session.MayRetire(ctx); err != nil {
			return err
		}
	}
	if err := c.takeUp(ctx, session, args, &options); err != nil {
		return err
	}
	planned, err := steps.Plan(ctx, options, preflight.Access{})
	if err != nil {
		return err
	}
	out := c.newOutput(c.f, session).Of(planned)
	if len(planned.Nodes) == 0 {
		out.Nothing()
		return nil
	}
	if err := steps.MayReadScales(ctx, planned); err != nil {
		return err
	}
	out.Refusals(planned)
	if options.DryRun != plan.DryRunNone {
		outcome, err := dryrun.Do(ctx, steps, planned, out)
		return cmp.Or(err, told(exitOf(outcome)))
	}
	if !c.f.yes && len(planned.Open().Nodes) > 0 {
		steps.Estimate(&planned)
		out.Preview(planned)
	} else {
		out.Findings(planned)
	}
	return c.runDrain(ctx, session, planned, out)
}

// judged judges the command line before anything connects.
func (c *draining) judged(cmd *cobra.Command, args []string) (plan.Options, error) {
	if err := checkNodeArgs(cmd, args, c.f); err != nil {
		return plan.Options{}, err
	}
	c.runs.Keep = c.f.keep()
	if err := c.f.telling.Apply(c.runs); err != nil {
		return plan.Options{}, err
	}
	options, err := c.f.options()
	if err != nil {
		return options, err
	}
	if options.DryRun == plan.DryRunNone {
		switch {
		case c.connection.ReadOnly:
			return options, usage("see plan, or --dry-run=server", "--read-only forbids a drain")
		case !c.f.yes && !c.canAsk():
			see := c.line(strings.Join(append([]string{"plan"}, args...), " "))
			return options, usage("add --yes to confirm cordon and eviction, or see first: "+see,
				"there is no terminal to ask on; nothing was done")
		}
	}
	return options, nil
}

// settleEvictions says what differs from what was asked for.
func settleEvictions(ctx context.Context, notes io.Writer, session *app.Session, o *plan.Options) error {
	note, err := session.SettleEvictions(ctx, o)
	if note != "" {
		fmt.Fprintln(notes, note)
	}
	return err
}

// runDrain starts the run and follows it to its end.
func (c *draining) runDrain(ctx context.Context, session *app.Session, planned plan.Plan, out *print.Drain) error {
	// From here on a signal ends the run, not the program: what was begun is said, and the journal is closed.
	c.signals.Graceful.Store(true)
	run, err := session.Start(ctx, planned)
	if err != nil {
		return err
	}
	out.Begins(run.State(), c.display())
	f := &follower{p: c.Program, run: run, session: session, out: out, yes: c.f.yes}
	if !f.yes {
		f.shown = planned
	}
	if c.order != nil {
		f.retires = func(ctx context.Context) (int, error) { return f.retireAfter(ctx, session, *c.order) }
	}
	return f.see(ctx)
}
