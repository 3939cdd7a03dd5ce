package history

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// lane is what became of one pod over time.
type lane struct {
	node, name, key string
	spans           []report.Span
	replacement     *report.Replacement // nil where it is not followed
}

// lanesOf are the lanes of the pods that were to move, node by node, in the order in which
// they were begun.
func lanesOf(of report.Report) []lane {
	var all []lane
	for _, n := range of.Nodes {
		first := len(all)
		for i := range n.Pods {
			if p := &n.Pods[i]; len(p.Timeline) > 0 {
				all = append(all, lane{node: wording.Clean(n.Name), name: wording.Clean(p.Namespace + "/" + p.Name),
					key: p.UID, spans: p.Timeline, replacement: p.Replacement})
			}
		}
		slices.SortStableFunc(all[first:], func(a, b lane) int { return a.begun().Compare(b.begun()) })
	}
	return all
}

// begun is when the pod was first asked for, or held.
func (l *lane) begun() time.Time {
	for _, s := range l.spans {
		if s.State != eviction.Planned {
			return s.From
		}
	}
	return l.spans[0].From.Add(1 << 60) // those that were not asked for come last
}

// at is the span of that moment, nil before the first.
func (l *lane) at(t time.Time) *report.Span {
	for i := len(l.spans) - 1; i >= 0; i-- {
		if !l.spans[i].From.After(t) {
			return &l.spans[i]
		}
	}
	return nil
}

// look is the cell of a state, and of the time after it where nothing more happens.
func look(s eviction.State) (cell, after string, token paint.Token) {
	switch {
	case s == eviction.Planned:
		return " ", " ", themes.Muted
	case s == eviction.Requested:
		return paint.Asked, paint.Asked, themes.Busy
	case s.Blocked():
		return paint.Wait, paint.Wait, themes.Warning
	case s == eviction.Terminating:
		return paint.BarFull, paint.BarFull, themes.Busy
	case s == eviction.StuckTerminating:
		return paint.Warn, paint.Warn, themes.Bad
	case s.Left():
		return paint.Good, " ", themes.Good
	case s == eviction.Failed:
		return paint.Bad, " ", themes.Bad
	}
	return paint.Stay, " ", themes.Info
}

// arrival is the cell of time up to that moment in which the pod has left and its replacement is awaited, and of the
// moment in which that is Ready; "" where neither is.
func (l *lane) arrival(from, to time.Time) (string, paint.Token) {
	r := l.replacement
	switch {
	case r == nil, r.ReadyAt.IsZero() && r.State.Settled(): // none is awaited
		return "", themes.Muted
	case !r.ReadyAt.IsZero() && r.ReadyAt.Before(from):
		return "", themes.Muted
	case !r.ReadyAt.IsZero() && r.ReadyAt.Before(to):
		return paint.Ready, themes.Good
	case r.Stuck():
		return paint.Stay, themes.Warning
	}
	return paint.Stay, themes.Muted
}

// axis is a stretch of time on so many cells.
type axis struct {
	from, to time.Time
	width    int
	cursor   time.Time // zero for none
}

// end is the end of a cell.
func (a axis) end(cell int) time.Time {
	return a.from.Add(time.Duration(float64(a.to.Sub(a.from)) * float64(cell+1) / float64(max(a.width, 1))))
}

// cell is where a moment stands.
func (a axis) cell(t time.Time) int {
	if !a.to.After(a.from) {
		return 0
	}
	return min(max(int(float64(a.width)*float64(t.Sub(a.from))/float64(a.to.Sub(a.from))), 0), a.width-1)
}

// draw is the lane on the axis: each cell shows the last that happened in it.
func (l *lane) draw(a axis) paint.Line {
	cursor := -1
	if !a.cursor.IsZero() {
		cursor = a.cell(a.cursor)
	}
	var line paint.Line
	next := 0
	var of *report.Span
	for cell := range a.width {
		begins := false
		for end := a.end(cell); next < len(l.spans) && (l.spans[next].From.Before(end) || cell == a.width-1); next++ {
			of, begins = &l.spans[next], true
		}
		text, token := " ", themes.Muted
		if of != nil {
			at, after, look := look(of.State)
			if text, token = after, look; begins {
				text = at
			} else if of.State.Left() {
				from, to := a.end(cell-1), a.end(cell)
				if cell == a.width-1 {
					to = to.Add(1) // the end of the axis is in its last cell
				}
				if mark, look := l.arrival(from, to); mark != "" {
					text, token = mark, look
				}
			}
		}
		if cell == cursor {
			if token = themes.Accent; text == " " {
				text = "│"
			}
		}
		if n := len(line); n > 0 && line[n-1].Token == token {
			line[n-1].Text += text
			continue
		}
		line = append(line, paint.S(token, text))
	}
	return line
}
