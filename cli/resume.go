package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

func (p *Program) resumeCommand() *cobra.Command {
	f := p.newFlags()
	headless := false
	cmd := &cobra.Command{
		Use:   "resume RUN | --node NODE",
		Short: "Go on with a run whose process died",
		Long: "Goes on with a run that was cut short, from its journal, with the options and on the nodes that it had.\n" +
			"On a terminal it opens the dashboard on the run's page; with --yes, --headless or -o it prints lines as drain does.\n" +
			"What was confirmed stays confirmed; a question that is open is asked, or confirmed by --yes. The time in\n" +
			"which nobody worked on it does not count for --timeout and --force-after. It refuses another cluster\n" +
			"than the run's, a run that is live and one that has ended.\n\n" +
			"With --node it needs no journal: a new run drains the nodes that carry the mark of another run, with the\n" +
			"flags of drain. It takes the marks over, so that its own rollback uncordons what the other run cordoned,\n" +
			"and first removes the temporary budgets that the other run left.\n\n" +
			"Exit codes as those of drain.",
		Example: p.examples("resume k7f3pm", "resume k7f3pm --yes -o json",
			"resume --node worker-1 --node worker-2 --ignore-daemonsets"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.marked) > 0 {
				return p.resumeMarked(cmd, f, args)
			}
			return p.resume(cmd, f, args, p.Terminal.In && p.Terminal.Out && !f.yes && !headless && !cmd.Flags().Changed("output"))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.yes, "yes", false, "confirm guard, cordon and eviction, instead of being asked; without the dashboard")
	fs.BoolVar(&headless, "headless", false, "go on without the dashboard, also on a terminal")
	f.bindOutput(fs)
	f.bindLook(fs)
	own := flagNames(fs)
	f.bindMarked(cmd)
	f.bindDrain(fs, "dry-run", "take-over")
	ofDrain := slices.DeleteFunc(flagNames(fs), func(name string) bool { return name == "node" || slices.Contains(own, name) })
	cmd.PreRunE = func(*cobra.Command, []string) error { return f.onlyWithMarked(fs, ofDrain) }
	return cmd
}

func (p *Program) resume(cmd *cobra.Command, f *flags, args []string, onScreen bool) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := p.checkRunArgs(cmd, f, args); err != nil {
		return err
	}
	r, err := p.deadRun(args[0])
	if err != nil {
		return err
	}
	if err := p.runs.NotEnded(r.State); err != nil {
		return err
	}
	p.listen(f.yes || onScreen)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.openOf(ctx, cmd, &r.State.Run)
	if err != nil {
		return err
	}
	defer session.Close()
	session.ObserveRun(ctx, &r.State.Run, onScreen) // comes in while we ask
	note, err := session.ReadyToResume(ctx, &r.State.Run)
	if note != "" {
		fmt.Fprintln(p.Err, note)
	}
	if err != nil {
		return err
	}
	return p.goOn(ctx, f, session, args[0], onScreen)
}

// goOn follows the run as drain does, or on the dashboard's run page.
func (p *Program) goOn(ctx context.Context, f *flags, session *app.Session, id string, onScreen bool) error {
	// From here on a signal ends the run, not the program, as in drain.
	p.graceful.Store(!onScreen)
	run, events, err := session.Resume(ctx, id)
	if err != nil {
		return err
	}
	before := drain.Fold(nil, events...)
	if onScreen {
		return p.showResumed(ctx, f, session, run, before.Run.Options)
	}
	out := p.newOutput(f, session)
	out.Resumed(before, events)
	return p.see(ctx, &follower{p: p, run: run, session: session, out: out, yes: f.yes, seen: uint64(len(events))})
}

// showResumed opens the dashboard on the page of a resumed run. Where the screen
// cannot be had, the run is suspended again.
func (p *Program) showResumed(ctx context.Context, f *flags, session *app.Session, run app.Run, o plan.Options) error {
	request := p.dashboardRequest(f, session, o)
	request.Attach = run
	code, err := p.Dashboard(ctx, request)
	if err == nil {
		return told(code)
	}
	run.Send(drain.Control{Kind: drain.ControlSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"})
	<-run.Done()
	return &failure{code: max(code, ExitError), text: "the dashboard ended", err: err}
}

// runPageSize is the page size of large lists, as the default of drain.
const runPageSize = 500

// completeRuns offers the runs of this machine; there is one argument.
func (p *Program) completeRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids, _ := p.runs.IDs() // nothing to offer is all that an error means here
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// checkRunArgs judges a command line that changes the cluster of a run, before
// anything is read.
func (p *Program) checkRunArgs(cmd *cobra.Command, f *flags, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage(p.display()+" runs lists them", "which run? USAGE: %s RUN [--yes]", cmd.CommandPath())
	case p.connection.ReadOnly:
		return usage(p.display()+" report tells what a run did", "--read-only forbids to %s a run", cmd.Name())
	case !f.yes && !p.canAsk():
		return usage("add --yes to confirm, or look first: "+p.display()+" report "+args[0],
			"there is no terminal to ask on; nothing was done")
	}
	return nil
}

// deadRun reads the journal of a run that no process works on, and says where
// it is cut off.
func (p *Program) deadRun(id string) (*app.Record, error) {
	r, err := p.runs.Dead(id)
	if err == nil && r.Torn {
		fmt.Fprintln(p.Err, "Warning: the last line of the journal is cut off: what the run did last is not known")
	}
	return r, err
}

// openOf connects to the cluster of the run. The kubeconfig's current context
// may have changed since: where no flag says which cluster, the run's counts.
func (p *Program) openOf(ctx context.Context, cmd *cobra.Command, run *drain.RunFacts) (*app.Session, error) {
	given := false
	for _, name := range []string{"context", "cluster", "server", "kubeconfig"} {
		given = given || cmd.Flags().Changed(name)
	}
	if !given && run.Context != "" {
		p.connection.Overrides.CurrentContext = run.Context
		p.connection.Kubeconfig = run.Kubeconfig
	}
	names := make([]string, len(run.Nodes))
	for i, n := range run.Nodes {
		names[i] = n.Name
	}
	session, err := p.open(ctx, app.ConnectOptions{ChunkSize: runPageSize, Nodes: names, LeaseNamespace: run.Options.LeaseNamespace})
	if err != nil {
		return nil, err
	}
	if err := session.SameCluster(run); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}
