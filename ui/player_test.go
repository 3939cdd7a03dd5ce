package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// paused is a replay that stands still at that time.
func paused(t testing.TB, events []drain.Event, at time.Duration) *journal.Replay {
	t.Helper()
	r, err := journal.Ended(events)
	if err != nil {
		t.Fatal(err)
	}
	r.Pause()
	r.Pause()
	r.SkipTo(at)
	return r
}

// replayed opens a replay of a run, as the command replay does.
func replayed(t testing.TB, w, h int, events []drain.Event, at time.Duration) *driver {
	return drive(t, emptyWorld(), w, h, func(d *Deps) {
		d.Attach, d.Replay, d.Cluster = paused(t, events, at), true, nil
	})
}

// endedTold is the told run to its end.
func endedTold() []drain.Event {
	c := told()
	c.add(20*time.Second, drain.Event{Kind: drain.EventControl, Command: drain.CommandContinue, By: "ada"})
	c.pod(5*time.Second, toldCart, drain.Event{Kind: drain.EventPod, PodState: eviction.Failed})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-a1", NodeState: drain.NodeDrained})
	c.add(0, drain.Event{Kind: drain.EventVolumes, Node: "worker-a1", PowerOff: &checklist.Verdict{Safe: true, Checks: []checklist.Check{checklist.CheckVolumes}}})
	c.add(time.Second, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly})
	return c.events
}

var replayScenes = []scene{
	{"replay-paused", func(t testing.TB, w, h int) *driver { return replayed(t, w, h, endedTold(), 39*time.Second) }},
	{"replay-end", func(t testing.TB, w, h int) *driver { return replayed(t, w, h, endedTold(), time.Hour) }},
	{"replay-timeline", func(t testing.TB, w, h int) *driver {
		d := replayed(t, w, h, endedTold(), 30*time.Second)
		d.keys("t")
		return d
	}},
	{"replay-roll", func(t testing.TB, w, h int) *driver { return replayedRoll(t, w, h, 10*time.Minute) }},
}

func TestGoldenReplay(t *testing.T) {
	for _, sc := range replayScenes {
		for _, size := range [][2]int{{60, 12}, {80, 24}, {120, 40}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
	}
}

// What is shown is the run as it was at that time, by the clock of then; keys move it, and the
// header says where it is.
func TestAReplayIsMoved(t *testing.T) {
	d := replayed(t, 120, 30, endedTold(), 20*time.Second)
	player := d.m.s.Run.(live.Player)
	d.shows("REPLAY", "REPLAY ‖ paused 0:20 of 1:12 · 1x", "space play", "1 blocked", "━", "→ +5 s")
	d.keys("right", "right")
	d.shows("paused 0:30 of 1:12", "1 of 3")
	d.keys("left", "left", "left")
	d.shows("paused 0:15 of 1:12", "0 of 3")
	d.keys("]")
	d.shows("server unreachable")
	d.keys("+", "+")
	d.shows("4x")
	d.keys("-")
	d.shows("2x")
	d.keys("0")
	d.shows("end 1:12 of 1:12", "space again", "Result k7f3", "The replay is over; the run ended: partly.")
	d.keys("[")
	d.shows("Run k7f3")
	if d.m.s.Over || !d.m.s.Live() {
		t.Error("what is played again is over")
	}
	d.keys("0", "space")
	if at := player.Position(); at.Paused || at.Ended || at.At > time.Minute {
		t.Errorf("space at the end: %+v", at)
	}
	d.keys("space")
	d.shows("paused 0:00 of 1:12")
}

// The footer promises what works in a replay, and nothing else.
func TestTheFooterOfAReplay(t *testing.T) {
	d := replayed(t, 250, 30, endedTold(), 20*time.Second)
	for _, not := range []string{"enter pod", "P pause", "b budgets", "r runs", "R retry"} {
		if strings.Contains(d.frame(), not) {
			t.Errorf("the footer promises %q:\n%s", not, d.frame())
		}
	}
	d.keys("enter")
	d.shows("a replay has no cluster that could tell more of the pod")
	live := drive(t, company(), 250, 30, attached(runState()))
	live.keys("space")
	live.shows("this is not a replay")
	if strings.Contains(live.frame(), "faster") {
		t.Error("a live run can be made faster")
	}
}

// Notices go away by our clock, also while that of the replay stands still.
func TestNoticesInAReplay(t *testing.T) {
	d := replayed(t, 120, 30, endedTold(), 20*time.Second)
	d.keys("enter")
	d.now = d.now.Add(noticeTime)
	d.send(tickMsg{d.m.tickTurn})
	if strings.Contains(d.frame(), "a replay has no cluster") {
		t.Error("the notice stays")
	}
}

// Timeline, event log and checklist show what had happened by then; from the first two one
// plays on from a moment.
func TestPagesOfAReplay(t *testing.T) {
	d := replayed(t, 120, 30, endedTold(), 30*time.Second)
	d.keys("e")
	d.shows("REPLAY", "‖ paused 0:30 of 1:12", "web/front-66d5f7c9b-a8sd0")
	if strings.Contains(d.frame(), "outage") {
		t.Error("it tells of what comes later")
	}
	d.keys("g", "down", "enter")
	if at := d.m.s.Run.(live.Player).Position().At; at >= 10*time.Second {
		t.Errorf("played from %s", at)
	}
	d.keys("esc", "0", "c")
	d.shows("Checklist", "as the run saw it", "worker-a1", "safe to power off", "end 1:12")
	d.keys("esc", "t", "[", "[", "enter")
	if at := d.m.s.Run.(live.Player).Position(); at.Ended || at.At < 10*time.Second {
		t.Errorf("played from %+v", at)
	}
}

// y copies the report of the whole run, wherever the replay is.
func TestTheReportOfAReplay(t *testing.T) {
	d := replayed(t, 120, 30, endedTold(), 0)
	d.keys("y")
	d.shows("Report copied")
	if text := d.m.result(false).Text(); text != "" {
		t.Errorf("a replay left a result on the screen: %s", text)
	}
}

// playedRoll is a replay of a roll, which has the runs of some of its batches.
type playedRoll struct {
	journal.Playback[roll.Event, roll.State]
	runs map[string]*journal.Replay
}

func (*playedRoll) Drain() live.Run { return nil }
func (*playedRoll) Send(roll.Input) {}

func (r *playedRoll) Batch(id string) (live.Run, error) {
	if r.runs[id] == nil {
		return nil, errors.New("there is no run \"" + id + "\" on this machine")
	}
	return r.runs[id], nil
}

// replayedRoll stands still so long before the end of a roll; of its first batch there is a journal.
func replayedRoll(t testing.TB, w, h int, before time.Duration) *driver {
	events := rollState().events
	r := &playedRoll{runs: map[string]*journal.Replay{}}
	r.End(events, journal.Playing[roll.Event, roll.State]{Fold: roll.Fold,
		Of:      func(e roll.Event) (uint64, time.Time) { return e.Seq, e.Time },
		Matters: func([]roll.Event) []int { return nil }})
	r.Pause()
	r.Pause()
	r.SkipTo(r.Position().Of - before)
	c := &teller{at: moment.Add(-12 * time.Minute)}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "x4wz-1", Options: plan.DefaultOptions(),
		Nodes: []drain.NodeFacts{{Name: "worker-a1", UID: kube.UID("u1")}}}})
	c.add(5*time.Minute, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone})
	r.runs["x4wz-1"] = paused(t, c.events, 0)
	return drive(t, emptyWorld(), w, h, func(d *Deps) { d.AttachRoll, d.Replay, d.Cluster = r, true, nil })
}

