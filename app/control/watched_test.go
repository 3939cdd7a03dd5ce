package control

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

var watchedEvents = []drain.Event{
	{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "k7f3pm", User: "ada", Nodes: []drain.NodeFacts{{Name: "a", UID: "uid-a"}},
		Pods: []eviction.Facts{{Node: "a", Namespace: "shop", Name: "web", UID: "p1", Action: plan.ActionEvict}}}},
	{Seq: 2, Kind: drain.EventControl, Command: drain.CommandPause, By: "ada"},
}

// writing is the journal of a live run, as its process has it.
func writing(t *testing.T, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.CreateJournal(dir, "k7f3pm")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func appended(t *testing.T, j *journal.Journal, events ...drain.Event) {
	t.Helper()
	if err := j.Append(events, false); err != nil {
		t.Fatal(err)
	}
}

func watch(t *testing.T, ctx context.Context, dir string) *Watched {
	t.Helper()
	w, err := Watch(ctx, dir, "k7f3pm", "kdrain-tui")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A run of another process is shown as its journal grows, until the run has ended. It is shown whether a process works
// on it: the first one can end before the run, and another one can resume it.
func TestWatchFollowsTheJournal(t *testing.T) {
	for name, end := range map[string][]drain.Event{
		"ended":     {{Seq: 3, Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone}},
		"suspended": {{Seq: 3, Kind: drain.EventControl, Command: drain.CommandSuspend}},
		"killed":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				j := writing(t, dir)
				appended(t, j, watchedEvents[0])
				w := watch(t, t.Context(), dir)
				changed := w.Changed(t.Context())
				<-changed
				if s := w.State(); s.Run.ID != "k7f3pm" || s.Run.Program != "kdrain-tui" || s.Paused {
					t.Fatalf("%+v", s)
				}
				appended(t, j, watchedEvents[1])
				<-changed
				if !w.State().Paused {
					t.Error("the pause was not read")
				}
				appended(t, j, end...)
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				if name != "ended" {
					time.Sleep(2 * aliveEvery)
					if !w.Unattended() || w.State().Suspended != (name == "suspended") {
						t.Errorf("left: %+v", w.State())
					}
					j, _, err := journal.OpenJournal(journal.JournalPath(dir, "k7f3pm"))
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * aliveEvery)
					if w.Unattended() {
						t.Error("a process works on it again")
					}
					last := uint64(2 + len(end))
					appended(t, j, drain.Event{Seq: last + 1, Kind: drain.EventResumed},
						drain.Event{Seq: last + 2, Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone})
					if err := j.Close(); err != nil {
						t.Fatal(err)
					}
				}
				<-w.Done()
				w.Wait()
				if s := w.State(); s.Outcome != drain.OutcomeDone || w.Unattended() {
					t.Errorf("%s: %+v", name, s)
				}
				if got := w.Events(1); len(got) < 2 {
					t.Errorf("events %+v", got)
				}
			})
		})
	}
}

// What was half written is read when it is whole; what the writer took back is forgotten.
func TestTail(t *testing.T) {
	dir := t.TempDir()
	j := writing(t, dir)
	path := journal.JournalPath(dir, "k7f3pm")
	appended(t, j, watchedEvents...)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	first := strings.Index(string(whole), "\n") + 1
	second := first + strings.Index(string(whole[first:]), "\n") + 1
	tail := journal.NewTail(path)
	for _, step := range []struct {
		size   int
		events int
		again  bool
	}{{first - 1, 0, false}, {second - 3, 0, false}, {second + 4, 1, false}, {len(whole), 1, false}, {len(whole), 0, false},
		{second, 1, true}, {len(whole), 1, false}} {
		if err := os.WriteFile(path, whole[:step.size], 0o600); err != nil {
			t.Fatal(err)
		}
		events, again, err := tail.Next()
		if err != nil || len(events) != step.events || again != step.again {
			t.Errorf("%d bytes: %d events, again %v, %v", step.size, len(events), again, err)
		}
	}
	if err := os.WriteFile(path, append(whole, "no event\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tail.Next(); err == nil || !strings.Contains(err.Error(), "damaged at line 4") {
		t.Errorf("error %v", err)
	}
}

// Commands go to the process of the run; what it refuses is told, and so is a confirmation,
// which it does not take from here.
func TestWatchSteers(t *testing.T) {
	dir := t.TempDir()
	run := served(t, dir)
	run.remedies = someRemedies()
	file, err := os.OpenFile(journal.JournalPath(dir, "k7f3pm"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := journal.ReadJournal(journal.JournalPath(dir, "k7f3pm"))
	if err != nil || len(events) > 0 {
		t.Fatal(events, err)
	}
	other := writing(t, t.TempDir())
	appended(t, other, drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &run.state.Run})
	lines, err := os.ReadFile(other.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(lines), "\n")
	if _, err := file.WriteString(line); err != nil {
		t.Fatal(err)
	}
	for _, f := range []interface{ Close() error }{file, other} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		in   drain.Input
		told drain.CommandKind
		says string
	}{
		{drain.Command{Kind: drain.CommandPause}, drain.CommandPause, ""},
		{drain.Command{Kind: drain.CommandSkip, Pod: "shop/web"}, drain.CommandSkip, ""},
		{drain.Command{Kind: drain.CommandLeave, Node: "b"}, drain.CommandLeave, ""},
		{drain.Command{Kind: drain.CommandSuspend}, drain.CommandSuspend, ""},
		{drain.Command{Kind: drain.CommandContinue}, drain.CommandContinue, "continue was not taken: the run is not paused"},
		{drain.Command{Kind: drain.CommandRemedy, Pod: "shop/api", Remedy: someRemedies()[1].Facts, Word: "evict"}, "",
			`evict-unhealthy was not taken: evict-unhealthy is confirmed by "evict sick"`},
		{drain.Confirm{Phase: drain.PhaseEvict}, "", "the questions of this run are answered where it runs"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		run.told = nil
		w := watch(t, ctx, dir)
		w.Send(test.in)
		cancel()
		w.Wait()
		said := strings.Join(w.Refusals(), "\n")
		if test.says == "" && said != "" || !strings.Contains(said, test.says) {
			t.Errorf("%+v: said %q", test.in, said)
		}
		if test.told == "" != (len(run.told) == 0) || test.told != "" && run.told[0].Kind != test.told {
			t.Errorf("%+v: the run was told %+v", test.in, run.told)
		}
	}
}
