package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

func (p *Program) replayCommand() *cobra.Command {
	f := p.newFlags()
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay RUN|FILE",
		Short: "Play a run on the dashboard, from its journal",
		Long: "Plays a run on the dashboard as it was seen then, from its journal; also from that of another machine,\n" +
			"as a file. Asks no cluster. A time in which nothing happened is cut to two seconds.",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			ids, _ := p.runs.IDs() // nothing to offer is all that an error means here
			return ids, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.replay(cmd.Context(), f, speed, args) },
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "how many times as fast as it was; 0 shows the end")
	cmd.Flags().StringVar(&f.theme, "theme", "", "the colours of the dashboard")
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
	events, err := p.journalAt(args[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	replay, err := journal.NewReplay(ctx, events, speed)
	if err != nil {
		return &failure{code: ExitError, text: "cannot play " + args[0], err: err}
	}
	code, err := p.Dashboard(ctx, DashboardRequest{
		Replay: replay, ReadOnly: true, Theme: f.theme, NoColor: f.noColor, ASCII: f.ascii,
	})
	cancel()
	<-replay.Done()
	if err != nil {
		return &failure{code: max(code, ExitError), text: "the dashboard ended", err: err}
	}
	return told(code)
}

// journalAt reads the journal of a run of this machine, or the one in a file.
func (p *Program) journalAt(name string) ([]drain.Event, error) {
	path := name
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		if strings.ContainsAny(name, `/\`) {
			return nil, &failure{code: ExitError, text: "there is no journal " + name, err: err}
		}
		if _, err := p.runs.Record(name); err != nil {
			return nil, err
		}
		path = p.runs.Path(name)
	}
	events, _, err := journal.ReadJournal(path)
	if err != nil {
		return nil, &failure{code: ExitError, err: err}
	}
	return events, nil
}
