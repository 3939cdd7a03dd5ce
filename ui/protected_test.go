package ui

import "testing"

// In a protected context a key alone changes nothing; what only stops a run stays quick.
func TestInAProtectedContextAYesIsTyped(t *testing.T) {
	protected := func(d *Deps) { d.Protected = "prod-eu-1" }
	d := drive(t, company(), 120, 40, protected)
	d.keys("C", "y", "enter")
	if len(d.cordons) != 0 {
		t.Fatalf("a key was enough: %q", d.cordons)
	}
	d.shows("prod-eu-1")
	d.keys("esc", "C")
	d.typed("prod-eu-1")
	d.keys("enter")
	if len(d.cordons) != 1 {
		t.Errorf("the typed name did not count: %q\n%s", d.cordons, d.frame())
	}

	d = drive(t, company(), 120, 40, protected, attached(runState()))
	d.keys("P")
	if run := d.m.s.Run.(*fakeRun); len(run.sent) != 1 {
		t.Errorf("a run could not be paused at once: %v\n%s", run.sent, d.frame())
	}
}
