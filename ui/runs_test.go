package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// paperRuns are runs of this machine that the test brings; it records what is asked of them.
type paperRuns struct {
	briefs  []live.Brief
	run     live.Run
	roll    live.Roll
	err     error
	undos   []rollback.Undo
	resumed []string
	shown   []string
	undone  []string
	closed  int
}

func (r *paperRuns) All() ([]live.Brief, error) { return slices.Clone(r.briefs), r.err }

func (r *paperRuns) Show(b live.Brief) (live.Run, live.Roll, error) {
	r.shown = append(r.shown, b.ID)
	if b.Roll {
		return nil, r.roll, nil
	}
	return r.run, nil, nil
}

func (r *paperRuns) Report(b live.Brief) (string, error) { return "# " + b.ID, nil }

func (r *paperRuns) Resume(_ context.Context, b live.Brief) (live.Run, live.Roll, error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	r.resumed = append(r.resumed, b.ID)
	return r.run, nil, nil
}

func (r *paperRuns) Rollback(context.Context, live.Brief) (live.Rollback, error) { return r, r.err }
func (r *paperRuns) Undos() []rollback.Undo                                      { return r.undos }
func (r *paperRuns) Close() error                                                { r.closed++; return nil }

func (r *paperRuns) Undo(_ context.Context, u rollback.Undo) error {
	r.undone = append(r.undone, u.What)
	return nil
}

// somePast are a live run, one of each end, one that has none, and one of another cluster.
func somePast() *paperRuns {
	brief := func(id string, ago, took time.Duration, outcome drain.Outcome, nodes ...string) live.Brief {
		b := live.Brief{ID: id, Started: moment.Add(-ago), Nodes: nodes, User: "ada", Context: "prod-eu-1", Outcome: outcome}
		if outcome != "" {
			b.Ended = b.Started.Add(took)
		}
		return b
	}
	r := &paperRuns{briefs: []live.Brief{
		brief("k7f3", 20*time.Minute, 4*time.Minute, drain.OutcomeDone, "worker-a1", "worker-a2"),
		brief("m2x9", time.Hour, 31*time.Second, drain.OutcomePartly, "worker-b1"),
		brief("p4q1", 2*time.Hour, 0, "", "worker-c3"),
		brief("t8w2", 3*time.Hour, 0, "", "worker-b2"),
		brief("zz01", 26*time.Hour, 2*time.Hour, drain.OutcomeAborted, "worker-a1"),
		{ID: "torn", Started: moment.Add(-48 * time.Hour), Damaged: true},
	}}
	r.briefs[3].Live, r.briefs[3].Roll, r.briefs[3].Nodes = true, true, []string{"worker-b1", "worker-b2"}
	r.briefs[4].Elsewhere, r.briefs[4].Context = true, "staging"
	return r
}

func onRuns(r *paperRuns, change ...func(*Deps)) func(*Deps) {
	return func(d *Deps) {
		d.Runs = r
		for _, f := range change {
			f(d)
		}
	}
}

// The runs of this machine stand in one list, live ones first, and each says what can be done with it.
func TestRuns(t *testing.T) {
	r := somePast()
	d := drive(t, company(), 140, 30, onRuns(r))
	d.keys("r")
	d.shows("Runs  of this machine", "6 runs", "▶ live", "✔ done", "▲ partly", "‖ not ended", "⁇ damaged", "worker-a1, worker-a2", "4m")
	list := d.list(frame.History)
	if got := list.Table.Keys(); !slices.Equal(got, []string{"t8w2", "k7f3", "m2x9", "p4q1", "zz01", "torn"}) {
		t.Errorf("in the order %q", got)
	}
	d.shows("A process works on it; enter watches and steers it.")
	for id, want := range map[string]string{"p4q1": "It has not ended: R goes on with it here, U takes back what it did.",
		"zz01": "It was on another cluster than this one.", "torn": "Its journal cannot be read"} {
		list.Table.Select(id)
		d.refresh()
		d.shows(want)
	}
	list.Table.Select("zz01")
	d.keys("enter")
	d.shows("it was on another cluster: p shows the command that plays it")
	d.keys("p")
	d.shows("kdrain-tui replay zz01")
	d.keys("esc", "/")
	d.typed("partly")
	if list.Table.Len() != 1 || list.Table.Cursor() != "m2x9" {
		t.Errorf("%d match partly", list.Table.Len())
	}
	// What changes on the disk shows by itself.
	d.keys("esc")
	r.briefs[3].Live = false
	d.now = d.now.Add(6 * time.Second)
	d.refresh()
	if list.Table.Keys()[0] != "k7f3" {
		t.Errorf("in the order %q", list.Table.Keys())
	}
}

// A run of before is shown as it ended, with the way back; the end of the program is still about its own run.
func TestARunOfBeforeIsShown(t *testing.T) {
	r := somePast()
	over := newFakeRun(endedState(drain.OutcomeDone))
	close(over.done)
	r.run = &foreignRun{fakeRun: over}
	d := drive(t, company(), 140, 40, onRuns(r))
	d.keys("r")
	d.list(frame.History).Table.Select("k7f3")
	d.keys("enter")
	d.shows("Result", "k7f3")
	if d.m.path.page != frame.Run || len(r.shown) != 1 {
		t.Fatalf("on %s", d.m.path.page)
	}
	if end := d.m.result(false); end.Run != nil || end.Text() != "" {
		t.Errorf("the program ends with a run that it only showed: %q", end.Text())
	}
	d.keys("esc")
	if d.m.path.page != frame.History {
		t.Errorf("esc leads to %s", d.m.path.page)
	}
	d.keys("enter") // it is on the screen already
	if d.m.path.page != frame.Run || len(r.shown) != 1 {
		t.Errorf("on %s, shown %q", d.m.path.page, r.shown)
	}
	d.keys("esc", "q")
	if !d.quit {
		t.Error("leaving asks because of a run that is over")
	}
	r.roll = struct{ live.ForeignRoll }{noRefusals{rollState()}}
	d = drive(t, company(), 140, 40, onRuns(r))
	d.keys("r")
	d.list(frame.History).Table.Select("t8w2")
	d.keys("enter")
	if d.m.path.page != frame.Roll || !d.m.s.RollForeign {
		t.Errorf("on %s", d.m.path.page)
	}
}

