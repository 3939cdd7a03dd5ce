package wording

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// From BarsFrom columns on, requests are bars with their number; LeastBar is the
// narrowest of these.
const (
	BarsFrom = 110
	LeastBar = 9
)

// ShortTitles are titles for columns that had to give way.
var ShortTitles = map[string]string{
	"cpu": "CPU", "memory": "MEM", "cpuused": "CPU USED", "memused": "MEM USED", "would": "DRAIN WOULD",
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
	if width < LeastBar {
		return paint.L(themes.Text, number)
	}
	return paint.Bar(full, themes.BarEmpty, f, width-5).Add(themes.Text, " "+number)
}
