package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// writeRun puts the journal of a run into the state folder; it stays locked until
// it is closed.
func writeRun(t *testing.T, dir, id string, started time.Time, outcome drain.Outcome) *journal.Journal {
	t.Helper()
	journal, err := journal.CreateJournal(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	events := []drain.Event{{Seq: 1, Time: started, Kind: drain.EventRunStarted, Run: &drain.RunFacts{
		ID: id, Context: "prod", User: "ada", Options: plan.DefaultOptions(),
		Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "n1"}},
		Pods:  []eviction.Facts{{Node: "worker-1", Namespace: "shop", Name: "web-1", UID: kube.UID("p1"), Action: plan.ActionEvict}},
	}}}
	if outcome != "" {
		events = append(events, drain.Event{Seq: 2, Time: started.Add(time.Minute), Kind: drain.EventRunEnded, Outcome: outcome})
	}
	if err := journal.Append(events, false); err != nil {
		t.Fatal(err)
	}
	return journal
}

func closed(t *testing.T, j *journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRunsNewestFirst(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitDone, []string{"no runs in"}, "runs")
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, drain.OutcomeDone))
	closed(t, writeRun(t, b.StateDir, "bbbbbb", noon.Add(time.Hour), ""))
	live := writeRun(t, b.StateDir, "cccccc", noon.Add(2*time.Hour), "")
	defer closed(t, live)

	b.out.Reset()
	b.expect(t, ExitDone, nil, "runs", "-o", "json")
	var runs []print.Run
	if err := json.Unmarshal(b.out.Bytes(), &runs); err != nil || len(runs) != 3 {
		t.Fatalf("%v\n%s", err, b.out)
	}
	for i, want := range []print.Run{
		{Run: "cccccc", Live: true}, {Run: "bbbbbb"}, {Run: "aaaaaa", Outcome: drain.OutcomeDone},
	} {
		got := runs[i]
		if got.Run != want.Run || got.Live != want.Live || got.Outcome != want.Outcome || len(got.Nodes) != 1 || got.StartedAt.Location() != time.UTC {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "runs")
	lines := strings.Split(b.out.String(), "\n")
	for i, want := range []string{"TOOK", "live", "cut short", "1m    done       ada   prod"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d lacks %q: %s", i, want, lines[i])
		}
	}
	if len(b.opened) > 0 {
		t.Error("asked a cluster")
	}
}

func TestRunsWithoutAnyJSON(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitDone, nil, "runs", "-o", "json")
	if strings.TrimSpace(b.out.String()) != "[]" {
		t.Errorf("%q", b.out)
	}
}

// Who, when it ended and how long it took: of one that was cut short up to its last
// event, of a live one up to now.
func TestRunsSayHowLong(t *testing.T) {
	b := newBench(t, nil)
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon.Add(-2*time.Hour), drain.OutcomeDone))
	closed(t, writeRun(t, b.StateDir, "bbbbbb", noon.Add(-3*time.Hour), ""))
	defer closed(t, writeRun(t, b.StateDir, "cccccc", noon.Add(-time.Hour), ""))
	b.expect(t, ExitDone, nil, "runs", "-o", "json")
	var runs []print.Run
	if err := json.Unmarshal(b.out.Bytes(), &runs); err != nil || len(runs) != 3 {
		t.Fatalf("%v\n%s", err, b.out)
	}
	for i, want := range []float64{3600, 60, 0} {
		if got := runs[i]; got.Duration != want || got.User != "ada" || (got.EndedAt != nil) != (got.Run == "aaaaaa") {
			t.Errorf("%+v, want %g s", got, want)
		}
	}
}

func TestReportOfTheNewestRun(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitError, []string{"there are no runs in"}, "report")
	closed(t, writeRun(t, b.StateDir, "bbbbbb", noon, drain.OutcomeDone))
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon.Add(time.Hour), drain.OutcomeDone))
	b.expect(t, ExitDone, nil, "report", "-o", "json")
	if !strings.Contains(b.out.String(), `"run": "aaaaaa"`) {
		t.Errorf("%s", b.out)
	}
	b.expect(t, ExitUsage, []string{"which run?"}, "report", "aaaaaa", "bbbbbb")
}

func TestReport(t *testing.T) {
	b := newBench(t, nil)
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, drain.OutcomeDone))
	b.expect(t, ExitDone, nil, "report", "aaaaaa")
	if !strings.Contains(b.out.String(), "Drained worker-1 in 1m") || strings.Contains(b.out.String(), "1 pods") {
		t.Errorf("%s", b.out)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "report", "aaaaaa", "-o", "json")
	var last report.Report
	if err := json.Unmarshal(b.out.Bytes(), &last); err != nil || last.Schema != report.Schema || last.Run != "aaaaaa" {
		t.Errorf("%v %s", err, b.out)
	}
}

// The markdown is for a file: nothing of a terminal in it, and the status is that
// of the journal's lock.
func TestReportMarkdown(t *testing.T) {
	b := newBench(t, nil)
	b.Terminal = Terminal{Out: true, Color: true}
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, ""))
	live := writeRun(t, b.StateDir, "bbbbbb", noon, "")
	defer closed(t, live)
	for id, want := range map[string]string{"aaaaaa": "**The process of the run died.**", "bbbbbb": "**The run is live.**"} {
		b.out.Reset()
		b.expect(t, ExitDone, nil, "report", id, "-o", "markdown")
		if !strings.HasPrefix(b.out.String(), "# Drain of `worker-1`: ") || !strings.Contains(b.out.String(), want) || strings.Contains(b.out.String(), "\x1b") {
			t.Errorf("%s", b.out)
		}
	}
	b.expect(t, ExitUsage, []string{"must be text, json or markdown"}, "report", "aaaaaa", "-o", "yaml")
}

func TestReportOfWhatIsNotWhole(t *testing.T) {
	b := newBench(t, nil)
	closed(t, writeRun(t, b.StateDir, "bbbbbb", noon, ""))
	reports := func(id string, says ...string) {
		t.Helper()
		b.out.Reset()
		b.expect(t, ExitDone, nil, "report", id)
		for _, text := range says {
			if !strings.Contains(b.out.String(), text) {
				t.Errorf("the report of %s lacks %q:\n%s", id, text, b.out)
			}
		}
	}
	reports("bbbbbb", "The process of the run died.")

	suspended := writeRun(t, b.StateDir, "cccccc", noon, "")
	if err := suspended.Append([]drain.Event{{Seq: 2, Time: noon, Kind: drain.EventControl, Command: drain.CommandSuspend, By: "signal"}}, false); err != nil {
		t.Fatal(err)
	}
	closed(t, suspended)
	b.err.Reset()
	reports("cccccc", "The run is suspended.", "resume cccccc")
	if strings.Contains(b.err.String()+b.out.String(), "died") {
		t.Errorf("%s %s", b.err, b.out)
	}

	path := journal.JournalPath(b.StateDir, "bbbbbb")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(text) + `{"seq":2,"ti`)
	reports("bbbbbb", "the last line of the journal is incomplete")
	write(string(text) + "{}\n")
	b.expect(t, ExitError, []string{"is damaged at line 3"}, "report", "bbbbbb")
	b.err.Reset()
	b.expect(t, ExitError, []string{"is damaged at line 3"}, "runs")
	for _, id := range []string{"nosuch", ".."} {
		b.expect(t, ExitError, []string{"there is no run"}, "report", id)
	}
	for _, args := range [][]string{{"report", ""}, {"report", "a", "b"}, {"report", filepath.Join("..", "x")}} {
		b.expect(t, ExitUsage, []string{"which run?"}, args...)
	}
}
