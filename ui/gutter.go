package ui

import (
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

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
