package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// dashboard opens the screen with what the command line says.
func (s screen) dashboard(ctx context.Context, r cli.DashboardRequest) (cli.DashboardEnd, error) {
	theme, err := themes.Load(r.Theme, themesDir())
	if err != nil {
		return cli.DashboardEnd{}, &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	deps := ui.Deps{Theme: theme, NoColor: r.NoColor, ASCII: r.ASCII, ReadOnly: r.ReadOnly, Terminal: s.Terminal}
	if r.Replay != nil { // what happened, by the clock of then
		deps.Source, deps.Attach, deps.Replay, deps.Now = kube.NewStore(r.Replay.Now), r.Replay, true, r.Replay.Now
	} else {
		s.connect(ctx, &deps, r)
	}
	result, err := ui.Run(ctx, deps)
	return cli.DashboardEnd{Run: result.Run, Text: result.Text}, err
}

// themesDir is the folder of the operator's own themes.
func themesDir() string { return filepath.Join(xdg.ConfigHome, "kdrain-tui", "themes") }

func themeNames() []string { return themes.Names(themesDir()) }

// screen is the terminal for a dashboard.
type screen struct{ *ui.Terminal }

// connect gives the dashboard its cluster.
func (s screen) connect(ctx context.Context, deps *ui.Deps, r cli.DashboardRequest) {
	session := r.Session
	session.OnPluginOutput(func(line string) { fmt.Fprintln(s.Log, "credential plugin: "+line) })
	session.Progress = nil // it shows what it waits for
	identity := session.Identity()
	deps.Source, deps.Options, deps.Marked = session, r.Options, r.Marked
	deps.Identity = ui.Identity{Context: identity.Context, User: identity.User, Server: identity.Server, Target: session.Target}
	deps.NewPlan = func(snapshot *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error) {
		return session.NewPlan(ctx, snapshot, nodes, o, now)
	}
	deps.StartRun = func(plan plan.Plan, options plan.Options) (live.Run, error) {
		plan.Options = options
		return session.StartConfirmed(ctx, plan)
	}
	deps.RunLife = func(run string) tempbudget.RunLife { return session.Runs.Lives()(run) }
	deps.RemoveBudget = func(ctx context.Context, l request.BudgetRef) error {
		return session.RemoveLeftover(ctx, tempbudget.Leftover{BudgetRef: l})
	}
	deps.SetCordon = func(ctx context.Context, node string, unschedulable bool, reason string) error {
		_, err := session.Cordon(ctx, app.CordonChange{Node: node, Unschedulable: unschedulable, Reason: reason})
		return err
	}
	deps.Protected = r.Protected
	deps.PodDetails, deps.Access, deps.DrainAccess = session.PodDetails, session.CheckAccess, session.Access
	if r.Attach != nil {
		deps.Attach = r.Attach
	}
}
