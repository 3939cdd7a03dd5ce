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
