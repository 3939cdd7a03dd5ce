package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// screen is the terminal for a dashboard.
type screen struct{ *ui.Terminal }

// dashboard opens the screen with what the command line says.
func (s screen) dashboard(ctx context.Context, r cli.DashboardRequest) (cli.DashboardEnd, error) {
	theme, err := themes.Load(r.Theme, themesDir())
	if err != nil {
		return cli.DashboardEnd{}, &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	deps := ui.Deps{
		Options: r.Options, Marked: r.Marked, Notes: r.Notes, LabelColumns: r.LabelColumns,
		Theme: theme, NoColor: r.NoColor, ASCII: r.ASCII, ReadOnly: r.ReadOnly, Protected: r.Protected,
		Terminal: s.Terminal, Alert: ui.AlertOf(r.Alert.How, os.Getenv), AlertBlockedAfter: r.Alert.BlockedAfter,
	}
	if r.Attach != nil {
		deps.Attach = r.Attach
	}
	if r.Replay != nil { // what happened, by the clock of then
		deps.Source, deps.Attach, deps.Replay, deps.Now = kube.NewStore(r.Replay.Now), r.Replay, true, r.Replay.Now
	} else if r.Session == nil { // a run that is watched without its cluster
		run := r.Attach.State().Run
		deps.Source = kube.NewStore(time.Now)
		deps.Identity = ui.Identity{Context: run.Context, User: run.User, Target: run.Target()}
	} else {
		session := r.Session.Dashboard(ctx)
		session.OnPluginOutput(func(line string) { fmt.Fprintln(s.Log, "credential plugin: "+line) })
		session.Progress = nil // it shows what it waits for
		identity := session.Identity()
		deps.Source, deps.Cluster = session, session
		deps.Identity = ui.Identity{Context: identity.Context, User: identity.User, Server: identity.Server,
			Target: session.Target}
	}
	result, err := ui.Run(ctx, deps)
	return cli.DashboardEnd{Run: result.Run, Text: result.Text}, err
}

// themesDir is the folder of the operator's own themes.
func themesDir() string { return filepath.Join(xdg.ConfigHome, "kdrain-tui", "themes") }

func themeNames() []string { return themes.Names(themesDir()) }
