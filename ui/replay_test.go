package ui

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// A replay shows the run and nothing else: no key leads to a cluster, answers a
// question of then, or is in the way of leaving.
func TestReplayHasOnePage(t *testing.T) {
	d := drive(t, emptyWorld(), 100, 30, attached(questionState()), func(d *Deps) { d.Replay = true })
	run := d.m.s.Run.(*fakeRun)
	for _, key := range []string{"enter", "P", "R", "S", "L", "N", "A", "esc", "esc", "w"} {
		d.keys(key)
		if d.m.path.page != frame.Run || len(d.m.dialogs) > 0 {
			t.Fatalf("%s led to %s, %d dialogs", key, d.m.path.page, len(d.m.dialogs))
		}
	}
	d.keys("?")
	d.keys("esc")
	if d.m.path.page != frame.Run {
		t.Errorf("back from help on %s", d.m.path.page)
	}
	if len(run.sent) > 0 {
		t.Errorf("sent %v", run.sent)
	}
	if frame := d.frame(); strings.Contains(frame, "waits for your confirmation") || !strings.Contains(frame, "REPLAY") {
		t.Errorf("the frame asks, or does not say what it is:\n%s", frame)
	}
	d.keys("q")
	if !d.quit {
		t.Error("q did not leave")
	}
	if text := d.m.result(false).Text(); text != "" {
		t.Errorf("a replay left a result on the screen: %s", text)
	}
}

func TestReplayedResultAsksNoCluster(t *testing.T) {
	d := drive(t, emptyWorld(), 100, 30, attached(endedState(drain.OutcomePartly)), func(d *Deps) { d.Replay = true })
	if frame := d.frame(); strings.Contains(frame, "rollback") || strings.Contains(frame, "node is gone") {
		t.Errorf("the result speaks of a cluster that is not there:\n%s", frame)
	}
}

// foreignRun is a run of another process.
type foreignRun struct {
	*fakeRun
	refused    []string
	unattended bool
}

func (r *foreignRun) Unattended() bool { return r.unattended }

func (r *foreignRun) Refusals() []string {
	said := r.refused
	r.refused = nil
	return said
}

func foreign(s *drain.State) func(*Deps) {
	return func(d *Deps) { d.Attach = &foreignRun{fakeRun: newFakeRun(s)} }
}

// A run of another process is steered and left: no key answers its question, and none of
// the ways to leave ends it.
func TestARunOfAnotherProcess(t *testing.T) {
	d := drive(t, company(), 120, 30, foreign(questionState()))
	run := d.m.s.Run.(*foreignRun)
	d.shows("of another process", "waits for the confirmation of evict, which is given where it runs")
	if len(d.m.dialogs) > 0 {
		t.Fatal("it asks a question that is not its own")
	}
	d.keys("P", "Z")
	d.shows("Suspend the run?", "resume k7f3")
	d.keys("y")
	if len(run.sent) != 2 || run.sent[0].(drain.Command).Kind != drain.CommandPause || run.sent[1].(drain.Command).Kind != drain.CommandSuspend {
		t.Fatalf("sent %+v", run.sent)
	}
	run.refused = []string{"pause was not taken: \x1b[31mthe run is already paused"}
	d.send(runMsg{run, run.State(), false})
	d.shows("pause was not taken: the run is already paused")
	d.keys("ctrl+c")
	d.shows("Leave kdrain-tui?")
	d.keys("ctrl+c")
	if !d.quit || len(run.sent) != 2 {
		t.Errorf("quit %v, sent %+v", d.quit, run.sent)
	}
	d = drive(t, company(), 120, 30, foreign(runState()))
	d.keys("q")
	if run := d.m.s.Run.(*foreignRun); !d.quit || len(run.sent) > 0 {
		t.Errorf("quit %v, sent %+v", d.quit, run.sent)
	}
}

// Its process may end before the run does, and another one go on with it; without its cluster the run's page is the
// only one.
func TestTheProcessOfAWatchedRunEnds(t *testing.T) {
	d := drive(t, emptyWorld(), 120, 30, foreign(runState()), func(d *Deps) { d.Cluster = nil })
	d.keys("esc", "enter")
	if d.m.path.page != frame.Run {
		t.Fatalf("on page %s", d.m.path.page)
	}
	d.shows("the cluster of the run was not reached")
	run := d.m.s.Run.(*foreignRun)
	run.unattended = true
	d.send(runMsg{run, runState(), false})
	d.shows("not ended, and no process works on it")
	d.shows("The process of the run has ended before the run; kdrain-tui --context=prod-eu-1 resume k7f3 continues it.")
	d.keys("P")
	d.shows("the run has ended without a result")
	if len(run.sent) > 0 {
		t.Errorf("sent %+v", run.sent)
	}
	run.unattended = false
	d.send(runMsg{run, runState(), false})
	d.shows("of another process")
	d.keys("P")
	if len(run.sent) != 1 {
		t.Errorf("sent %+v", run.sent)
	}
}
