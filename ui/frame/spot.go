package frame

import (
	"iter"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// Spot is what of a table stands on a cell of the frame.
type Spot struct {
	Row    string // its key, "" for none
	Column string // whose title it is, "" for none
}

// Spot finds what of the table stands there, with the rows as they are in the view.
func (l *List) Spot(x, y int, lay Layout, v View) (s Spot) {
	if x < 0 || x >= lay.TableWidth() {
		return s
	}
	if y == lay.Table {
		for i, from := range l.shown() {
			if from <= x && x < from+l.Widths[i]+table.Gap {
				s.Column = l.Columns[i].ID
			}
		}
		return s
	}
	if _, of, _ := l.rows(lay.Rows, v); y >= lay.Body && y-lay.Body < len(of) {
		s.Row = of[y-lay.Body]
	}
	return s
}

// Choose puts the cursor on a row; from then on the operator chose it.
func (l *List) Choose(key string) {
	l.Touched = true
	l.Table.Select(key)
}

// shown are the columns that have room, and from which cell on each stands.
func (l *List) shown() iter.Seq2[int, int] {
	return func(yield func(column, from int) bool) {
		from := gutterWidth
		for i := range l.Columns {
			if l.Widths[i] == 0 {
				continue
			}
			if !yield(i, from) {
				return
			}
			from += l.Widths[i] + table.Gap
		}
	}
}

// Titles is the line of the column titles, with an arrow on the one that rows are sorted by.
func (l *List) Titles() paint.Line {
	var line paint.Line
	for i, from := range l.shown() {
		c, w := l.Columns[i], l.Widths[i]
		title := c.Title
		if l.Sort == c.ID {
			if paint.Width(title) >= w { // the arrow takes the place of its last letter
				title = title[:w-1]
			}
			title += map[bool]string{false: paint.Ascending, true: paint.Falling}[l.Reverse]
		}
		if cell := paint.L(themes.Muted, title); c.Right {
			line = append(line.Fit(from), cell.FitRight(w)...)
		} else {
			line = append(line.Fit(from), cell.Fit(w)...)
		}
	}
	return line
}
