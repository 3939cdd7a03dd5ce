package wording

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// leastBar is the narrowest bar with its number.
const leastBar = 9

// ShareWidth is the width of a share in a table of that width: the same whatever else is
// shown, so that no column moves when more is known.
func ShareWidth(table int) int {
	switch {
	case table >= 150:
		return 13
	case table >= 106:
		return leastBar
	}
	return 7 // the number alone
}

// Share is a bar with its number, or the number alone where there is no room.
func Share(part, whole int64, width int) paint.Line {
	if whole <= 0 {
		return paint.L(themes.Muted, "-")
	}
	f := float64(part) / float64(whole)
	full := themes.BarFull
	if f > 0.85 {
		full = themes.BarWarning
	}
	number := fmt.Sprintf("%3d%%", int(f*100+0.5))
	if width < leastBar {
		return paint.L(themes.Text, number)
	}
	return paint.Bar(full, themes.BarEmpty, f, width-5).Add(themes.Text, " "+number)
}
