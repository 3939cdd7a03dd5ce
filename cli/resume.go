package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
)

func (p *Program) resumeCommand() *cobra.Command {
	c := &pastRun{Program: p, f: p.newFlags()}
	f := c.f
	headless := false
	cmd := &cobra.Command{
		Use:   "resume RUN | --node NODE",
		Short: "Go on with a run that was suspended or whose process died",
		Long: "Goes on with a run that was suspended or cut short, from its journal, with the options and on the nodes that it had.\n" +
			"On a terminal it opens the dashboard on the run's page; with --yes, --headless or -o it prints lines as drain does.\n" +
			"What was confirmed stays confirmed; a question that is open is asked, or confirmed by --yes. The time in\n" +
			"which no process worked on it does not count for --timeout and --force-after. It refuses another cluster\n" +
			"than the run's, a run that is live and one that has ended.\n\n" +
			"With --node it needs no journal: a new run drains the nodes that carry the annotation of another run, with the\n" +
			"flags of drain. It takes the annotations over, so that its own rollback uncordons what the other run cordoned,\n" +
			"and first removes the temporary budgets that the other run left.\n\n" +
			"Exit codes as those of drain.",
		Example: p.examples(`
# Go on with a run on the dashboard
resume k7f3pm
# Go on with it from a script, told as JSON
resume k7f3pm --yes -o json
# Go on with the run of another machine, known by the annotations on its nodes
resume --node worker-1 --node worker-2 --ignore-daemonsets`),
		ValidArgsFunction: completionOf(p).RunsOf(func(b live.Brief) bool { return !b.Live && b.Ended.IsZero() }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.marked) > 0 {
				return c.resumeMarked(cmd, args)
			}
			return c.resume(cmd, args, p.Terminal.In && p.Terminal.Out && !f.yes && !headless &&
				!cmd.Flags().Changed("output"))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindYes(fs, "confirm guard, cordon and eviction without being asked; without the dashboard")
	f.bindOrder(fs, &c.retire)
	f.bindProtected(fs)
	fs.BoolVar(&headless, "headless", false, "go on without the dashboard, also on a terminal")
	f.bindOutput(fs)
	f.bindLook(fs)
	f.bindScreen(fs)
	f.bindColumns(fs)
	f.telling.BindAll(fs)
	own := append(flagNames(fs), "node")
	f.bindMarked(cmd)
	f.bindDrain(fs, "dry-run", "take-over")
	f.bindJournals(fs)
	ofDrain := slices.DeleteFunc(flagNames(fs), func(name string) bool { return slices.Contains(own, name) })
	cmd.Annotations = map[string]string{help.FlagsOf: "drain"}
	cmd.PreRunE = func(*cobra.Command, []string) error { return f.onlyWithMarked(fs, ofDrain) }
	return cmd
}

func (c *pastRun) resume(cmd *cobra.Command, args []string, onScreen bool) error {
	if err := c.checkRunArgs(cmd, args); err != nil {
		return err
	}
	if err := c.f.telling.Apply(c.runs); err != nil {
		return err
	}
	if c.f.host(c.Program).Known(args[0]) {
		return c.resumeRoll(cmd, args[0], onScreen)
	}
	r, err := c.deadRun(args[0])
	if err != nil {
		return err
	}
	leaves := app.Leaving(r.State)
	if err := c.runs.NotEnded(r.State); err != nil && !leaves {
		return err
	}
	onScreen = onScreen && !leaves
	c.listen(c.f.yes || onScreen)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := c.openOf(ctx, cmd, &r.State.Run, onScreen)
	if err != nil {
		return err
	}
	defer session.Close()
	if leaves {
		return c.goOnRetiring(ctx, session, r)
	}
	if !onScreen { // the dashboard asks for it itself
		if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
			return err
		}
	}
	resumption, err := session.Resume(ctx, r.State, onScreen) // what it needs comes in while we ask
	if err != nil {
		return err
	}
	note, err := resumption.Ready(ctx)
	if note != "" && !onScreen || err != nil {
		c.say(note)
	}
	if err != nil {
		return err
	}
	if onScreen {
		return c.goOnScreen(ctx, session, resumption, note, tornNote(r))
	}
	return c.goOn(ctx, session, resumption)
}