type noRefusals struct{ *fakeRoll }

func (noRefusals) Refusals() []string { return nil }

func (noRefusals) Unattended() bool { return false }

// While a run of this program is active no other one takes its place on the screen.
func TestALiveRunIsNotHidden(t *testing.T) {
	r := somePast()
	d := drive(t, company(), 140, 40, onRuns(r, attached(runState())))
	d.keys("r")
	for _, key := range []string{"enter", "R"} {
		d.list(frame.History).Table.Select("p4q1")
		d.keys(key)
		d.shows("a run is active in this program: w shows it")
	}
	if len(r.shown)+len(r.resumed) != 0 {
		t.Errorf("shown %q, resumed %q", r.shown, r.resumed)
	}
}

// A run goes on after one confirmation, as a run of this program.
func TestARunIsResumedOnTheScreen(t *testing.T) {
	r := somePast()
	r.run = newFakeRun(runState())
	d := drive(t, company(), 140, 40, onRuns(r))
	d.keys("r")
	d.list(frame.History).Table.Select("m2x9")
	d.keys("R")
	d.shows("it has ended: partly")
	d.list(frame.History).Table.Select("p4q1")
	d.keys("R")
	d.shows("Go on with run p4q1?", "worker-c3", "kdrain-tui --context=prod-eu-1 resume p4q1")
	d.keys("esc")
	if len(r.resumed) != 0 {
		t.Fatal("resumed without a yes")
	}
	r.err = errors.New("the journal is locked")
	d.keys("R")
	d.accept()
	d.shows("Not resumed: the journal is locked")
	r.err = nil
	d.keys("esc", "R")
	d.accept()
	if len(r.resumed) != 1 || d.m.path.page != frame.Run || d.m.s.Foreign || d.m.lastRun != r.run {
		t.Errorf("resumed %q, on %s", r.resumed, d.m.path.page)
	}
}

// A rollback lists what it undoes and what it leaves, and undoes exactly that.
func TestARunIsRolledBackOnTheScreen(t *testing.T) {
	r := somePast()
	r.undos = []rollback.Undo{{ID: "n1", What: "uncordon node worker-b1", Cordon: &request.Cordon{Node: "worker-b1"}},
		{ID: "n2", What: "uncordon node worker-b2", Left: "somebody cordoned it since"}}
	d := drive(t, company(), 140, 40, onRuns(r))
	d.keys("r")
	d.list(frame.History).Table.Select("m2x9")
	d.keys("U")
	d.shows("Roll back run m2x9?", "uncordon node worker-b1", "Left as it is:", "uncordon node worker-b2: somebody cordoned it since",
		"Pods that were evicted are not brought back.")
	d.keys("esc")
	if len(r.undone) != 0 || r.closed != 1 {
		t.Fatalf("undone %q, given back %d times", r.undone, r.closed)
	}
	d.keys("U")
	d.accept()
	if !slices.Equal(r.undone, []string{"uncordon node worker-b1"}) || r.closed != 2 {
		t.Errorf("undone %q, given back %d times", r.undone, r.closed)
	}
	d.shows("1 change of the run was undone.")
	r.undos = r.undos[1:]
	d.keys("U")
	d.shows("There is nothing to undo for run m2x9")
	if r.closed != 3 {
		t.Errorf("given back %d times", r.closed)
	}
	r.err = errors.New("no right to patch nodes")
	d.keys("esc", "U")
	d.shows("Nothing was undone: no right to patch nodes")
}

// With --read-only runs are shown, and neither resumed nor rolled back.
func TestRunsReadOnly(t *testing.T) {
	r := somePast()
	d := drive(t, company(), 140, 40, onRuns(r, func(d *Deps) { d.ReadOnly = true }))
	d.keys("r")
	d.list(frame.History).Table.Select("p4q1")
	d.keys("R", "U")
	if len(d.m.dialogs) > 0 || strings.Contains(d.frame(), "R resume") {
		t.Error(d.frame())
	}
}

// The run of a batch is shown beside its roll, which leaving the program still asks about.
func TestTheRunOfABatchDoesNotHideItsRoll(t *testing.T) {
	r := somePast()
	batch := newFakeRun(runState())
	rolling := rollState()
	rolling.drain = batch
	r.briefs = []live.Brief{{ID: batch.state.Run.ID, Started: moment}}
	d := drive(t, company(), 140, 40, onRuns(r, func(d *Deps) { d.AttachRoll = rolling }))
	d.keys("r")
	d.list(frame.History).Table.Select(batch.state.Run.ID)
	d.keys("enter")
	if d.m.path.page != frame.Run || d.m.s.Roll != live.Roll(rolling) || len(r.shown) != 0 {
		t.Errorf("on %s, roll %v, shown %q", d.m.path.page, d.m.s.Roll, r.shown)
	}
	d.keys("q")
	d.shows("A roll is active")
}
