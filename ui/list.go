package ui

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// list is what the pages with a table have in common: which rows are shown, in
// which order, and where the cursor is.
type list struct {
	table   table.Table
	filter  string
	sort    string
	reverse bool
	total   int // objects before the filter
	// touched tells that the operator chose the row; until then a page may
	// keep the cursor on its first row.
	touched bool
	columns []table.Column
	widths  []int
	from    int // visible rows
	to      int
}

// matcher is the filter as a test of one text: substring, "!" inverts.
func (l *list) matcher() (text string, inverse bool) {
	text, inverse = strings.CutPrefix(strings.ToLower(strings.TrimSpace(l.filter)), "!")
	return text, inverse && text != ""
}

// nextSort goes to the next or previous column to sort by.
func (l *list) nextSort(sorts []string, step int) {
	at := slices.Index(sorts, l.sort)
	if at < 0 {
		at = 0
	}
	l.sort = sorts[(at+step+len(sorts))%len(sorts)]
}

// settle fits the columns into the width and scrolls to the cursor.
func (l *list) settle(lay Layout, columns []table.Column, heightOf func(string) int) {
	l.columns = columns
	l.widths = table.Fit(columns, lay.Columns())
	l.from, l.to = l.table.Window(lay.Rows, heightOf)
}

// visible are the keys on the screen.
func (l *list) visible() []string {
	keys := l.table.Keys()
	return keys[min(l.from, len(keys)):min(l.to, len(keys))]
}

// width is the width of a column, 0 if it is not shown.
func (l *list) width(id string) int {
	for i, c := range l.columns {
		if c.ID == id {
			return l.widths[i]
		}
	}
	return 0
}

// rows makes the lines of the visible rows. cell makes one cell, extra the
// continuation of a row, nil where it has none.
func (l *list) rows(height int, marked func(string) bool, cell func(key, column string, width int) paint.Line,
	extra func(key string) paint.Line) (lines []paint.Line, cursor int) {
	cursor = -1
	width := 0
	for _, w := range l.widths {
		if w > 0 {
			width += w + table.Gap
		}
	}
	for _, key := range l.visible() {
		selected := key == l.table.Cursor()
		if selected {
			cursor = len(lines)
		}
		row := gutter(selected, marked != nil && marked(key))
		for i, c := range l.columns {
			w := l.widths[i]
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
