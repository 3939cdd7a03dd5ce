package app

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
)

var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestWhichJournalsArePruned(t *testing.T) {
	const days = 24 * time.Hour
	ended := func(id string, age time.Duration) live.Brief {
		return live.Brief{ID: id, Started: today.Add(-age), Ended: today.Add(-age + time.Hour), Outcome: drain.OutcomeDone}
	}
	open := func(id string, age time.Duration) live.Brief { return live.Brief{ID: id, Started: today.Add(-age)} }
	damaged := func(id string, age time.Duration) live.Brief {
		return live.Brief{ID: id, Started: today.Add(-age), Damaged: true}
	}
	lives := func(id string, age time.Duration) live.Brief {
		return live.Brief{ID: id, Started: today.Add(-age), Live: true}
	}
	keep := Keep{Newest: 2, Younger: 90 * days}
	for name, test := range map[string]struct {
		keep   Keep
		briefs []live.Brief
		over   []string
	}{
		"few and old":           {keep, []live.Brief{ended("a", 500*days), ended("b", 600*days)}, nil},
		"many and young":        {keep, []live.Brief{ended("a", 1*days), ended("b", 2*days), ended("c", 89*days)}, nil},
		"many and old":          {keep, []live.Brief{ended("a", 1*days), ended("b", 2*days), ended("c", 90*days), ended("d", 91*days)}, []string{"c", "d"}},
		"live":                  {keep, []live.Brief{ended("a", 1*days), ended("b", 2*days), lives("c", 900*days)}, nil},
		"to be resumed":         {keep, []live.Brief{ended("a", 1*days), ended("b", 2*days), open("c", 364*days), open("d", 365*days)}, []string{"d"}},
		"damaged":               {keep, []live.Brief{ended("a", 1*days), ended("b", 2*days), damaged("c", 364*days), damaged("d", 366*days)}, []string{"d"}},
		"nothing is to be kept": {Keep{}, []live.Brief{ended("a", time.Hour), open("b", time.Hour), lives("c", time.Hour)}, []string{"a"}},
	} {
		var over []string
		for _, b := range prunable(test.briefs, test.keep, today) {
			over = append(over, b.ID)
		}
		if !slices.Equal(over, test.over) {
			t.Errorf("%s: %q, want %q", name, over, test.over)
		}
	}
}

// writeJournal puts the journal of a run into a folder; it stays locked until it is
// closed.
func writeJournal(t *testing.T, dir, id string, started time.Time, more ...drain.Event) *journal.Journal {
	t.Helper()
	written, err := journal.CreateJournal(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	events := append([]drain.Event{{Kind: drain.EventRunStarted, Run: &drain.RunFacts{
		ID: id, User: "ada", Options: plan.DefaultOptions(), Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "n1"}},
	}}}, more...)
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), started.Add(time.Duration(i)*time.Minute)
	}
	if err := written.Append(events, false); err != nil {
		t.Fatal(err)
	}
	return written
}

// What only the journal knows how to take back keeps it, and so does a process that
// works on it.
func TestPrune(t *testing.T) {
	runs := NewRuns(t.TempDir(), "kdrain-tui")
	old := today.Add(-200 * 24 * time.Hour)
	end := drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone}
	planned := drain.Event{Kind: drain.EventBudget, Budget: &tempbudget.Facts{Namespace: "shop", Name: "kdrain-web"}, BudgetState: tempbudget.Planned}
	made := drain.Event{Kind: drain.EventBudget, Budget: &tempbudget.Facts{Namespace: "shop", Name: "kdrain-web", UID: "b1"}, BudgetState: tempbudget.Created}
	web := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "d1"}
	left := drain.Event{Kind: drain.EventSurge, Surge: &web, SurgeChange: &surge.Change{State: surge.Orphaned}}
	drained := drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeDrained}
	stopped := drain.Event{Kind: drain.EventRetire, Node: "worker-1", Outcome: drain.OutcomeDone,
		Retire: &retire.Facts{Step: retire.StepStop, Status: retire.Running}}
	for id, events := range map[string][]drain.Event{"done": {end}, "budget": {planned, made, end}, "open": {},
		"surge": {left, end}, "retire": {drained, end, stopped}} {
		if err := writeJournal(t, runs.Dir, id, old, events...).Close(); err != nil {
			t.Fatal(err)
		}
	}
	live := writeJournal(t, runs.Dir, "live", old, end)
	if removed := runs.prune(Keep{}, today); !slices.Equal(removed, []string{"done"}) {
		t.Errorf("removed %q", removed)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if removed := runs.prune(Keep{}, today.Add(200*24*time.Hour)); len(removed) != 5 {
		t.Errorf("very old: removed %q", removed)
	}
	if removed := runs.prune(Keep{}, today); removed != nil {
		t.Errorf("of none: removed %q", removed)
	}
}

func TestBriefs(t *testing.T) {
	runs := NewRuns(t.TempDir(), "kdrain-tui")
	if _, err := runs.Newest(); err == nil {
		t.Error("there is a newest of none")
	}
	for i, id := range []string{"a", "b"} {
		events := []drain.Event{{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly}}
		if err := writeJournal(t, runs.Dir, id, today.Add(time.Duration(i)*time.Hour), events...).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(runs.Path("torn"), []byte(`{"schema":"kdrain-tui/jo`), 0o600); err != nil {
		t.Fatal(err)
	}
	briefs, err := runs.briefs()
	if err != nil || len(briefs) != 3 {
		t.Fatalf("%v %v", briefs, err)
	}
	b := briefs[slices.IndexFunc(briefs, func(b live.Brief) bool { return b.ID == "b" })]
	if b.Outcome != drain.OutcomePartly || b.User != "ada" || !slices.Equal(b.Nodes, []string{"worker-1"}) || !b.Ended.Equal(today.Add(61*time.Minute)) {
		t.Errorf("%+v", b)
	}
	if newest, err := runs.Newest(); newest != "b" || err != nil {
		t.Errorf("newest %q %v", newest, err)
	}
}

// The journal of a roll goes by the rule of those of runs; while it stays, so do those of its runs.
func TestPruneOfRolls(t *testing.T) {
	runs := NewRuns(t.TempDir(), "kdrain-tui")
	old := today.Add(-200 * 24 * time.Hour)
	for id, more := range map[string][]roll.Event{"over": {{Kind: roll.EventRollEnded, Outcome: drain.OutcomeDone}}, "open": nil} {
		written, err := journal.CreateRoll(runs.Dir, id)
		if err != nil {
			t.Fatal(err)
		}
		events := append([]roll.Event{{Kind: roll.EventRollStarted, Roll: &roll.Facts{Run: drain.RunFacts{ID: id}}}}, more...)
		for i := range events {
			events[i].Seq, events[i].Time = uint64(i+1), old
		}
		if err := errors.Join(written.Append(events, false), written.Close()); err != nil {
			t.Fatal(err)
		}
		end := drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone}
		if err := writeJournal(t, runs.Dir, id+"-1", old, end).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if removed := runs.prune(Keep{}, today); !slices.Equal(removed, []string{"over", "over-1"}) {
		t.Errorf("removed %q", removed)
	}
	if left := journal.Rolls(runs.Dir); !slices.Equal(left, []string{"open"}) || runs.Known("open-1") != nil {
		t.Errorf("rolls left: %q, its run: %v", left, runs.Known("open-1"))
	}
	if removed := runs.prune(Keep{}, today.Add(200*24*time.Hour)); !slices.Equal(removed, []string{"open", "open-1"}) {
		t.Errorf("very old: removed %q", removed)
	}
}
