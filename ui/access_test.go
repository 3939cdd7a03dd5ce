package ui

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// The rights that a drain needs are asked for when its plan is shown; what is
// missing is named, and the drain is off until the options need it no more.
func TestAPlanWithoutTheRightsIsNotOffered(t *testing.T) {
	var asked []bool
	d := drive(t, company(), 120, 40, usual, func(d *Deps) {
		paper(d).access = func(o plan.Options) preflight.Access {
			asked = append(asked, o.DisableEviction)
			a := preflight.Access{User: "ada"}
			if !o.DisableEviction {
				a.Missing = []preflight.MissingRight{{Rule: "create pods/eviction"}}
			}
			return a
		}
	})
	d.list(frame.Nodes).Table.Select("worker-a1")
	if len(asked) != 0 {
		t.Error("asked before there was a plan")
	}
	d.keys("D")
	d.shows("ada may not create pods/eviction: the drain is switched off")
	d.keys("D")
	if d.m.dialogs.has("cordon-and-start") {
		t.Fatal("the drain is offered without the rights")
	}
	d.keys("j", "k")
	o := d.m.s.Options
	o.DisableEviction = true
	(&shell{d.m}).SetOptions(o)
	d.keys("j")
	if !slices.Equal(asked, []bool{false, true}) {
		t.Errorf("asked %v: want once for each set of options", asked)
	}
	d.keys("D")
	if !d.m.dialogs.has("cordon-and-start") {
		t.Errorf("the drain is not offered though nothing is missing:\n%s", d.frame())
	}
}
