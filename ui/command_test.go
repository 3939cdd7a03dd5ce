package ui

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// A command that the run's own rule refuses opens no dialog: its yes would change nothing.
func TestACommandWithoutEffectIsNotAskedFor(t *testing.T) {
	s := runState()
	s.Suspended = true
	for _, key := range []string{"P", "R", "S", "L", "N", "E", "A"} {
		d := drive(t, company(), 120, 40, attached(s))
		d.keys(key)
		d.shows("the run is being suspended")
		if len(d.m.dialogs) != 0 || d.m.path.page != frame.Run {
			t.Errorf("%s: %d dialogs on %s", key, len(d.m.dialogs), d.m.path.page)
		}
	}
}
