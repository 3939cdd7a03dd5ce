package run

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// etaEvery is how often at most the rest of a run is estimated again.
const etaEvery = 5 * time.Second

// eta is how long the rest of the run takes, estimated as for a plan of its nodes at work.
type eta struct {
	asked  time.Time
	coming bool
	at     time.Time // of estimate, zero for none
	plan.Estimate
}

// etaMsg brings the estimate of a run.
type etaMsg struct {
	run      live.Run
	at       time.Time
	estimate plan.Estimate
	err      error
}

// reckonETA has the rest of the run estimated, outside of Update.
func (m *Page) reckonETA() {
	s := m.s.State
	if m.s.Cluster == nil || !m.s.Evicting() || m.eta.coming || m.s.Now.Sub(m.eta.asked) < etaEvery {
		return
	}
	m.eta.coming, m.eta.asked = true, m.s.Now
	cluster, snap, now, nodes, options := m.s.Cluster, m.s.Snap, m.s.Now, nodesAtWork(s), s.Run.Options
	msg := etaMsg{run: m.s.Run, at: now}
	m.shell.Go("the estimate of the run's time", func(context.Context) tea.Msg {
		rest, err := cluster.NewPlan(snap, nodes, options, now)
		if msg.err = err; err == nil && len(rest.Refused()) == 0 {
			msg.estimate = cluster.Forecast(snap, rest, now)
		}
		return msg
	})
}

// take keeps an estimate; where there is none, as while a node is missing, none is shown.
func (e *eta) take(msg etaMsg, run live.Run) {
	if msg.run != run {
		return
	}
	e.coming, e.at, e.Estimate = false, time.Time{}, msg.estimate
	if msg.err == nil {
		e.at = msg.at
	}
}

// words say how long the rest takes, nil where that is not known or nothing moves.
func (e *eta) words(s *frame.Session) paint.Line {
	if e.at.IsZero() || !s.Evicting() {
		return nil
	}
	left := (e.Total - s.Now.Sub(e.at)).Round(time.Second)
	switch {
	case len(e.Waves) == 0 && e.Held > 0: // no time brings it about
		return paint.L(themes.Warning, "waits for you: "+format.Number(e.Held)+" blocked")
	case left <= 0:
		return nil
	}
	l := paint.L(themes.Muted, "about "+format.Duration(left)+" left")
	if e.Held > 0 {
		l = l.Add(themes.Muted, ", without "+format.Number(e.Held)+" blocked")
	}
	return l
}
