package ui

import (
	"bytes"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func withMouse(d *Deps) { d.Mouse = true }

func (d *driver) clickAt(x, y int) {
	d.t.Helper()
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (d *driver) wheel(button tea.MouseButton) {
	d.t.Helper()
	d.send(tea.MouseWheelMsg{X: 10, Y: 6, Button: button})
}

// click clicks on the first of a text on the frame, of a page with a table in that.
func (d *driver) click(text string) {
	d.t.Helper()
	for y, line := range strings.Split(d.frame(), "\n") {
		if d.m.list() != nil && y < d.m.lay.Table {
			continue
		}
		before, _, found := strings.Cut(line, text)
		if found && (d.m.list() == nil || paint.Width(before) < d.m.lay.TableWidth()) {
			d.clickAt(paint.Width(before), y)
			return
		}
	}
	d.t.Fatalf("there is no %q to click on:\n%s", text, d.frame())
}

// at fails unless that page is shown.
func (d *driver) at(page keys.Page) {
	d.t.Helper()
	if d.m.path.page != page {
		d.t.Fatalf("the page is %s, not %s:\n%s", d.m.path.page, page, d.frame())
	}
}

// Without the option the terminal keeps its mouse, and its selection of text.
func TestMouseIsAnOption(t *testing.T) {
	d := drive(t, company(), 120, 40, usual)
	if mode := d.m.View().MouseMode; mode != tea.MouseModeNone {
		t.Errorf("mouse mode %v is asked for", mode)
	}
	was := d.frame()
	d.click("worker-b1")
	d.click("worker-b1")
	d.wheel(tea.MouseWheelDown)
	if now := d.frame(); now != was {
		t.Errorf("the mouse changed\n%s\nto\n%s", was, now)
	}
	d = drive(t, company(), 120, 40, usual, withMouse)
	if mode := d.m.View().MouseMode; mode != tea.MouseModeCellMotion {
		t.Errorf("mouse mode %v is asked for", mode)
	}
	const on, off = "\x1b[?1002h", "\x1b[?1002l"
	for _, wanted := range []bool{false, true} {
		var sent bytes.Buffer
		_, err := program(t, func(_ func(), keys io.Writer, _ *Crash) { press(keys, "\x1b[<0;10;6M\x1b[<0;10;6mq") },
			func(d *Deps) { d.Mouse, d.Output = wanted, io.MultiWriter(d.Output, &sent) })
		if err != nil || strings.Contains(sent.String(), on) != wanted || wanted && !strings.Contains(sent.String(), off) {
			t.Errorf("wanted %v: %v, %q", wanted, err, sent.String())
		}
	}
}

// A click selects a row, another one on it is Enter.
func TestClickOnARow(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 45}, {200, 50}} {
		d := drive(t, company(), size[0], size[1], usual, withMouse)
		d.click("worker-b1")
		d.at(frame.Nodes)
		if got := d.list(frame.Nodes).Table.Cursor(); got != "worker-b1" {
			t.Errorf("%v: %s is selected", size, got)
		}
		d.click("worker-b1")
		d.at(frame.Pods)
		d.keys("esc", "/")
		d.typed("worker")
		d.click("worker-c3") // ends the typing, not the filter
		d.at(frame.Nodes)
		if l := d.list(frame.Nodes); l.Filter != "worker" || l.Table.Cursor() != "worker-c3" || d.m.filtering {
			t.Errorf("%v: filter %q, cursor %s, typing %v", size, l.Filter, l.Table.Cursor(), d.m.filtering)
		}
	}
}

// What is no row is nothing to click on: the title, the sentence, the hints, the pane, the lines left empty.
func TestClickOnNothing(t *testing.T) {
	for _, size := range [][2]int{{60, 12}, {80, 24}, {120, 45}, {200, 50}} {
		d := drive(t, company(), size[0], size[1], usual, withMouse)
		d.keys("down")
		was := d.frame()
		lay := d.m.lay
		for y := range size[1] {
			for x := 0; x < size[0]; x += 7 {
				if inTable := y >= lay.Table && y < lay.Body+lay.Rows && x < lay.TableWidth(); !inTable {
					d.clickAt(x, y)
				}
			}
		}
		d.send(tea.MouseClickMsg{X: 10, Y: lay.Body, Button: tea.MouseRight})
		d.send(tea.MouseClickMsg{X: 10, Y: lay.Body, Button: tea.MouseLeft, Mod: tea.ModCtrl})
		d.send(tea.MouseMotionMsg{X: 10, Y: lay.Body, Button: tea.MouseLeft})
		if now := d.frame(); now != was {
			t.Errorf("%v: clicks changed\n%s\nto\n%s", size, was, now)
		}
	}
}

