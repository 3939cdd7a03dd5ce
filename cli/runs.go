package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

// What journals tell without a cluster: which runs there are, what became of one, and how
// it went.

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

// listRuns tells of every journal that can be read; one that cannot be is said,
// and is the exit code's matter.
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
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Show what a run was asked to do and what became of it",
		Long: "Shows what a run was asked to do and what became of each pod, what blocked them and for how\n" +
			"long, and what is left to do, from its journal; also of a run that is under way or whose process died.\n" +
			"Without a name it is the newest run. Needs no cluster.",
		Example: p.examples(`
# Tell what became of the newest run
report
# Tell what became of a run
report k7f3pm
# Write it for a ticket, with a chart
report k7f3pm -o markdown > change-4711.md`),
		ValidArgsFunction: completionOf(p).RunsOf(func(live.Brief) bool { return true }),
		RunE:              func(_ *cobra.Command, args []string) error { return p.report(f, args) },
	}
	f.bindOutput(cmd.Flags(), plan.Choice{Value: "markdown", Does: "for a ticket, with a chart, as GitHub shows it"})
	f.bindLook(cmd.Flags())
	return cmd
}

func (p *Program) report(f *flags, args []string) error {
	if len(args) > 1 || len(args) == 1 && (strings.ContainsAny(args[0], `/\`) || args[0] == "") {
		return usage("usage: "+p.display()+" report [RUN]\n"+p.display()+" runs lists them", "which run? Not a file")
	}
	id, err := "", error(nil)
	if len(args) == 1 {
		id = args[0]
	} else if id, err = p.runs.Newest(); err != nil {
		return err
	}
	if host := f.host(p); host.Known(id) {
		return host.Report(id, p.printer(f), p.Out, f.output == "markdown")
	}
	r, err := p.runs.Record(id)
	if err != nil {
		return err
	}
	switch {
	case r.Torn:
		fmt.Fprintln(p.Err, "Warning: "+tornNote(r))
	case r.State.Suspended && !r.Live:
		fmt.Fprintf(p.Err, "Warning: the run has not ended: it is suspended, and %s continues it\n",
			p.printed(r.State.Run, "resume"))
	case r.State.Outcome == "" && !r.Live:
		fmt.Fprintln(p.Err, "Warning: the run has not ended: its process died")
	}
	told := report.Of(r.Events, r.Live)
	if r.Torn {
		told.Warnings = append(told.Warnings, tornNote(r))
	}
	return p.printer(f).Value(told, func(t *print.Text) {
		if f.output == "markdown" {
			fmt.Fprint(p.Out, told.Markdown())
			return
		}
		for line := range strings.Lines(t.Style.Plain(told.Story())) {
			t.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	})
}

func (p *Program) replayCommand() *cobra.Command {
	f := p.newFlags()
	var speed float64
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
	cmd.Flags().Float64Var(&speed, "speed", 1, "how many times as fast as it was; 0 shows the end")
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
