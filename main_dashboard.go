package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/past"
	"github.com/kdrain-tui/kdrain-tui/app/preferences"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// screen is the terminal for a dashboard.
type screen struct {
	*ui.Terminal
	chosen *preferences.Store // by the operator at earlier starts
}

// dashboard opens the screen with what the command line says.
func (s screen) dashboard(ctx context.Context, r cli.DashboardRequest) (cli.DashboardEnd, error) {
	theme, err := s.theme(r.Screen.Theme)
	if err != nil {
		return cli.DashboardEnd{}, &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	deps := ui.Deps{
		Options: r.Options, Marked: r.Marked, Notes: r.Notes, LabelColumns: r.LabelColumns,
		Theme: theme, ThemesDir: themesDir(), Preferences: s.chosen, Contexts: r.Contexts, NoColor: r.Screen.NoColor, ASCII: r.Screen.ASCII,
		Mouse: r.Screen.Mouse, ReadOnly: r.ReadOnly, Protected: r.Protected,
		Terminal: s.Terminal, Alert: ui.AlertOf(r.Alert.How, os.Getenv), AlertBlockedAfter: r.Alert.BlockedAfter,
	}
	if r.Attach != nil {
		deps.Attach = r.Attach
	}
	deps.AttachRoll = r.AttachRoll
	if r.ReplayRoll != nil {
		deps.Source, deps.AttachRoll, deps.Replay = kube.NewStore(r.ReplayRoll.Now), r.ReplayRoll, true
	} else if r.Replay != nil { // what happened, by the clock of then
		deps.Source, deps.Attach, deps.Replay = kube.NewStore(r.Replay.Now), r.Replay, true
	} else if r.Session == nil { // a run that is watched without its cluster
		run := watched(r)
		deps.Source = kube.NewStore(time.Now)
		deps.Identity = ui.Identity{Context: run.Context, User: run.User, Target: run.Target()}
	} else {
		session := r.Session.Dashboard(ctx)
		session.OnPluginOutput(func(line string) { fmt.Fprintln(s.Log, "credential plugin: "+line) })
		session.Progress = nil // it shows what it waits for
		identity := session.Identity()
		watching, stop := context.WithCancel(ctx)
		runs := past.New(watching, r.Session)
		defer runs.Wait()
		defer stop()
		deps.Source, deps.Cluster, deps.Runs = session, rolls.Dashboard{Dashboard: session}, runs
		deps.Identity = ui.Identity{Context: identity.Context, User: identity.User, Server: identity.Server,
			Cluster: identity.ClusterID, Target: session.Target}
		deps.UsualAccepted = deps.Protected == "" && s.chosen.Usual(identity.ClusterID)
	}
	result, err := ui.Run(ctx, deps)
	return cli.DashboardEnd{Run: result.Run, Roll: result.Roll, Text: result.Text, Context: result.Context,
		Theme: result.Theme}, err
}

// theme is the one of that name, and without a name the one that was chosen at an earlier start, while there is
// such a one.
func (s screen) theme(name string) (themes.Theme, error) {
	if name == "" {
		if theme, err := themes.Load(s.chosen.Theme(), themesDir()); err == nil {
			return theme, nil
		}
	}
	return themes.Load(name, themesDir())
}

// watched is the run, or the roll, that is watched.
func watched(r cli.DashboardRequest) drain.RunFacts {
	if r.AttachRoll != nil {
		return r.AttachRoll.State().Facts.Run
	}
	return r.Attach.State().Run
}

// themesDir is the folder of the operator's own themes.
func themesDir() string { return filepath.Join(xdg.ConfigHome, "kdrain-tui", "themes") }

func themeNames() []string { return themes.Names(themesDir()) }
