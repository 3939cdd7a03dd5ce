package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// dashboard opens the screen. Without a terminal there is no screen, and a
// drain that was not confirmed must never take its place.
func (p *Program) dashboard(cmd *cobra.Command, f *flags, args []string) error {
	if !p.Terminal.In || !p.Terminal.Out {
		if len(args) > 0 {
			if names := help.MeantCommands(cmd, args[0]); len(names) > 0 {
				return usage(meant(names)+"A node of that name needs a terminal",
					"there is no command %q; nothing was done", args[0])
			}
		}
		return usage("without one: "+p.line("plan NODE...")+", or "+p.line("drain NODE... --yes"),
			"the dashboard needs a terminal for standard input and output; nothing was done")
	}
	chosen := len(args) > 0 || f.selector != ""
	if chosen {
		if err := checkSelection(args, f.selector); err != nil {
			return err
		}
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	p.runs.Keep = f.keep()
	if err := f.telling.Apply(p.runs); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{
		ChunkSize: f.chunkSize, LeaseNamespace: options.LeaseNamespace, RequestLog: p.Log,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	session.Observe(ctx, kube.Kinds...)
	note, err := session.SettleEvictions(ctx, &options)
	if err != nil { // no reason to show nothing
		note = "which evictions the API server takes is not known: " + err.Error()
	}
	var marked []string
	if chosen {
		if marked, err = session.Select(ctx, f.selection(args)); err != nil {
			return meantCommand(cmd, args, err)
		}
	}
	request := p.dashboardRequest(f, session, options)
	request.Marked = marked
	request.note(note)
	return p.show(ctx, request)
}

// note adds what is not "".
func (r *DashboardRequest) note(text string) {
	if text != "" {
		r.Notes = append(r.Notes, text)
	}
}

// DashboardEnd is what a dashboard leaves behind.
type DashboardEnd struct {
	Run  live.Run      // the last one that was on it, nil if there was none
	Text func() string // the result of that run as it is now, for the normal screen
}

// show opens the dashboard. Leaving it ends the run that is live on it: how that ended
// is said on the normal screen.
func (p *Program) show(ctx context.Context, request DashboardRequest) error {
	end, failed := p.Dashboard(ctx, request)
	if end.Run == nil && request.Attach != nil {
		end.Run = request.Attach // the screen never opened
	}
	var code int
	if _, foreign := end.Run.(live.Foreign); end.Run != nil && request.Replay == nil && !foreign {
		code = exitOfRun(p.endRun(end.Run, failed != nil))
	}
	if end.Text != nil {
		if text := end.Text(); text != "" {
			fmt.Fprintln(p.Out, text)
		}
	}
	var refused *app.Error
	switch {
	case errors.As(failed, &refused):
		return failed
	case failed != nil:
		return &failure{code: ExitError, text: "the dashboard ended", err: failed}
	}
	return told(code)
}

// endPatience is how long a run that was told to stop may take to say how it ended,
// after the dashboard was left.
const endPatience = 30 * time.Second

// endRun waits for a run that is still live. Where the screen failed, as when its
// terminal went away, no one asked for its end: it is suspended, and can be resumed.
func (p *Program) endRun(run live.Run, failed bool) *drain.State {
	select {
	case <-run.Done():
	default:
		last := drain.Command{Kind: drain.CommandAbort, By: "kdrain-tui", Why: "the dashboard was closed"}
		if failed {
			last = drain.Command{Kind: drain.CommandSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"}
		}
		run.Send(last)
		fmt.Fprintln(p.Err, "the run is being stopped; accepted evictions finish")
		select {
		case <-run.Done():
		case <-time.After(endPatience):
			fmt.Fprintln(p.Err, "some answers are outstanding; the journal shows what was sent")
		}
	}
	state := run.State()
	if state.Suspended {
		fmt.Fprintf(p.Err, "run %s is suspended, not ended: %s continues it\n", state.Run.ID,
			p.printed(state, "resume"))
	}
	events, journal := app.Shortcomings(run)
	if events != "" {
		fmt.Fprintln(p.Err, kube.Clean(fmt.Sprintf(noEvents, events)))
	}
	if journal != nil {
		explain(p.Err, errors.New(journalGaps+journal.Error()))
	}
	return state
}

// What went wrong beside a run that has ended.
const (
	noEvents    = "the nodes have no Events of this run: %s"
	journalGaps = "the journal of this run is not complete: "
)

// meantCommand adds a hint where an unknown node looks like a command.
func meantCommand(root *cobra.Command, args []string, err error) error {
	var f *app.Error
	if len(args) == 0 || !errors.As(err, &f) {
		return err
	}
	f.Hint = meant(help.MeantCommands(root, args[0])) + f.Hint
	return err
}

func (p *Program) dashboardRequest(f *flags, session *app.Session, o plan.Options) DashboardRequest {
	return DashboardRequest{
		Alert: f.telling.Alert(), Session: session, Options: o, Protected: f.protectedWord(session), LabelColumns: f.labelColumns,
		ReadOnly: session.ReadOnly, Theme: f.theme, NoColor: f.noColor || !p.Terminal.Color, ASCII: f.ascii,
	}
}