// From the replay of a roll enter leads to the run of a batch as it was at that moment, and esc back.
func TestABatchInTheReplayOfARoll(t *testing.T) {
	d := replayedRoll(t, 120, 30, 10*time.Minute)
	d.shows("REPLAY", "enter run of the batch", "paused")
	d.list(frame.Roll).Table.Select("worker-b1")
	d.keys("enter")
	d.shows("the drain of batch 2 has not begun at this moment of the replay")
	d.list(frame.Roll).Table.Select("worker-a1")
	shown := d.m.s.Now
	d.keys("enter")
	d.shows("Run x4wz-1", "of roll x4wz", "paused 1:32")
	if !d.m.s.Now.Equal(shown) {
		t.Errorf("the run is shown at %s, the roll at %s", d.m.s.Now, shown)
	}
	d.keys("0")
	d.shows("Result x4wz-1", "end 5:00")
	d.keys("esc")
	d.shows("Roll x4wz", "paused")
	d.keys("0")
	d.list(frame.Roll).Table.Select("worker-b2")
	d.keys("enter")
	d.shows("Not shown: there is no run \"x4wz-2\" on this machine")
}

// The spinner of a run turns while it can evict; one that is paused or asks looks no oftener than its clock.
func TestTheSpinner(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*drain.State)
		fast   bool
	}{
		"evicts": {func(*drain.State) {}, true},
		"paused": {func(s *drain.State) { s.Paused = true }, false},
		"ended":  {func(s *drain.State) { s.Outcome = drain.OutcomeDone }, false},
	} {
		s := runState()
		c.change(s)
		d := drive(t, company(), 100, 30, attached(s))
		after := time.Duration(0)
		d.m.arm.tick = func(every time.Duration, _ uint64) tea.Cmd { after = every; return nil }
		d.m.ticking = false
		d.m.animate()
		d.m.flush()
		if (after == fastTick) != c.fast {
			t.Errorf("%s: it looks again after %s", name, after)
		}
		was := d.frame()
		d.now = d.now.Add(fastTick)
		d.send(tickMsg{d.m.tickTurn})
		if moves := d.frame() != was; moves != c.fast {
			t.Errorf("%s: it moves: %t", name, moves)
		}
	}
}
