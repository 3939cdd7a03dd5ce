package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// dashboard opens the screen. Without a terminal there is no screen, and a
// drain that nobody confirmed must never take its place.
func (p *Program) dashboard(cmd *cobra.Command, f *flags, args []string) error {
	if !p.Terminal.In || !p.Terminal.Out {
		return usage("without one: "+p.display()+" plan NODE..., or "+p.display()+" drain NODE... --yes",
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
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{ChunkSize: f.chunkSize, LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer session.Close()
	session.Observe(ctx, kube.Kinds...)
	if err := p.settleEvictions(ctx, session, &options); err != nil {
		explain(p.Err, err) // no reason to show nothing
	}
	var marked []string
	if chosen {
		snapshot, err := session.Synced(ctx, []kube.Kind{kube.KindNodes})
		if err != nil {
			return err
		}
		if marked, err = f.selection(args).Nodes(snapshot); err != nil {
			return meantCommand(cmd, args, err)
		}
	}
	request := p.dashboardRequest(f, session, options)
	request.Marked = marked
	code, err := p.Dashboard(ctx, request)
	switch {
	case err != nil && code == ExitUsage:
		return &failure{code: code, err: err}
	case err != nil:
		return &failure{code: max(code, ExitError), text: "the dashboard ended", err: err}
	}
	return told(code)
}

// meantCommand adds a hint where an unknown node looks like a command.
func meantCommand(root *cobra.Command, args []string, err error) error {
	var f *app.Error
	if len(args) == 0 || !errors.As(err, &f) {
		return err
	}
	root.SuggestionsMinimumDistance = 2
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		f.Hint = "did you mean the command " + strings.Join(names, " or ") + "? " + f.Hint
	}
	return err
}

func (p *Program) dashboardRequest(f *flags, session *app.Session, o plan.Options) DashboardRequest {
	return DashboardRequest{
		Session: session, Options: o,
		ReadOnly: p.connection.ReadOnly, Theme: f.theme, NoColor: f.noColor, ASCII: f.ascii,
	}
}
