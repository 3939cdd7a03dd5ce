package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// frameGap is how often changes of the cluster and of a run are shown: ten
// times a second is as much as people can see, however much changes.
const frameGap = 100 * time.Millisecond

// The ticks: a clock that runs, and a dialog or word that comes or goes soon.
const (
	slowTick = time.Second
	fastTick = 200 * time.Millisecond
)

// arms makes the commands that wait. Each exists once and is armed again when
// it brought something; tests put their own in place.
type arms struct {
	cluster func() tea.Cmd
	run     func(live.Run) tea.Cmd
	roll    func(live.Roll) tea.Cmd
	tick    func(after time.Duration, turn uint64) tea.Cmd
}

type snapshotMsg struct{ snap *kube.Snapshot }

type runMsg struct {
	run   live.Run
	state *drain.State
	over  bool // the run is done: there is no more news
}

type rollMsg struct {
	roll  live.Roll
	state *roll.State
	over  bool // the roll is done: there is no more news
}

type tickMsg struct{ turn uint64 }

func liveArms(m *model) arms {
	changed := m.d.Source.Changed(m.ctx)
	runs, rolls := follower[live.Run]{ctx: m.ctx}, follower[live.Roll]{ctx: m.ctx}
	return arms{
		cluster: func() tea.Cmd {
			shown := m.s.Snap.Gen()
			return m.d.Crash.guard("the view of the cluster", func() tea.Msg {
				if snap := newer(m.ctx, m.d.Source, changed, shown); snap != nil {
					return snapshotMsg{snap}
				}
				return nil
			})
		},
		run: func(r live.Run) tea.Cmd {
			from := runs.follow(r)
			return m.d.Crash.guard("the view of the run", func() tea.Msg {
				if !await(m.ctx, from, r.Done()) {
					return nil
				}
				over := closed(r.Done())
				return runMsg{r, r.State(), over}
			})
		},
		roll: func(r live.Roll) tea.Cmd {
			from := rolls.follow(r)
			return m.d.Crash.guard("the view of the roll", func() tea.Msg {
				if !await(m.ctx, from, r.Done()) {
					return nil
				}
				over := closed(r.Done())
				return rollMsg{r, r.State(), over}
			})
		},
		tick: func(after time.Duration, turn uint64) tea.Cmd {
			return func() tea.Msg { // as tea.Tick, but it ends with the program
				if !pause(m.ctx, after) {
					return nil
				}
				return tickMsg{turn}
			}
		},
	}
}

// follower is told of changes of one run or roll at a time.
type follower[T interface {
	comparable
	Changed(ctx context.Context) <-chan struct{}
}] struct {
	ctx     context.Context
	watched T
	news    <-chan struct{}
	stop    func()
}

// follow is told of the changes of this one from now on.
func (f *follower[T]) follow(r T) <-chan struct{} {
	if r != f.watched {
		if f.stop != nil {
			f.stop()
		}
		var ctx context.Context
		ctx, f.stop = context.WithCancel(f.ctx)
		f.watched, f.news = r, r.Changed(ctx)
	}
	return f.news
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// newer waits for a snapshot of another generation than the one shown. One of the same brings heartbeats of nodes and
// answers of the server, many a second in a large cluster: it is shown once in a second at most.
func newer(ctx context.Context, source Source, changed <-chan struct{}, shown uint64) *kube.Snapshot {
	second, stop := context.WithTimeout(ctx, slowTick)
	defer stop()
	var due <-chan struct{}
	for await(ctx, changed, due) {
		if snap := source.Snapshot(); snap.Gen() != shown || second.Err() != nil {
			return snap
		}
		due = second.Done()
	}
	return nil
}

// await waits for news and then lets the frame's time pass, so that whatever
// comes meanwhile is one piece of news; the end of what there is news of is
// news as well. False means that the program ends.
func await(ctx context.Context, news, end <-chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	case <-news:
	case <-end:
	}
	if !pause(ctx, frameGap) {
		return false
	}
	select { // what came meanwhile is in what we take now
	case <-news:
	default:
	}
	return true
}

// pause lets time pass; false means that the program ends.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// animate keeps one tick going while something on the screen moves by itself.
func (m *model) animate() {
	after := time.Duration(0)
	switch {
	case m.dialogs.top() != nil && m.dialogs.top().Deaf(m.now):
		after = fastTick
	case replaying{m}.plays(), m.path.page == frame.Run && m.s.Evicting(): // a bar and a spinner that move
		after = fastTick
	case m.notices.moves(), m.s.Live(), m.s.Starting, !m.s.Snap.Health().Live, m.pageWaits():
		after = slowTick
	}
	if after == 0 || m.ticking {
		return
	}
	m.ticking = true
	m.tickTurn++
	m.queue(m.arm.tick(after, m.tickTurn))
}

func (m *model) pageWaits() bool {
	w, ok := m.page().(frame.Waiter)
	return ok && w.Waits()
}
