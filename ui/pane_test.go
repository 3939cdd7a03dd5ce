package ui

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Where the frame has room, what the selected row is about stands beside the table or below
// it, and the row is highlighted over the whole width of the table.
func TestPane(t *testing.T) {
	for _, size := range [][2]int{{200, 50}, {140, 24}, {120, 40}} {
		d := drive(t, company(), size[0], size[1])
		d.keys("a")
		d.list(frame.Nodes).Table.Select("worker-a2")
		d.keys("j", "k")
		d.shows("POD  ", "FATE", "checkout/cart-7f9c-p81mm", "‖ waits")
		d.keys("D")
		d.shows("What would help", "kubectl delete pod -n checkout cart-7f9c-k2xzq")
		if size[1] >= 50 {
			d.shows("Budget cart · needs 3, has 3, allows 0", "✖ cart-7f9c-k2xzq not Ready  worker-b1", "Landing fits")
		}
	}
	d := drive(t, company(), 80, 24)
	d.keys("D")
	if frame := d.frame(); strings.Contains(frame, "What would help\n") {
		t.Errorf("a pane in 80 columns:\n%s", frame)
	}
}

// What is said over a table may depend on the rows that are seen: scrolling to rows of which less is to be said
// keeps the frame whole.
func TestHeadOfRowsThatAreScrolledTo(t *testing.T) {
	for _, page := range []string{"", "p"} {
		d := drive(t, crowd(200, 4), 200, 50)
		if page != "" {
			d.keys(page)
		}
		d.shows("Assumed: --ignore-daemonsets")
		for range 3 { // what is worked out of these rows is still on its way
			d.m.Update(keyPress("pgdown"))
			if got := strings.Count(d.m.View().Content, "\n"); got != 49 {
				t.Errorf("page %q: %d lines", page, got+1)
			}
		}
	}
}
