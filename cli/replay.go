package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
)

func (p *Program) replayCommand() *cobra.Command {
	f := p.newFlags()
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay RUN|FILE",
		Short: "Play a run on the dashboard, from its journal",
		Long: "Plays a run on the dashboard as it was seen then, from its journal; also from that of another machine,\n" +
			"as a file. Needs no cluster. A time in which nothing happened is cut to two seconds.",
		Example: p.examples(`
# Play a run of this machine, ten times as fast as it was
replay k7f3pm --speed=10
# Show the end of a run of another machine, whose journal was copied here
replay ./k7f3pm.jsonl --speed=0`),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			runs, _ := completion{p}.runsOf(func(app.Brief) bool { return true })(cmd, args, typed)
			return runs, cobra.ShellCompDirectiveDefault // a file is as good
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), f, speed, args) },
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "how many times as fast as it was; 0 shows the end")
	f.bindTheme(cmd.Flags())
	f.bindLook(cmd.Flags())
	return cmd
}

func (p *Program) replay(ctx context.Context, f *flags, speed float64, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage(p.display()+" runs lists them", "which run? USAGE: %s replay RUN|FILE", p.display())
	case speed < 0:
		return usage("", "--speed=%g: must be 0 or more", speed)
	case !p.Terminal.In || !p.Terminal.Out:
		return usage("without one: "+p.display()+" report RUN", "a replay needs a terminal for standard input and output")
	}
	events, err := p.runs.Journal(args[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	replay, err := journal.NewReplay(ctx, events, speed)
	if err != nil {
		return &failure{code: ExitError, text: "cannot play " + args[0], err: err}
	}
	err = p.show(ctx, DashboardRequest{Replay: replay, ReadOnly: true, Theme: f.theme, NoColor: f.noColor || !p.Terminal.Color, ASCII: f.ascii})
	cancel()
	<-replay.Done()
	return err
}
