package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// copied is what a key puts into the clipboard, "" for nothing.
func (d *driver) copied(key string) string {
	d.t.Helper()
	_, cmd := d.m.Update(keyPress(key))
	if cmd == nil {
		return ""
	}
	switch msg := cmd().(type) {
	case nil:
		return ""
	case tea.BatchMsg:
		d.t.Fatalf("%s does more than one thing: %v", key, msg)
		return ""
	default:
		return fmt.Sprint(msg)
	}
}

// A question with an equivalent for a shell shows it, copies it, and is still the
// same question then.
func TestAQuestionIsCopiedAsKubectl(t *testing.T) {
	d := onNode("worker-a1", "C")(t, 100, 30)
	const want = "kubectl --context=prod-eu-1 cordon worker-a1"
	d.shows(want, "Ctrl+Y copy as kubectl")
	if got := d.copied("ctrl+y"); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	d.shows("copied, if your terminal allows that", "Cordon worker-a1?")
	if len(d.cordons) != 0 {
		t.Fatalf("copying wrote: %v", d.cordons)
	}
	d.keys("y")
	if len(d.cordons) != 1 || d.cordons[0] != "+worker-a1" {
		t.Errorf("after the yes: %v", d.cordons)
	}
}

func TestCopyingTypesNothing(t *testing.T) {
	d := toEvictQuestion(t, 100, 30)
	d.quiet()
	d.typed("worker-a")
	if got := d.copied("ctrl+y"); !strings.HasPrefix(got, "kubectl --context=prod-eu-1 drain worker-a1 ") {
		t.Errorf("copied %q", got)
	}
	d.shows("> worker-a_")
	if sent := len(d.run.sent); sent != 1 { // the cordon that the run was started with
		t.Errorf("%d words were sent to the run: %v", sent, d.run.sent)
	}
}

func TestAQuestionWithoutACommandCopiesNothing(t *testing.T) {
	d := withRun(runState, "A")(t, 100, 30)
	if got := d.copied("ctrl+y"); got != "" || strings.Contains(d.frame(), "copy as kubectl") {
		t.Errorf("copied %q\n%s", got, d.frame())
	}
}

// The pages say what a drain would be from where the operator stands.
func TestPagesAreCopiedAsKubectl(t *testing.T) {
	d := onNode("worker-a1", "space")(t, 100, 30)
	d.list(frame.Nodes).Table.Select("worker-b1")
	if got := d.copied("y"); !strings.HasPrefix(got, "kubectl --context=prod-eu-1 drain worker-a1 ") {
		t.Errorf("the marked node is not meant: %q", got)
	}
	d.shows("As kubectl", "drain worker-a1")
	d.keys("esc", "O")
	if got := d.copied("y"); !strings.HasPrefix(got, "kubectl --context=prod-eu-1 drain worker-a1 ") {
		t.Errorf("the options do not know of which nodes: %q", got)
	}
	d = onRemedies(t, 100, 40)
	d.list(frame.Remedies).Table.Select("delete")
	if got := d.copied("y"); got != "kubectl --context=prod-eu-1 delete pod -n checkout cart-7f9c-x2x9q" {
		t.Errorf("the remedy is copied as %q", got)
	}
}
