package rolls

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// history is a roll of one node, which took an hour.
func history() []roll.Event {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	facts := &roll.Facts{Run: drain.RunFacts{ID: "x4wz"}, Batches: []roll.Batch{{Nodes: []string{"w1"}}}}
	return []roll.Event{
		{Seq: 1, Time: began, Kind: roll.EventRollStarted, Roll: facts},
		{Seq: 2, Time: began.Add(time.Second), Kind: roll.EventNode, Node: "w1", State: roll.Draining},
		{Seq: 3, Time: began.Add(time.Hour), Kind: roll.EventRollEnded, Outcome: drain.OutcomeDone},
	}
}

// A replay shows each moment in its turn, cuts long waits, and never runs ahead.
func TestAReplayOfARoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r, err := newReplay(ctx, nil, history(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.State(); s.Seq != 1 || len(r.Events(0)) != 1 || r.Drain() != nil {
			t.Errorf("at first: %+v", s)
		}
		time.Sleep(1500 * time.Millisecond)
		if s := r.State(); s.Seq != 2 || s.Nodes[0].State != roll.Draining {
			t.Errorf("after a second: %+v", s)
		}
		if now := r.Now(); !now.Equal(history()[1].Time.Add(500 * time.Millisecond)) {
			t.Errorf("the clock shows %s", now)
		}
		time.Sleep(2 * time.Second)
		if s := r.State(); s.Outcome != drain.OutcomeDone || len(r.Events(1)) != 2 || !r.Now().Equal(s.Updated) {
			t.Errorf("at the end: %+v", s)
		}
		r.SkipEvents(-1)
		if s := r.State(); s.Seq != 2 || len(r.Whole()) != 3 {
			t.Errorf("one back: %+v", s)
		}
		stop()
		<-r.Done()
	})
	if _, err := newReplay(t.Context(), nil, nil, 0); err == nil {
		t.Error("nothing can be played")
	}
}

// The run of a batch is played where its journal is on this machine, and ends with the replay of its roll.
func TestTheBatchOfAReplay(t *testing.T) {
	runs := app.NewRuns(t.TempDir(), "kdrain-tui")
	rolled, err := journal.CreateRoll(runs.Dir, "x4wz")
	if err != nil {
		t.Fatal(err)
	}
	run, err2 := journal.CreateJournal(runs.Dir, "x4wz-1")
	if err := errors.Join(err2, rolled.Append(history(), false), rolled.Close()); err != nil {
		t.Fatal(err)
	}
	began := history()[1].Time
	if err := errors.Join(run.Append([]drain.Event{
		{Seq: 1, Time: began, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "x4wz-1"}},
		{Seq: 2, Time: began.Add(time.Minute), Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone},
	}, false), run.Close()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r, err := Play(ctx, runs, "x4wz", 0)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := r.Batch("x4wz-1")
	if err != nil {
		t.Fatal(err)
	}
	if at := batch.(live.Player).Position(); !at.Paused || at.At != 0 || at.Of != time.Minute || batch.State().Outcome != "" {
		t.Errorf("opened at %+v", at)
	}
	if again, err := r.Batch("x4wz-1"); err != nil || again != batch {
		t.Errorf("it is opened twice: %v", err)
	}
	for _, id := range []string{"x4wz-2", "../x4wz-1"} {
		if _, err := r.Batch(id); err == nil || !strings.Contains(err.Error(), "there is no run") {
			t.Errorf("%s: %v", id, err)
		}
	}
	stop()
	<-r.Done()
	<-batch.Done()
	if _, err := r.Batch("x4wz-2"); err == nil {
		t.Error("a batch is opened after the end")
	}
	ended, err := Ended(runs, "x4wz")
	if err != nil || ended.State().Outcome != drain.OutcomeDone {
		t.Errorf("%+v, %v", ended, err)
	}
	<-ended.Done()
}

// A roll of another process is read from its journal as that grows, until its end.
func TestARollIsWatched(t *testing.T) {
	runs := app.NewRuns(t.TempDir(), "kdrain-tui")
	defer runs.End()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if _, err := Follow(ctx, runs, "x4wz"); err == nil {
		t.Error("a roll without a journal is watched")
	}
	written, err := journal.CreateRoll(runs.Dir, "x4wz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Follow(ctx, runs, "x4wz"); err == nil || !strings.Contains(err.Error(), "no event yet") {
		t.Errorf("an empty journal: %v", err)
	}
	if err := written.Append(history()[:1], false); err != nil {
		t.Fatal(err)
	}
	w, err := Follow(ctx, runs, "x4wz")
	if err != nil {
		t.Fatal(err)
	}
	changed := w.Changed(ctx)
	<-changed
	w.Send(roll.Reply{Node: "w1", Answer: roll.AnswerDone})
	<-changed
	w.Send(roll.Command{Kind: drain.CommandPause})
	<-changed
	if said := w.Refusals(); len(said) == 0 || !strings.Contains(said[0], "answered where it runs") {
		t.Errorf("refused: %q", said)
	}
	if err := errors.Join(written.Append(history()[1:], false), written.Close()); err != nil {
		t.Fatal(err)
	}
	<-w.Done()
	w.Wait()
	if s := w.State(); s.Outcome != drain.OutcomeDone || len(w.Events(0)) != 3 || s.Facts.Run.Program != "kdrain-tui" || w.Drain() != nil {
		t.Errorf("at the end: %+v", s)
	}
}

// The run of a batch that a rollback has undone is shown as it ended, and never resumed.
func TestTheBatchThatWasRolledBack(t *testing.T) {
	runs := app.NewRuns(t.TempDir(), "kdrain-tui")
	written, err := journal.CreateJournal(runs.Dir, "x4wz-1")
	if err != nil {
		t.Fatal(err)
	}
	began := history()[1].Time
	for _, events := range [][]drain.Event{
		{{Seq: 1, Time: began, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "x4wz-1"}},
			{Seq: 2, Time: began.Add(time.Minute), Kind: drain.EventUndone, Outcome: drain.OutcomeDone}},
		{{Seq: 3, Time: began.Add(time.Hour), Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone},
			{Seq: 4, Time: began.Add(time.Hour), Kind: drain.EventUndone, Outcome: drain.OutcomeDone}},
	} {
		if err := written.Append(events, false); err != nil {
			t.Fatal(err)
		}
		run, begun, err := drainOf(t.Context(), &app.Session{Runs: runs}, roll.Drain{Run: "x4wz-1"}, plan.Options{})
		if err != nil || !begun || !run.State().RolledBack {
			t.Errorf("%v, %v, %+v", begun, err, run)
		}
		<-run.Done()
	}
	if err := written.Close(); err != nil {
		t.Error(err)
	}
}