// goOnScreen follows the run on the dashboard's run page.
func (c *pastRun) goOnScreen(ctx context.Context, session *app.Session, resumption *app.Resumption,
	notes ...string) error {
	run, events, err := resumption.Start(ctx)
	if err != nil {
		return err
	}
	request := c.dashboardRequest(c.f, session, drain.Fold(nil, events...).Run.Options)
	request.Attach = run
	request.note(notes...)
	_, err = c.show(ctx, request)
	return err
}

// goOn follows the run as drain does.
func (c *pastRun) goOn(ctx context.Context, session *app.Session, resumption *app.Resumption) error {
	c.signals.Graceful.Store(true) // from here on a signal ends the run, not the program, as in drain
	run, events, err := resumption.Start(ctx)
	if err != nil {
		return err
	}
	out := c.newOutput(c.f, session)
	before := drain.Fold(nil, events...)
	out.Resumed(before, events)
	f := &follower{p: c.Program, run: run, session: session, out: out, yes: c.f.yes, seen: uint64(len(events))}
	if before.Run.Retire != nil {
		f.retires = func(ctx context.Context) (int, error) {
			return f.retireAfter(ctx, session, c.retire.After(before.Run.Retire))
		}
	}
	return f.see(ctx)
}

// pastRun is a command about a run of before: resume or rollback.
type pastRun struct {
	*Program
	f      *flags
	retire retire.Order // beside what the run was started with
}

// runPageSize is the page size of large lists, as the default of drain.
const runPageSize = 500

// checkRunArgs judges a command line that changes the cluster of a run, before anything is read.
func (c *pastRun) checkRunArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage("usage: "+cmd.UseLine()+"\n"+c.display()+" runs lists them", "which run?")
	case c.connection.ReadOnly:
		return usage(c.display()+" report shows what a run did", "--read-only forbids %s", cmd.Name())
	case !c.f.yes && !c.canAsk():
		return usage("add --yes to confirm, or see first: "+c.display()+" report "+args[0],
			"there is no terminal to ask on; nothing was done")
	}
	return nil
}

// deadRun reads the journal of a run that no process works on, and says where it is cut off.
func (c *pastRun) deadRun(id string) (*app.Record, error) {
	r, err := c.runs.Dead(id)
	if err == nil && r.Torn {
		fmt.Fprintln(c.Err, "Warning: "+tornNote(r))
	}
	return r, err
}

// tornNote says that the journal of a run is cut off, "" where it is not.
func tornNote(r *app.Record) string {
	if !r.Torn {
		return ""
	}
	return "the last line of the journal is incomplete: what the run did last is not known"
}

// openOf connects to the cluster of the run. The kubeconfig's current context
// may have changed since: where no flag says which cluster, the run's counts.
func (c *pastRun) openOf(ctx context.Context, cmd *cobra.Command, run *drain.RunFacts,
	onScreen bool) (*app.Session, error) {
	given := false
	for _, name := range []string{"context", "cluster", "server", "kubeconfig"} {
		given = given || cmd.Flags().Changed(name)
	}
	if !given && run.Context != "" {
		c.connection.Overrides.CurrentContext = run.Context
		c.connection.Kubeconfig = run.Kubeconfig
	}
	names := make([]string, len(run.Nodes))
	for i, n := range run.Nodes {
		names[i] = n.Name
	}
	o := app.ConnectOptions{ChunkSize: runPageSize, Nodes: names, LeaseNamespace: run.Options.LeaseNamespace}
	if onScreen {
		o.RequestLog = c.Log
	}
	return c.open(ctx, o)
}
