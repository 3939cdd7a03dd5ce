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
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// lastWords is how long a run that was told to stop may take to say how it
// ended, after the dashboard was left.
const lastWords = 30 * time.Second

// dashboard opens the screen with what the command line says.
func (s *screen) dashboard(ctx context.Context, r cli.DashboardRequest) (int, error) {
	theme, err := themes.Load(r.Theme, filepath.Join(xdg.ConfigHome, "kdrain-tui", "themes"))
	if err != nil {
		return cli.ExitUsage, err
	}
	if r.Replay != nil {
		return s.replay(ctx, r, theme)
	}
	session := r.Session
	session.OnPluginOutput(func(line string) { fmt.Fprintln(s.log, "credential plugin: "+line) })
	session.Progress = nil // it shows what it waits for
	s.open()
	identity := session.Identity()
	deps := ui.Deps{
		Source:   session,
		Identity: ui.Identity{Context: identity.Context, User: identity.User, Server: identity.Server, Target: session.Target},
		Options:  r.Options, Marked: r.Marked,
		NewPlan: func(snapshot *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error) {
			return session.NewPlan(ctx, snapshot, nodes, o, now)
		},
		StartRun: func(plan plan.Plan, options plan.Options) (drain.Run, error) {
			plan.Options = options
			return session.StartConfirmed(ctx, plan)
		},
		RunLife: func(run string) tempbudget.RunLife { return session.Runs.Lives()(run) },
		RemoveBudget: func(ctx context.Context, l kube.BudgetRef) error {
			return session.RemoveLeftover(ctx, tempbudget.Leftover{BudgetRef: l})
		},
		SetCordon: func(ctx context.Context, node string, unschedulable bool, reason string) error {
			_, err := session.Cordon(ctx, app.CordonChange{Node: node, Unschedulable: unschedulable, Reason: reason})
			return err
		},
		PodDetails: session.PodDetails, Access: session.CheckAccess, DrainAccess: session.Access,
		Theme: theme, NoColor: r.NoColor, ASCII: r.ASCII, ReadOnly: r.ReadOnly, Crash: s.crash,
	}
	if r.Attach != nil {
		deps.Attach = r.Attach
	}
	result, err := ui.Run(ctx, deps)
	s.closed()
	state := end(result, err)
	if text := result.Text(); text != "" {
		fmt.Fprintln(os.Stdout, text)
	}
	switch {
	case err != nil:
		return cli.ExitError, err
	case state == nil:
		return cli.ExitDone, nil
	}
	return cli.ExitOf(state.Outcome), nil
}

// replay shows what happened, by the clock of then.
func (s *screen) replay(ctx context.Context, r cli.DashboardRequest, theme themes.Theme) (int, error) {
	s.open()
	_, err := ui.Run(ctx, ui.Deps{
		Source: kube.NewStore(r.Replay.Now), Attach: r.Replay, Replay: true, Now: r.Replay.Now,
		Theme: theme, NoColor: r.NoColor, ASCII: r.ASCII, Crash: s.crash,
	})
	s.closed()
	if err != nil {
		return cli.ExitError, err
	}
	return cli.ExitDone, nil
}

// end waits for a run that is still live: leaving the dashboard ends it. Where the
// screen failed, as when its terminal went away, nobody wanted that: the run is
// suspended, and can be resumed.
func end(result ui.Result, failed error) *drain.State {
	if result.Run == nil {
		return nil
	}
	select {
	case <-result.Run.Done():
	default:
		last := drain.Control{Kind: drain.ControlAbort, By: "kdrain-tui", Why: "the dashboard was closed"}
		if failed != nil {
			last = drain.Control{Kind: drain.ControlSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"}
		}
		result.Run.Send(last)
		fmt.Fprintln(os.Stderr, "the run is told to stop; what was accepted goes on")
		select {
		case <-result.Run.Done():
		case <-time.After(lastWords):
			fmt.Fprintln(os.Stderr, "answers are still out: its journal tells what was sent")
		}
	}
	state := result.Run.State()
	if state.Suspended {
		fmt.Fprintf(os.Stderr, "run %s is suspended, not ended: %s goes on with it\n", state.Run.ID,
			state.Run.Target().Line("kdrain-tui resume "+state.Run.ID))
	}
	return state
}
