package frame

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

func text(l paint.Line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// spotted is a list in which some rows have lines above them and a continuation; each line of a row has its
// key before a !.
func spotted(width, height, cursor int) (*List, Layout, View) {
	l := &List{Sort: "size"}
	l.Table.SetKeys(strings.Split("abcdefghijklmnopqrst", ""))
	l.Move(cursor)
	v := View{
		Cell: func(key, _ string, _ int) paint.Line { return paint.T(key + "!") },
		Above: func(key string) []paint.Line {
			if strings.Contains("ade", key) {
				return []paint.Line{paint.T("section"), paint.T("of " + key)}
			}
			return nil
		},
		Extra: func(key string) paint.Line {
			if strings.Contains("bdt", key) {
				return paint.T("more of " + key + "!")
			}
			return nil
		},
	}
	lay := MakeLayout(width, height, 2, width >= paneBeside)
	columns := []table.Column{{ID: "name", Title: "NAME", Width: 10, Grow: true}, {ID: "wide", Title: "WIDE", Width: 900, Drop: 1},
		{ID: "size", Title: "SIZE", Width: 6, Right: true}}
	l.Layout(lay, columns, func(key string) int { return 1 + len(v.Above(key)) + min(1, len(v.Extra(key))) })
	return l, lay, v
}

// What is found on a line is the row that is drawn there.
func TestSpotIsWhatIsDrawn(t *testing.T) {
	for _, size := range [][2]int{{60, 12}, {80, 24}, {160, 40}} {
		for cursor := range 20 {
			l, lay, v := spotted(size[0], size[1], cursor)
			lines, _ := l.Rows(lay.Rows, v)
			for y := range size[1] {
				var want Spot
				if at := y - lay.Body; at >= 0 && at < len(lines) {
					if key, _, found := strings.Cut(text(lines[at]), "!"); found {
						want.Row = key[len(key)-1:]
					}
				}
				if got := l.Spot(1, y, lay, v); got != want {
					t.Errorf("%v, cursor on row %d: %+v on line %d, not %+v", size, cursor, got, y, want)
				}
			}
		}
	}
}

// A title is found on its own cells.
func TestSpotOfATitle(t *testing.T) {
	for _, width := range []int{60, 80, 160} {
		l, lay, v := spotted(width, 24, 0)
		titles := text(l.Titles())
		for _, title := range []string{"NAME", "SIZ"} {
			want := Spot{Column: map[string]string{"NAME": "name", "SIZ": "size"}[title]}
			for x := strings.Index(titles, title); x < strings.Index(titles, title)+len(title); x++ {
				if got := l.Spot(x, lay.Table, lay, v); got != want {
					t.Errorf("%d wide: %+v at cell %d of %q, not %+v", width, got, x, titles, want)
				}
			}
		}
		for _, x := range []int{-1, lay.TableWidth(), 10000} {
			for _, y := range []int{lay.Table, lay.Body + 2} {
				if got := l.Spot(x, y, lay, v); got != (Spot{}) {
					t.Errorf("%d wide: %+v at cell %d of line %d", width, got, x, y)
				}
			}
		}
	}
}
