package history

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// readEvery is how often at most the events are read again: a run of days has many.
const readEvery = 2 * time.Second

// chronicled is a run that keeps its events.
type chronicled interface {
	Events(after uint64) []drain.Event
}

// story is what the events of a run tell, made outside of Update.
type story struct {
	run     live.Run
	seq     uint64 // of the state that it was read for
	entries []entry
	lanes   []lane
	from    time.Time
	to      time.Time // of the last event
}

// reader reads the events of the run for both pages.
type reader struct {
	shell  frame.Shell
	s      *frame.Session
	story  *story
	asked  time.Time
	coming bool
}

// due reports whether the run has gone on since its events were read.
func (r *reader) due() bool {
	return r.s.State != nil && (r.story == nil || r.story.run != r.s.Run || r.story.seq != r.s.State.Seq)
}

// read has the events read, where there are new ones.
func (r *reader) read() {
	run, ok := r.s.Run.(chronicled)
	now := r.s.Clock()
	if !ok || !r.due() || r.coming || !r.asked.IsZero() && now.Sub(r.asked) < r.every() && r.story != nil &&
		r.story.run == r.s.Run {
		return
	}
	r.coming, r.asked = true, now
	told := &story{run: r.s.Run, seq: r.s.State.Seq}
	live := r.s.Live()
	r.shell.Go("the events of the run", func(context.Context) tea.Msg {
		events := run.Events(0)
		if len(events) == 0 {
			return told
		}
		of := report.Of(events, live)
		told.from, told.to = events[0].Time, events[len(events)-1].Time
		told.entries, told.lanes = entriesOf(of), lanesOf(of)
		return told
	})
}

// every is how often at most the events are read again; those of a replay are at hand, and
// it is moved.
func (r *reader) every() time.Duration {
	if r.s.Replay {
		return readEvery / 10
	}
	return readEvery
}

// canPlay reports whether the run can be played from a moment of it.
func (r *reader) canPlay() (bool, string) {
	if _, ok := r.s.Run.(live.Player); !ok || !r.s.Replay {
		return false, "this is not a replay"
	}
	return r.story != nil, "the events are being read"
}

// playFrom moves the replay to that moment.
func (r *reader) playFrom(at time.Time) { r.s.Run.(live.Player).SkipTo(at.Sub(r.story.from)) }

// take keeps what was read; both pages hand it on, and the first counts.
func (r *reader) take(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case *story:
		r.coming = false
		if msg.run == r.s.Run {
			r.story = msg
		}
		return true
	case frame.NewRun:
		r.story, r.asked = nil, time.Time{}
		return true
	}
	return false
}

// now is the moment up to which the run is shown.
func (r *reader) now() time.Time {
	switch s := r.s.State; {
	case s == nil:
		return r.s.Now
	case !s.Ended.IsZero():
		return s.Ended
	}
	return r.s.Now
}

// New makes the event log and the timeline.
func New(shell frame.Shell) (*Events, *Timeline) {
	r := &reader{shell: shell, s: shell.Session()}
	return &Events{reader: r}, &Timeline{reader: r}
}
