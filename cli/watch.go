package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

func (p *Program) watchCommand() *cobra.Command {
	c := &pastRun{Program: p, f: p.newFlags()}
	cmd := &cobra.Command{
		Use:   "watch RUN",
		Short: "Show a live run of another process on the dashboard, and steer it",
		Long: "Opens the dashboard on the page of a run, or on the board of a roll, that another process of this machine\n" +
			"works on. What the page shows comes from its journal; its keys send the commands of ctl. Questions are\n" +
			"answered where it runs. Leaving the page does not end the run. When the run ends, its result stays on\n" +
			"the screen; when its process ends before, the page says so, and follows whoever resumes it. Where the\n" +
			"cluster cannot be reached, the page of the run is the only one.\n\n" +
			"Exit codes: 0 the page was left, also before the end of the run, 1 no such run, or not live, 2 usage.",
		Example: p.examples(`
# Watch and steer a drain that runs in another terminal
watch k7f3pm
# Only watch it
watch k7f3pm --read-only`),
		ValidArgsFunction: completionOf(p).RunsOf(func(b live.Brief) bool { return b.Live }),
		RunE:              c.watch,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	c.f.bindProtected(fs)
	c.f.bindScreen(fs)
	c.f.bindColumns(fs)
	c.f.bindLook(fs)
	c.f.telling.BindScreen(fs)
	return cmd
}

func (c *pastRun) watch(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) != 1 || args[0] == "":
		return usage("usage: "+cmd.UseLine()+"\n"+c.display()+" runs lists them", "which run?")
	case !c.Terminal.In || !c.Terminal.Out:
		return usage("without one: "+c.display()+" ctl "+args[0]+" status",
			"watch needs a terminal to read and to show")
	}
	if err := (&ctl{Program: c.Program, f: c.f}).mustLive(args[0]); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var attach app.Run
	var attachRoll live.Roll
	var facts *drain.RunFacts
	if c.f.host(c.Program).Known(args[0]) {
		roll, err := rolls.Follow(ctx, c.runs, args[0])
		if err != nil {
			return err
		}
		defer roll.Wait()
		attachRoll, facts = roll, &roll.State().Facts.Run
	} else {
		run, err := c.runs.Watch(ctx, args[0])
		if err != nil {
			return err
		}
		defer run.Wait()
		attach, facts = run, &run.State().Run
	}
	defer cancel()
	request, closeSession, err := c.reach(ctx, cmd, facts)
	if err != nil {
		return err
	}
	defer closeSession()
	request.Attach, request.AttachRoll = attach, attachRoll
	_, err = c.show(ctx, request)
	return err
}

// reach is the dashboard on the cluster of a run, or without one where it cannot be
// reached: just then the run is to be seen.
func (c *pastRun) reach(
	ctx context.Context, cmd *cobra.Command, run *drain.RunFacts,
) (DashboardRequest, func(), error) {
	session, err := c.openOf(ctx, cmd, run, true)
	if err != nil {
		request := DashboardRequest{Options: run.Options, ReadOnly: c.connection.ReadOnly,
			Protected: c.f.protectedContext(run.Context), Screen: c.f.screen(c.Terminal)}
		request.note("the cluster of the run is not reached: " + err.Error())
		return request, func() {}, nil
	}
	if err := session.ObserveOf(ctx, run); err != nil {
		session.Close()
		return DashboardRequest{}, nil, err
	}
	return c.dashboardRequest(c.f, session, run.Options), func() { session.Close() }, nil
}
