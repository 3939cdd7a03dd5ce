package ui

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// What a key does, a node and a pod are found by their names. What is chosen is done by the rules of its key.
func TestFind(t *testing.T) {
	d := drive(t, company(), 120, 30)
	d.list(frame.Nodes).Table.Select("worker-b1")
	d.keys(":")
	d.shows("Find", "cordon")
	d.typed("unschedulable")
	d.keys("enter")
	d.shows("Cordon worker-b1?", "[ n  Cancel ]") // it asks, as C does
	d.keys("esc", ":")
	d.typed("worker-c3")
	d.keys("enter")
	if at := d.list(frame.Nodes).Table.Cursor(); d.m.path.page != frame.Nodes || at != "worker-c3" {
		t.Errorf("on %s, at %s", d.m.path.page, at)
	}
	d.keys(":")
	d.typed("k2xzq")
	d.shows("pod", "checkout/cart-7f9c-k2xzq", "on worker-b1")
	d.keys("enter")
	if d.m.path.page != frame.Pod {
		t.Errorf("on %s", d.m.path.page)
	}
	d.keys("esc", ":", "esc")
	if d.m.path.page != frame.Nodes {
		t.Errorf("esc leads to %s", d.m.path.page)
	}
	d.keys(":")
	d.typed("what nothing is called")
	d.keys("enter")
	d.shows("Nothing is called")
	d.keys("esc", "esc", ":")
	d.typed("uncordon")
	d.keys("down", "up", "enter")
	d.shows("not cordoned: worker-c3") // why it cannot be done now
}

// With --read-only nothing is found that writes.
func TestFindReadOnly(t *testing.T) {
	d := drive(t, company(), 120, 30, func(d *Deps) { d.ReadOnly = true })
	d.keys(":")
	d.typed("unschedulable")
	d.shows("Nothing is called")
}

// Other contexts are found like everything else; who chooses one leaves this cluster, unless a run is active here.
func TestFindAContext(t *testing.T) {
	contexts := func(d *Deps) { d.Contexts = []string{"prod-eu-1", "staging"} }
	d := drive(t, company(), 120, 30, contexts)
	d.keys(":")
	d.typed("stag")
	d.shows("context", "staging")
	if strings.Contains(d.frame(), "prod-eu-1") {
		t.Error("the context in use is offered")
	}
	d.keys("enter")
	if got := d.m.result(false); !d.quit || got.Left != LeftToSwitch || got.Context != "staging" {
		t.Errorf("%t, %+v", d.quit, got)
	}

	d = drive(t, company(), 120, 30, contexts, func(d *Deps) { d.Attach = newFakeRun(runState()) })
	d.keys("esc", ":")
	d.typed("staging")
	d.keys("enter")
	d.shows("a run is active here")
	if d.quit {
		t.Error("the run was left")
	}
}

// The orders of a list are found too: each column of it, also those that have no room.
func TestFindAnOrder(t *testing.T) {
	d := drive(t, company(), 80, 24, usual)
	d.keys(":")
	d.typed("sort by")
	for _, by := range d.m.pages[frame.Nodes].(frame.Lister).Sorts() {
		d.shows("sort by " + by.Title)
	}
	d.keys("backspace", "backspace")
	d.typed("by pods")
	d.keys("enter")
	d.shows("sorted by pods, the largest first")
	if l := d.list(frame.Nodes); l.Sort != "pods" || l.Table.Keys()[0] != "worker-b1" {
		t.Errorf("by %s, first %s", l.Sort, l.Table.Keys()[0])
	}
	d.keys("D", "o", ":")
	d.typed("sort by")
	d.shows("Nothing is called") // options have one order
}
