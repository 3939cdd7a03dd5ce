package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

func TestReplayOpensTheDashboardWithoutACluster(t *testing.T) {
	b := newBench(t, nil)
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, drain.OutcomeDone))
	written, err := os.ReadFile(journal.JournalPath(b.StateDir, "aaaaaa"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "from-ada.jsonl")
	if err := os.WriteFile(file, written, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Terminal = Terminal{In: true, Out: true}
	for _, name := range []string{"aaaaaa", file} {
		var outcome drain.Outcome
		b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
			outcome = r.Replay.State().Outcome
			if !r.ReadOnly || r.Session != nil {
				t.Errorf("%s: a replay could write: %+v", name, r)
			}
			return DashboardEnd{}, nil
		}
		b.expect(t, ExitDone, nil, "replay", name, "--speed=0")
		if outcome != drain.OutcomeDone {
			t.Errorf("%s: the replay ended as %q", name, outcome)
		}
	}
	if len(b.opened) > 0 {
		t.Error("a replay connected to a cluster")
	}
}

func TestReplayOfNothing(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitUsage, []string{"needs a terminal"}, "replay", "aaaaaa")
	b.Terminal = Terminal{In: true, Out: true}
	b.expect(t, ExitUsage, []string{"which run?"}, "replay")
	b.expect(t, ExitUsage, []string{"--speed=-1"}, "replay", "aaaaaa", "--speed=-1")
	b.expect(t, ExitError, []string{`there is no run "aaaaaa"`}, "replay", "aaaaaa")
	b.expect(t, ExitError, []string{"there is no journal ./x.jsonl"}, "replay", "./x.jsonl")
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, []byte("no journal\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitError, []string{"line 1"}, "replay", file)
}

// A run of another process is watched on the dashboard, and leaving it tells the run
// nothing. Its cluster is that of the run; where that is not reached, there is none.
func TestWatchOpensTheDashboard(t *testing.T) {
	b, run := steeredBench(t)
	b.expect(t, ExitUsage, []string{"needs a terminal", "ctl aaaaaa status"}, "watch", "aaaaaa")
	b.Terminal = Terminal{In: true, Out: true}
	b.expect(t, ExitUsage, []string{"which run?"}, "watch")
	b.expect(t, ExitError, []string{`there is no run "bbbbbb"`}, "watch", "bbbbbb")
	b.Open = func(context.Context, *conn.Flags, app.ConnectOptions) (app.Cluster, error) {
		return nil, errors.New("no route to host")
	}
	b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
		if _, ok := r.Attach.(live.Foreign); !ok || r.Session != nil || r.Attach.State().Run.ID != "aaaaaa" || len(r.Attach.Events(0)) != 2 {
			t.Errorf("opened with %+v", r)
		}
		if len(r.Notes) != 1 || r.Notes[0] != "the cluster of the run is not reached: no route to host" {
			t.Errorf("notes %q", r.Notes)
		}
		return DashboardEnd{Run: r.Attach}, nil
	}
	b.expect(t, ExitDone, nil, "watch", "aaaaaa")
	if len(run.told) > 0 {
		t.Errorf("the run was told %+v", run.told)
	}
}

func TestWatchOfADeadRun(t *testing.T) {
	b := newBench(t, nil)
	b.Terminal = Terminal{In: true, Out: true}
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, drain.OutcomeDone))
	b.expect(t, ExitError, []string{"run aaaaaa ended", "there is nothing to steer"}, "watch", "aaaaaa")
}
