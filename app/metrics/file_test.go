package metrics

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/metrics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// The file follows its run to the end, also while nothing changes, and is never there in part.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kdrain.prom")
	synctest.Test(t, func(t *testing.T) {
		f, err := At(path)
		if err != nil {
			t.Fatal(err)
		}
		state := drain.Fold(nil, drain.Event{Kind: drain.EventRunStarted, Time: time.Now(), Run: &drain.RunFacts{ID: "k7f3pm"}})
		done, shows := make(chan struct{}), 0
		time.AfterFunc(time.Minute+time.Second, func() { close(done) })
		f.Follow(t.Context(), live.Followed{Changed: func(context.Context) <-chan struct{} { return nil }, Done: done},
			func(s *metrics.Shown) {
				if shows++; shows == 6 {
					state = drain.Fold(state, drain.Event{Kind: drain.EventRunEnded, Time: time.Now(), Outcome: drain.OutcomeDone})
				}
				s.Run = state
			}, func(why string) { t.Error(why) })
		if shows != 6 { // at 0, 15, 30, 45, 60 and 61 s
			t.Errorf("it was written %d times", shows)
		}
	})
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `kdrain_run_outcome{run="k7f3pm",outcome="done"} 1`) {
		t.Errorf("%v %s", err, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the collector cannot read it: %v %v", info.Mode(), err)
	}
	if all := names(t, dir); len(all) != 1 {
		t.Errorf("left behind: %q", all)
	}
}

func TestWhatFailsIsToldOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f, err := At(filepath.Join(dir, "kdrain.prom"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(done) })
		var failures []string
		f.Follow(t.Context(), live.Followed{Changed: func(context.Context) <-chan struct{} { return nil }, Done: done},
			func(*metrics.Shown) {}, func(why string) { failures = append(failures, why) })
		if len(failures) != 1 || !strings.Contains(failures[0], "no such file or directory") || strings.Contains(failures[0], ".prom.") {
			t.Errorf("%q", failures)
		}
	})
}

func TestAt(t *testing.T) {
	if f, err := At(""); f != nil || err != nil {
		t.Error(f, err)
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "kdrain"), filepath.Join(t.TempDir(), "no", "kdrain.prom")} {
		if _, err := At(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// What cannot become the file leaves nothing beside it.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kdrain.prom")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := write(path, "x"); err == nil {
		t.Error("a folder was replaced")
	}
	if all := names(t, dir); len(all) != 1 {
		t.Errorf("left behind: %q", all)
	}
}