// A click on a title sorts, another one turns the order round.
func TestClickOnATitle(t *testing.T) {
	d := drive(t, company(), 120, 40, usual, withMouse)
	l := d.list(frame.Nodes)
	for _, c := range []struct {
		title, sort string
		reverse     bool
	}{
		{"POD", "pods", true}, {"POD", "pods", false}, {"POD", "pods", true}, {"AGE", "age", false}, {"NODE", "node", false},
		{"NODE", "node", true},
	} {
		d.click(c.title)
		if l.Sort != c.sort || l.Reverse != c.reverse {
			t.Errorf("%s: by %s, reversed %v", c.title, l.Sort, l.Reverse)
		}
	}
}

func TestWheel(t *testing.T) {
	d := drive(t, crowd(40, 3), 100, 20, usual, withMouse)
	l := d.list(frame.Nodes)
	for range 4 {
		d.wheel(tea.MouseWheelDown)
	}
	d.wheel(tea.MouseWheelUp)
	d.wheel(tea.MouseWheelLeft)
	if l.Table.Index() != 9 {
		t.Errorf("the cursor is on row %d", l.Table.Index())
	}
	d.keys("?")
	d.wheel(tea.MouseWheelDown)
	if top := d.m.page().(frame.Scroller).Scroll().Top; top != 3 {
		t.Errorf("the keys are scrolled to %d", top)
	}
}

// No click answers a question, wherever it is; its text scrolls.
func TestMouseAnswersNoQuestion(t *testing.T) {
	d := drive(t, company(), 100, 30, usual, withMouse)
	d.keys("down", "C")
	if len(d.m.dialogs) != 1 {
		t.Fatal("there is no question")
	}
	was := d.frame()
	for y := range 30 {
		for x := range 100 {
			d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		}
	}
	if len(d.m.dialogs) != 1 || len(d.cordons) > 0 || d.frame() != was {
		t.Errorf("clicks did something to\n%s", was)
	}
	d.wheel(tea.MouseWheelDown)
	if len(d.m.dialogs) != 1 || len(d.cordons) > 0 {
		t.Error("the wheel answered")
	}
	d.keys("y")
	if len(d.cordons) != 1 {
		t.Error("the key does not answer any longer")
	}
}

// What the palette finds can be clicked on, but for what writes.
func TestClickInThePalette(t *testing.T) {
	d := drive(t, company(), 120, 40, attached(runState()), withMouse)
	d.keys(":")
	d.typed("pause or continue the run")
	d.click("pause or continue the run, at once")
	d.click("pause or continue the run, at once")
	d.at(frame.Palette)
	d.shows("a click does nothing that changes the cluster or a run: press enter")
	if sent := d.m.s.Run.(*fakeRun).sent; len(sent) > 0 {
		t.Fatalf("%v was sent by a click", sent)
	}
	d.keys("enter")
	if sent := d.m.s.Run.(*fakeRun).sent; len(sent) != 1 {
		t.Errorf("%v was sent by the key", sent)
	}
	d = drive(t, company(), 120, 40, withMouse)
	d.keys(":")
	d.typed("node worker-b1")
	d.click("node  ")
	d.at(frame.Nodes)
	if got := d.list(frame.Nodes).Table.Cursor(); got != "worker-b1" {
		t.Errorf("%s is selected", got)
	}
}

// A click on a tile of the map is one on its node.
func TestClickOnTheMap(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {100, 24}, {160, 45}} {
		d := onMap(company(), withMouse)(t, size[0], size[1])
		d.click("worker-b1")
		d.at(frame.Map)
		if got := d.m.page().(frame.Targeter).Targets(); len(got) != 1 || got[0] != "worker-b1" {
			t.Errorf("%v: %v is selected:\n%s", size, got, d.frame())
		}
		d.click("worker-b1")
		d.at(frame.Pods)
	}
}
