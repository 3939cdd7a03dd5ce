package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// tooSmall is what a terminal shows that has no room for a page: first what must be known, in one line.
func (m renderer) tooSmall() []paint.Line {
	lines := []paint.Line{m.status(),
		paint.L(themes.Muted, fmt.Sprintf("at least %d x %d", frame.MinWidth, frame.MinHeight)),
		paint.L(themes.Muted, fmt.Sprintf("this is %d x %d", m.s.Width, m.s.Height)), paint.L(themes.Muted, "q leaves")}
	for i, l := range lines {
		if l.Width() > m.s.Width {
			lines[i] = l.Fit(m.s.Width)
		}
	}
	return lines
}

// status is the state of the run, of the roll or of the cluster in few words, the most important first.
func (m renderer) status() paint.Line {
	var l paint.Line
	say := func(token paint.Token, format string, args ...any) {
		l = paint.Join(paint.S(themes.Muted, paint.Dot), l, paint.L(token, fmt.Sprintf(format, args...)))
	}
	if len(m.dialogs) > 0 || m.s.Live() && m.s.State.Question != nil {
		say(themes.Warning, "%s to confirm", paint.Asked)
	}
	if m.s.Live() {
		p := m.s.Progress
		say(themes.Busy, "%d/%d gone", p.Left, p.Total)
		if p.Blocked > 0 {
			say(themes.Warning, "%d blocked", p.Blocked)
		}
		if p.Failed > 0 {
			say(themes.Bad, "%d failed", p.Failed)
		}
	}
	if r := m.s.RollState; m.s.Rolling() {
		say(themes.Busy, "roll %d/%d nodes", r.Count(roll.Done), len(r.Nodes))
	} else if m.s.State != nil && !m.s.Live() {
		word := string(m.s.State.Outcome)
		if word == "" {
			word = "not ended"
		}
		say(themes.Text, "run %s", word)
	}
	if !m.d.Replay && m.s.Cluster != nil && !m.s.Snap.Health().Live {
		say(themes.Bad, "%s server away", paint.Bad)
	}
	if len(l) == 0 {
		say(themes.Text, "%s", format.Count(m.s.Snap.Sync(kube.KindNodes).Count, "node"))
	}
	return l
}

func windowTitle(s *frame.Session) string {
	title := "kdrain-tui"
	if s.Identity.Context != "" {
		title += " " + s.Identity.Context
	}
	if r := s.RollState; s.Rolling() {
		title = fmt.Sprintf("%d/%d %s", r.Count(roll.Done), len(r.Nodes), title)
	} else if s.Live() {
		p := s.Progress
		title = fmt.Sprintf("%d/%d %s", p.Left, p.Total, title)
	}
	return title
}

// progressBar is what terminals show of a run in their own frame or task bar.
func progressBar(s *frame.Session) *tea.ProgressBar {
	if r := s.RollState; s.Rolling() {
		state := tea.ProgressBarDefault
		switch {
		case r.Count(roll.Failed) > 0:
			state = tea.ProgressBarError
		case r.Gate != nil || r.Question != nil:
			state = tea.ProgressBarWarning
		}
		return tea.NewProgressBar(state, 100*r.Count(roll.Done)/max(1, len(r.Nodes)))
	}
	if !s.Live() || s.State.Phases[drain.PhaseEvict] != drain.PhaseRuns {
		return nil
	}
	p := s.Progress
	if p.Total == 0 {
		return nil
	}
	state := tea.ProgressBarDefault
	if p.Failed > 0 {
		state = tea.ProgressBarError
	} else if p.Blocked > 0 {
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, 100*p.Left/p.Total)
}
