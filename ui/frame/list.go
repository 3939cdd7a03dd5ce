package frame

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// List is what the pages with a table have in common: which rows are shown, in
// which order, and where the cursor is.
type List struct {
	Table   table.Table
	Filter  string
	Sort    string
	Reverse bool
	Total   int // objects before the filter
	// Touched tells that the operator chose the row; until then a page may
	// keep the cursor on its first row.
	Touched bool
	Columns []table.Column
	Widths  []int
	from    int // visible rows
	to      int
}

// Move moves the cursor; from then on the operator chose the row.
func (l *List) Move(by int) {
	l.Touched = true
	l.Table.Move(by)
}

// HasRow reports whether there is a row to act on.
func (l *List) HasRow() (bool, string) {
	if l.Table.Len() == 0 {
		return false, "there is no row to act on"
	}
	return true, ""
}

// Matcher is the filter as a test of one text: substring, "!" inverts.
func (l *List) Matcher() (text string, inverse bool) {
	text, inverse = strings.CutPrefix(strings.ToLower(strings.TrimSpace(l.Filter)), "!")
	return text, inverse && text != ""
}

// NextSort goes to the next or previous column to sort by.
func (l *List) NextSort(sorts []string, step int) {
	at := slices.Index(sorts, l.Sort)
	if at < 0 {
		at = 0
	}
	l.Sort = sorts[(at+step+len(sorts))%len(sorts)]
}

// Layout fits the columns into the width and scrolls to the cursor.
func (l *List) Layout(lay Layout, columns []table.Column, heightOf func(string) int) {
	l.Columns = columns
	l.Widths = table.Fit(columns, lay.Columns())
	l.from, l.to = l.Table.Window(lay.Rows, heightOf)
}

// Visible are the keys on the screen.
func (l *List) Visible() []string {
	keys := l.Table.Keys()
	return keys[min(l.from, len(keys)):min(l.to, len(keys))]
}

// Width is the width of a column, 0 if it is not shown.
func (l *List) Width(id string) int {
	for i, c := range l.Columns {
		if c.ID == id {
			return l.Widths[i]
		}
	}
	return 0
}

// Rows makes the lines of the visible rows. cell makes one cell, extra the
// continuation of a row, nil where it has none.
func (l *List) Rows(height int, marked func(string) bool, cell func(key, column string, width int) paint.Line,
	extra func(key string) paint.Line) (lines []paint.Line, cursor int) {
	cursor = -1
	width := 0
	for _, w := range l.Widths {
		if w > 0 {
			width += w + table.Gap
		}
	}
	for _, key := range l.Visible() {
		selected := key == l.Table.Cursor()
		if selected {
			cursor = len(lines)
		}
		row := gutter(selected, marked != nil && marked(key))
		for i, c := range l.Columns {
			w := l.Widths[i]
			if w == 0 {
				continue
			}
			if len(row) > 2 {
				row = append(row, paint.Blank(table.Gap))
			}
			if content := cell(key, c.ID, w); c.Right {
				row = append(row, content.FitRight(w)...)
			} else {
				row = append(row, content.Fit(w)...)
			}
		}
		lines = append(lines, highlight(row, selected))
		if extra == nil {
			continue
		}
		if more := extra(key); more != nil {
			more = append(paint.Line{paint.Blank(Gutter + 2)}, more...)
			lines = append(lines, highlight(more.Fit(Gutter+width-table.Gap), selected))
		}
	}
	if len(lines) > height {
		lines = lines[:height]
	}
	return lines, cursor
}

func highlight(l paint.Line, selected bool) paint.Line {
	if selected {
		return l.Selected()
	}
	return l
}

// gutter is the left edge of a row: cursor and mark, so that neither is told by
// colour alone.
func gutter(selected, marked bool) paint.Line {
	l := make(paint.Line, 2, 48) // room for the whole row
	l[0], l[1] = paint.Span{Text: " ", Token: themes.Accent}, paint.Span{Text: "  ", Token: themes.Marked}
	if selected {
		l[0].Text = paint.Cursor
	}
	if marked {
		l[1].Text = paint.Marked + " "
	}
	return l
}
