package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/rolling"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

// What journals tell: which runs there are, what became of one, and how it went.

func (p *Program) runsCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs whose journals are on this machine, newest first",
		Long: "Lists the drains that were started on this machine, newest first, from their journals.\n" +
			"Needs no cluster. Starting a drain removes old journals: see --keep-journals of drain.",
		Example: p.examples(`
# List the runs of this machine
runs
# Print the id of the newest run that has not ended
runs -o json | jq -r 'first(.[] | select(.outcome == "")).run'`),
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.listRuns(f) },
	}
	f.bindOutput(cmd.Flags())
	return cmd
}

// listRuns tells of every journal. One that cannot be read is named, and sets the exit code.
func (p *Program) listRuns(f *flags) error {
	records, damaged, err := p.runs.Records()
	if err != nil {
		return err
	}
	runs, torn := f.host(p).List(p.Now())
	damaged = append(damaged, torn...)
	for _, err := range damaged {
		explain(p.Err, err)
	}
	for _, r := range records {
		runs = append(runs, print.ProjectRun(r.State, r.Events, r.Live, p.Now()))
	}
	slices.SortStableFunc(runs, func(a, b print.Run) int { return b.StartedAt.Compare(a.StartedAt) })
	err = p.printer(f).Value(runs, func(t *print.Text) {
		if len(runs) == 0 {
			fmt.Fprintln(p.Err, "no runs in "+p.StateDir)
			return
		}
		print.Runs(t, runs)
	})
	if err == nil && len(damaged) > 0 {
		err = told(ExitError)
	}
	return err
}

func (p *Program) reportCommand() *cobra.Command {
	f := p.newFlags()
	c := &pastRun{Program: p, f: f}
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Show what a run was asked to do and what became of it",
		Long: "Shows what a run was asked to do and what became of each pod, what blocked them and for how\n" +
			"long, and what is left to do, from its journal; also of a run that is under way or whose process died.\n" +
			"Without a name it is the newest run. Where something was left to do, and after a roll, it looks at the cluster:\n" +
			"what was done since is listed separately. It waits 5 s for the cluster at most.",
		Example: p.examples(`
# Tell what became of the newest run
report
# Tell what became of a run
report k7f3pm
# Write it for a ticket, with a chart
report k7f3pm -o markdown > change-4711.md`),
		ValidArgsFunction: completionOf(p).RunsOf(func(live.Brief) bool { return true }),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.report(cmd, args) },
	}
	f.bindOutput(cmd.Flags(), plan.Choice{Value: "markdown", Does: "for a ticket, with a chart, as GitHub shows it"})
	f.bindLook(cmd.Flags())
	return cmd
}

func (c *pastRun) report(cmd *cobra.Command, args []string) error {
	if len(args) > 1 || len(args) == 1 && (strings.ContainsAny(args[0], `/\`) || args[0] == "") {
		return usage("usage: "+c.display()+" report [RUN]\n"+c.display()+" runs lists them", "which run? Not a file")
	}
	id, err := "", error(nil)
	if len(args) == 1 {
		id = args[0]
	} else if id, err = c.runs.Newest(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
	defer cancel()
	if host := c.f.host(c.Program); host.Known(id) {
		return host.Report(id, c.printer(c.f), c.Out, c.f.output == "markdown", c.comparison(ctx, cmd))
	}
	r, err := c.runs.Record(id)
	if err != nil {
		return err
	}
	told := report.Of(r.Events, r.Live)
	if r.Torn {
		told.Warnings = append(told.Warnings, tornNote(r))
	}
	if !r.Live && len(told.ToDo) > 0 {
		told.Unchecked = c.comparison(ctx, cmd)(&r.State.Run, func(ctx context.Context, s *app.Session) error {
			return s.Compare(ctx, &told, r.State)
		})
	}
	return c.printer(c.f).Value(told, func(t *print.Text) {
		if c.f.output == "markdown" {
			fmt.Fprint(c.Out, told.Markdown())
			return
		}
		for line := range strings.Lines(t.Style.Plain(told.Story())) {
			t.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	})
}

// comparison is the Comparison for the connection flags of the command.
func (c *pastRun) comparison(ctx context.Context, cmd *cobra.Command) rolling.Comparison {
	return func(run *drain.RunFacts, compare func(context.Context, *app.Session) error) string {
		session, err := c.openOf(ctx, cmd, run, false)
		if err == nil {
			defer session.Close()
			err = compare(ctx, session)
		}
		if err != nil {
			return err.Error()
		}
		return ""
	}
}

func (p *Program) replayCommand() *cobra.Command {
	f, speed := p.newFlags(), 1.0
	cmd := &cobra.Command{
		Use:   "replay RUN|FILE",
		Short: "Play a run on the dashboard, from its journal",
		Long: "Plays a run as it was, from its journal or a copied file; a roll of this machine on its board. Needs no cluster.\n" +
			"A time in which nothing happened is cut to two seconds. Keys pause it, and move it in time: ? lists them.",
		Example: p.examples(`
# Play a run of this machine, ten times as fast as it was
replay k7f3pm --speed=10
# Show the end of a run of another machine, whose journal was copied here
replay ./k7f3pm.jsonl --speed=0`),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			runs, _ := completionOf(p).RunsOf(func(live.Brief) bool { return true })(cmd, args, typed)
			return runs, cobra.ShellCompDirectiveDefault // a file is as good
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), f, speed, args) },
	}
	cmd.Flags().Float64Var(&speed, "speed", speed, "how many times as fast as it was; 0 shows the end")
	f.bindScreen(cmd.Flags())
	f.bindLook(cmd.Flags())
	return cmd
}

func (p *Program) replay(ctx context.Context, f *flags, speed float64, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage("usage: "+p.display()+" replay RUN|FILE\n"+p.display()+" runs lists them", "which run?")
	case speed < 0:
		return usage("", "--speed=%g: must be 0 or more", speed)
	case !p.Terminal.In || !p.Terminal.Out:
		return usage("without one: "+p.display()+" report RUN",
			"a replay needs a terminal for standard input and output")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request := DashboardRequest{ReadOnly: true, Screen: f.screen(p.Terminal)}
	if rolls.Known(p.runs, args[0]) {
		replay, err := rolls.Play(ctx, p.runs, args[0], speed)
		if err != nil {
			return err
		}
		request.ReplayRoll = replay
		defer func() { cancel(); <-replay.Done() }()
		_, err = p.show(ctx, request)
		return err
	}
	events, err := p.runs.Journal(args[0])
	if err != nil {
		return err
	}
	replay, err := journal.NewReplay(ctx, events, speed)
	if err != nil {
		return &failure{code: ExitError, text: "cannot play " + args[0], err: err}
	}
	request.Replay = replay
	defer func() { cancel(); <-replay.Done() }()
	_, err = p.show(ctx, request)
	return err
}
