package frame

import "testing"

// The parts of a frame stand one below the other, and the pane beside or below the rows.
func TestLayout(t *testing.T) {
	for width := MinWidth; width <= 260; width += 5 {
		for height := MinHeight; height <= 70; height++ {
			for _, pane := range []bool{false, true} {
				l := MakeLayout(width, height, 9, pane)
				at, end := l.Pane, l.Body+l.Rows
				switch {
				case l.Rows < 3, l.Body != l.Table+1, l.Hints != height-1:
					t.Fatalf("%dx%d: %+v", width, height, l)
				case at.Width == 0 && end+1+l.DetailRows != l.Hints:
					t.Fatalf("%dx%d without a pane: %+v", width, height, l)
				case at.X > 0 && (at.X+at.Width != width || at.Y != l.Table || at.Y+at.Height != end || end+1 != l.Hints):
					t.Fatalf("%dx%d with a pane beside: %+v", width, height, l)
				case at.X == 0 && at.Width > 0 && (at.Y != end+1 || at.Y+at.Height+1 != l.Hints || at.Height < 3):
					t.Fatalf("%dx%d with a pane below: %+v", width, height, l)
				case pane != (at.Width > 0) && (width >= paneBeside || height >= paneBelow):
					t.Fatalf("%dx%d pane %t: %+v", width, height, pane, l)
				}
			}
		}
	}
}
