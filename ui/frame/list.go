package frame

import (
	"fmt"
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
	Labels  bool // rows have labels to filter by
	Sort    string
	Reverse bool
	Total   int // objects before the filter
	// Touched tells that the operator chose the row; until then a page may
	// keep the cursor on its first row.
	Touched bool
	// Stale tells that there is news of the rows: they are rebuilt when the page is shown.
	Stale   bool
	Columns []table.Column
	Widths  []int
	from    int // visible rows
	to      int
	width   int // of a row, over which it is highlighted
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

// Sort is something to sort by: a column, by its ID.
type Sort struct {
	ID    string
	Title string // in a sentence
	// Largest tells that the largest comes first until the operator reverses it: of numbers one looks
	// for those.
	Largest bool
}

// NextSort is the next or previous one.
func (l *List) NextSort(sorts []Sort, step int) Sort {
	at := max(0, slices.IndexFunc(sorts, func(s Sort) bool { return s.ID == l.Sort }))
	return sorts[(at+step+len(sorts))%len(sorts)]
}

// SortBy has the rows in another order from the next Rebuild on.
func (l *List) SortBy(s Sort) { l.Sort, l.Reverse = s.ID, s.Largest }

// Layout fits the columns into the width and scrolls to the cursor.
func (l *List) Layout(lay Layout, columns []table.Column, heightOf func(string) int) {
	l.Columns = columns
	l.Widths = table.Fit(columns, lay.Columns())
	l.from, l.to = l.Table.Window(lay.Rows, heightOf)
	l.width = lay.TableWidth() - 1
}

// Place says which rows are visible of how many, "" where all are.
func (l *List) Place() string {
	if l.to-l.from >= l.Table.Len() {
		return ""
	}
	return fmt.Sprintf("%d-%d of %d", l.from+1, l.to, l.Table.Len())
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

// Rows makes the lines of the visible rows of a view.
func (l *List) Rows(height int, v View) (lines []paint.Line, cursor int) {
	lines, _, cursor = l.rows(height, v)
	return lines, cursor
}

// rows are the lines, and of which row each is: "" for those above a row.
func (l *List) rows(height int, v View) (lines []paint.Line, of []string, cursor int) {
	cursor = -1
	match := l.Match()
	for _, key := range l.Visible() {
		selected := key == l.Table.Cursor()
		if v.Above != nil {
			for _, more := range v.Above(key) {
				lines, of = append(lines, append(paint.Line{paint.Blank(1)}, more...)), append(of, "")
			}
		}
		if selected {
			cursor = len(lines)
		}
		row := gutter(selected, v.mark(key))
		for i, c := range l.Columns {
			w := l.Widths[i]
			if w == 0 {
				continue
			}
			if len(row) > 2 {
				row = append(row, paint.Blank(table.Gap))
			}
			if content := match.Mark(v.Cell(key, c.ID, w)); c.Right {
				row = append(row, content.FitRight(w)...)
			} else {
				row = append(row, content.Fit(w)...)
			}
		}
		lines, of = append(lines, l.highlight(row, selected)), append(of, key)
		if v.Extra == nil {
			continue
		}
		if more := match.Mark(v.Extra(key)); more != nil {
			more = append(paint.Line{paint.Blank(gutterWidth + 2)}, more...)
			lines, of = append(lines, l.highlight(more.Fit(l.width), selected)), append(of, key)
		}
	}
	if cursor >= height { // a row with lines above that is higher than the page
		lines, of, cursor = lines[cursor-height+1:], of[cursor-height+1:], height-1
	}
	seen := min(len(lines), height)
	return lines[:seen], of[:seen], cursor
}

// highlight is a row over the whole width of the table where it is the selected one.
func (l *List) highlight(row paint.Line, selected bool) paint.Line {
	if selected {
		return row.Fit(l.width).Selected()
	}
	return row
}

// gutter is the left edge of a row: cursor and mark, so that neither is told by
// colour alone.
func gutter(selected bool, mark string) paint.Line {
	l := make(paint.Line, 2, 48) // room for the whole row
	l[0], l[1] = paint.Span{Text: " ", Token: themes.Accent}, paint.Span{Text: "  ", Token: themes.Marked}
	if selected {
		l[0].Text = paint.Cursor
	}
	if mark != "" {
		l[1].Text = mark + strings.Repeat(" ", max(0, 2-paint.Width(mark)))
	}
	return l
}

func (v *View) mark(key string) string {
	if v.Mark == nil {
		return ""
	}
	return v.Mark(key)
}
