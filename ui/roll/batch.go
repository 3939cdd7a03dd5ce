package roll

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// batchPlayer is a replay of a roll that can play the runs of its batches.
type batchPlayer interface {
	live.Player
	Batch(run string) (live.Run, error)
}

// batchMsg brings the replay of the run of a batch, or why there is none.
type batchMsg struct {
	at  time.Time // that the replay of the roll shows
	run live.Run
	err error
}

// runOf is the last run of a batch that the roll had begun at this moment, "" for none.
func runOf(events []roll.Event, batch int) (id string) {
	for i := range events {
		if e := &events[i]; e.Kind == roll.EventDrainStarted && e.Batch == batch+1 {
			id = e.Run
		}
	}
	return id
}

// openBatch opens the run of the selected node's batch in a replay, at the same moment.
func (m *Page) openBatch() {
	n := m.node(m.list.Table.Cursor())
	played, ok := m.s.Roll.(batchPlayer)
	if n == nil || !ok {
		m.shell.Refuse("there is no run to show")
		return
	}
	batch := "batch " + format.Number(n.Batch+1)
	id := runOf(m.s.Roll.Events(0), n.Batch)
	if id == "" {
		m.shell.Refuse("the drain of " + batch + " has not begun at this moment of the replay")
		return
	}
	at := m.s.Now
	m.shell.Go("the run of "+batch, func(context.Context) tea.Msg {
		run, err := played.Batch(id)
		return batchMsg{at, run, err}
	})
}

// onBatch shows the run as it was at the moment of the roll, which waits meanwhile.
func (m *Page) onBatch(msg batchMsg) {
	if msg.err != nil {
		m.shell.Fail("Not shown: " + wording.Clean(msg.err.Error()))
		return
	}
	whole, batch := m.s.Roll.(live.Player), msg.run.(live.Player)
	was, at := whole.Position(), batch.Position()
	batch.SkipTo(msg.at.Sub(batch.Now()) + at.At)
	batch.Accelerate(was.Speed / at.Speed)
	if playing := !was.Paused && !was.Ended; playing {
		whole.Pause()
		if p := batch.Position(); p.Paused && !p.Ended {
			batch.Pause()
		}
	}
	m.shell.Show(msg.run, m.s.Roll)
}
