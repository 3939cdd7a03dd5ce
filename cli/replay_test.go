package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
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
			<-r.Replay.Done()
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
