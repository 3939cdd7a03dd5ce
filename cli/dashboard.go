package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli/ending"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
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
	if p.Terminal.Dumb {
		return usage("line by line: "+p.line("plan NODE...")+", then "+p.line("drain NODE...")+", which asks",
			"this terminal (TERM=dumb) has no screen for the dashboard; nothing was done")
	}
	if len(args) > 0 || f.selector != "" {
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
	var before *string // the context that the operator came from
	for note := ""; ; {
		opened, next, err := p.onCluster(cmd, f, args, options, note)
		context := &p.connection.Overrides.CurrentContext
		switch {
		case !opened && before != nil: // back there
			note = "context " + *context + ": " + err.Error()
			*context, before = *before, nil
		case next == "":
			return err
		default:
			before, note, args, f.selector = new(*context), "", nil, ""
			*context = next
		}
	}
}

// onCluster opens the screen on the cluster of the present context. It reports whether it came to that, and in
// which context the operator goes on, "" where nowhere.
func (p *Program) onCluster(
	cmd *cobra.Command, f *flags, args []string, options plan.Options, said string,
) (opened bool, next string, err error) {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{
		ChunkSize: f.chunkSize, LeaseNamespace: options.LeaseNamespace, RequestLog: p.Log,
	})
	if err != nil {
		return false, "", err
	}
	defer session.Close()
	session.Observe(ctx, kube.Kinds...)
	note, err := session.SettleEvictions(ctx, &options)
	if err != nil { // no reason to show nothing
		note = "which evictions the API server takes is not known: " + err.Error()
	}
	var marked []string
	if len(args) > 0 || f.selector != "" {
		if marked, err = session.Select(ctx, f.selection(args)); err != nil {
			return false, "", meantCommand(cmd, args, err)
		}
	}
	request := p.dashboardRequest(f, session, options)
	request.Marked = marked
	request.note(note, said)
	request.Contexts = p.connection.Contexts()
	end, err := p.show(ctx, request)
	f.theme = end.Theme
	return true, end.Context, err
}

// note adds what is not "".
func (r *DashboardRequest) note(texts ...string) {
	r.Notes = append(r.Notes, slices.DeleteFunc(texts, func(text string) bool { return text == "" })...)
}

// DashboardEnd is what a dashboard leaves behind.
type DashboardEnd struct {
	Run  live.Run      // the last one that was on it, nil if there was none
	Roll live.Roll     // the last roll that was on it, nil if there was none or a run came after it
	Text func() string // the result of that run or roll as it is now, for the normal screen
	// Context is that of the cluster on which the operator goes on, "" for none, and Theme the one that was
	// chosen last.
	Context, Theme string
}

// show opens the dashboard. Leaving it ends the run that is live on it: how that ended is said on the normal screen.
func (p *Program) show(ctx context.Context, request DashboardRequest) (DashboardEnd, error) {
	end, failed := p.Dashboard(ctx, request)
	if end.Run == nil && request.Attach != nil {
		end.Run = request.Attach // the screen never opened
	}
	var code int
	cause := ending.Cause{Failed: failed != nil, HungUp: p.signals.HungUp()}
	if _, signalled := p.signals.First(); signalled {
		cause.Signal = p.signals.Name()
	}
	if _, foreign := end.Run.(live.Foreign); end.Run != nil && request.Replay == nil && !foreign {
		code = exitOfRun(ending.Run(end.Run, cause, p.display(), p.Err))
	}
	if _, foreign := end.Roll.(live.ForeignRoll); end.Roll != nil && !foreign {
		code = exitOf(ending.Roll(end.Roll, cause, p.display(), p.Err))
	}
	if end.Text != nil {
		if text := end.Text(); text != "" {
			fmt.Fprintln(p.Out, text)
		}
	}
	var refused *app.Error
	switch {
	case errors.As(failed, &refused):
		return end, failed
	case failed != nil:
		return end, &failure{code: ExitError, text: "the dashboard ended", err: failed}
	}
	return end, told(code)
}

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
		ReadOnly: session.ReadOnly, Screen: f.screen(p.Terminal),
	}
}
