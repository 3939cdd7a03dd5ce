package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/past"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/rolling"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	rules "github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// host is what the commands about rolls need.
func (f *flags) host(p *Program) *rolling.Host {
	return &rolling.Host{
		Runs: p.runs, Program: p.display(), Err: p.Err, CanAsk: p.canAsk, Listen: p.listen, Ask: p.ask, AskFor: p.askFor,
		Protect: func(ctx context.Context, s *app.Session, question string) error {
			return f.protect(ctx, p, s, question)
		},
		Output:  func(s *app.Session) *print.Drain { return p.newOutput(f, s) },
		Signals: &p.signals, Exit: func(o drain.Outcome) error { return told(exitOf(o)) },
	}
}

func newRollCommand(p *Program) *cobra.Command {
	f, of := p.newFlags(), &rules.Options{}
	cmd := &cobra.Command{Use: rolling.Use, Short: rolling.Short, Long: rolling.Long,
		Example:           p.examples(rolling.Examples),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return roll(cmd, args, p, f, of) }}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	*of = rules.DefaultOptions()
	of.Bind(fs)
	f.bindDrain(fs, "max-unhealthy", "take-over")
	f.bindYes(fs, "confirm the roll, its --before and --work commands included, without being asked")
	f.bindProtected(fs)
	f.bindJournals(fs)
	f.telling.Bind(fs)
	f.bindOutput(fs)
	f.bindLook(fs)
	return cmd
}

func roll(cmd *cobra.Command, args []string, p *Program, f *flags, of *rules.Options) error {
	options, err := (&draining{Program: p, f: f}).judged(cmd, args)
	if err != nil {
		return err
	}
	parallel := cmd.Flags().Changed("max-parallel-nodes")
	if err := rolling.Judge(*of, &options, parallel, p.canAsk()); err != nil {
		return err
	}
	p.runs.Keep = f.keep()
	p.listen(f.yes || options.DryRun != plan.DryRunNone)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{ChunkSize: f.chunkSize, Nodes: f.selection(args).Names(),
		LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer session.Close()
	return f.host(p).New(ctx, rolling.Request{Session: session, Nodes: f.selection(args), Drain: options,
		Roll: *of, Yes: f.yes})
}

// resumeRoll goes on with a roll as resume does with a run.
func (c *pastRun) resumeRoll(cmd *cobra.Command, id string, onScreen bool) error {
	host := c.f.host(c.Program)
	s, err := host.Resumable(id)
	if err != nil {
		return err
	}
	c.listen(c.f.yes || onScreen)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := c.openOf(ctx, cmd, &s.Facts.Run, onScreen)
	if err != nil {
		return err
	}
	defer session.Close()
	if !onScreen {
		return host.Resume(ctx, session, s, c.f.yes)
	}
	if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
		return err
	}
	session.Observe(ctx, kube.Kinds...)
	_, resumed, err := past.New(ctx, session).Resume(ctx, live.Brief{ID: id, Roll: true})
	if err != nil {
		return err
	}
	request := c.dashboardRequest(c.f, session, s.Facts.Run.Options)
	request.AttachRoll = resumed
	_, err = c.show(ctx, request)
	return err
}

// rollbackRoll rolls back the runs of a roll: nodes that are back have no cordon of theirs any longer. Then it gives
// back the Leases of the roll itself.
func (c *pastRun) rollbackRoll(cmd *cobra.Command, id string) error {
	runs, own, err := c.f.host(c.Program).Undoable(id, c.comparison(cmd.Context(), cmd))
	undone := func(failed error) {
		if failed != nil {
			explain(c.Err, failed)
			err = cmp.Or(err, told(codeOf(failed)))
		}
	}
	for _, run := range runs {
		undone(c.rollbackRun(cmd, run))
	}
	if own != nil && err == nil {
		undone(c.rollbackOf(cmd, own))
	}
	return err
}
