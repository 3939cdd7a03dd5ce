package journal

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// filmed are events of which the state is the list of all before it, one each second.
func filmed(events int) []int {
	all := make([]int, events)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

var playingNumbers = Playing[int, []int]{
	Fold: func(before *[]int, events ...int) *[]int {
		if before == nil {
			before = new([]int)
		}
		after := slices.Concat(*before, events)
		return &after
	},
	Of: func(e int) (uint64, time.Time) { return uint64(e), time.Unix(int64(e), 0) },
	Matters: func(events []int) (at []int) {
		for i := 0; i < len(events); i += 10 {
			at = append(at, i)
		}
		return at
	},
}

func play(ctx context.Context, events []int, speed float64) *Playback[int, []int] {
	p := &Playback[int, []int]{}
	p.Begin(ctx, events, speed, playingNumbers)
	return p
}

// A replay is paused, moved and made faster; its state is always the fold of what has happened.
func TestAPlaybackIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := play(ctx, filmed(100), 1)
		is := func(what string, at float64, paused bool) {
			t.Helper()
			synctest.Wait()
			got := p.Position()
			if want := secs(at)[0]; got.At != want || got.Paused != paused || got.Of != 99*time.Second || got.Ended != (want == got.Of) {
				t.Errorf("%s: at %+v, not %s", what, got, want)
			}
			if n := len(*p.State()); n != int(at)+1 || len(p.Events(0)) != n || !p.Now().Equal(time.Unix(1, 0).Add(got.At)) {
				t.Errorf("%s: %d events are played, and the clock shows %s", what, n, p.Now())
			}
		}
		time.Sleep(2500 * time.Millisecond)
		is("after 2.5 s", 2.5, false)
		p.Pause()
		time.Sleep(time.Hour)
		is("paused", 2.5, true)
		p.Skip(5 * time.Second)
		is("moved while paused", 7.5, true)
		p.SkipEvents(1)
		is("to the next that matters", 10, true)
		p.SkipEvents(-1)
		is("and back", 0, true)
		p.SkipTo(50 * time.Second)
		p.Pause()
		p.Accelerate(2)
		time.Sleep(2 * time.Second)
		is("twice as fast", 54, false)
		p.SkipEvents(-1) // one that was just passed
		is("back while it plays", 50, false)
		p.SkipEvents(-1)
		is("back again", 40, false)
		p.Skip(-time.Hour)
		is("never before the start", 0, false)
		p.Skip(time.Hour)
		is("never after the end", 99, false)
		time.Sleep(time.Hour)
		p.Pause()
		is("from the start again", 0, false)
		for range 20 {
			p.Accelerate(2)
		}
		time.Sleep(time.Second)
		is("as fast as it can", 99, false)
		stop()
		<-p.Done()
		p.Skip(-time.Second) // there is no one to play it, and nothing hangs
	})
}

// Those who look are told when it is moved, and when it plays.
func TestAPlaybackTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := play(ctx, filmed(3), 0)
		changed := p.Changed(ctx)
		<-changed
		if at := p.Position(); !at.Ended || at.Speed != 1 {
			t.Fatalf("it begins at %+v", at)
		}
		p.SkipTo(0)
		<-changed
		<-changed // it plays on
		if n := len(*p.State()); n != 2 {
			t.Errorf("%d events are played", n)
		}
		stop()
		<-p.Done()
	})
}

// Going back folds from the nearest kept state, not from the start, and comes to the same.
func TestAPlaybackKeepsStates(t *testing.T) {
	folded := 0
	of := playingNumbers
	of.Fold = func(before *[]int, events ...int) *[]int {
		folded += len(events)
		return playingNumbers.Fold(before, events...)
	}
	p := &Playback[int, []int]{}
	p.End(filmed(10*stopEvery), of)
	<-p.Done()
	for _, at := range []int{9*stopEvery + 7, 17, 0, stopEvery - 1, stopEvery, 10*stopEvery - 1, 5*stopEvery + 1, 5 * stopEvery} {
		folded = 0
		p.SkipTo(time.Duration(at) * time.Second)
		if got := *p.State(); len(got) != at+1 || got[at] != at+1 {
			t.Errorf("at %d: %d events", at, len(got))
		}
		if folded > stopEvery {
			t.Errorf("to %d, %d events were folded", at, folded)
		}
	}
}

// What one wants to skip to is what changes for the reader, not each try.
func TestWhatMatters(t *testing.T) {
	pod := func(uid kube.UID, s eviction.State) drain.Event {
		return drain.Event{Kind: drain.EventPod, UID: uid, PodState: s}
	}
	events := []drain.Event{
		{Kind: drain.EventRunStarted}, {Kind: drain.EventIntent}, pod("a", eviction.Requested), pod("a", eviction.BudgetBlocked),
		{Kind: drain.EventAnswer}, pod("a", eviction.BudgetBlocked), pod("b", eviction.Terminating), pod("a", eviction.Terminating),
		pod("a", eviction.StuckTerminating), pod("a", eviction.Gone), pod("b", eviction.Failed), {Kind: drain.EventRunEnded},
	}
	if got, want := mattering(events), []int{0, 3, 7, 8, 9, 10, 11}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

var _ live.Player = (*Replay)(nil)
