package print

import (
	"io"
	"strings"
	"unicode/utf8"
)

// table lays rows out in columns, two spaces apart; the last column is as long
// as it needs to be.
type table struct {
	Style  Style
	Indent string
	rows   []tableRow
}

type tableRow struct {
	cells []string
	tone  Tone // of the first cell
}

// Add adds a row, whose first cell has the tone.
func (t *table) Add(tone Tone, cells ...string) {
	t.rows = append(t.rows, tableRow{cells: cells, tone: tone})
}

// Write writes the rows.
func (t *table) Write(w io.Writer) {
	widths := t.widths()
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row.cells {
			pad := ""
			if i < len(row.cells)-1 {
				pad = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
			if i == 0 {
				cell = t.Style.In(row.tone, cell)
			}
			b.WriteString(cell + pad)
		}
		_, _ = io.WriteString(w, t.Indent+strings.TrimRight(b.String(), " ")+"\n")
	}
}

func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}
