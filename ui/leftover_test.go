package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
)

// left puts a temporary budget of a run into the world.
func (w world) left(name, run string, age time.Duration) {
	w.Put(&kube.Budget{Namespace: "web", Name: name, UID: kube.UID("pdb-" + name), Selector: labels.Nothing(), Created: moment.Add(-age),
		Labels: labels.Set{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: run}})
}

// leftDriver is a dashboard over budgets of a run that is over, one that is live
// here, and one that may be live elsewhere.
func leftDriver(t *testing.T, life map[string]tempbudget.RunLife, change ...func(*Deps)) (d *driver, removed *[]request.BudgetRef) {
	t.Helper()
	w := company()
	w.left("kdrain-dead01-front", "dead01", time.Minute)
	w.left("kdrain-dead01-cart", "dead01", time.Minute)
	w.left("kdrain-live01-front", "live01", time.Hour)
	w.left("kdrain-far001-front", "far001", time.Minute)
	d = drive(t, w, 120, 40, append(change, func(deps *Deps) {
		paper(deps).life = func(run string) tempbudget.RunLife { return life[run] }
	})...)
	d.send(snapshotMsg{w.Snapshot()})
	return d, &d.removed
}

func lives() map[string]tempbudget.RunLife {
	return map[string]tempbudget.RunLife{"dead01": tempbudget.RunDead, "live01": tempbudget.RunLive}
}

func TestBudgetsLeftBehindAreOffered(t *testing.T) {
	d, removed := leftDriver(t, lives())
	if !strings.Contains(d.frame(), "2 temporary budgets of ended runs are still there. B removes them") {
		t.Fatal(d.frame())
	}
	d.keys("B")
	for _, want := range []string{"Remove 2 temporary budgets?", "web/kdrain-dead01-front of run dead01", "web/kdrain-dead01-cart",
		"Not removed:", "web/kdrain-far001-front of run far001", "the run may be live"} {
		if !strings.Contains(d.frame(), want) {
			t.Errorf("no %q in\n%s", want, d.frame())
		}
	}
	if strings.Contains(d.frame(), "live01") {
		t.Error("a budget in use is listed")
	}
	d.keys("esc")
	if len(*removed) > 0 {
		t.Fatal("removed without a yes")
	}
	d.keys("B")
	d.accept()
	if len(*removed) != 2 || (*removed)[0].UID != "pdb-kdrain-dead01-cart" || (*removed)[1].UID != "pdb-kdrain-dead01-front" {
		t.Errorf("removed %+v", *removed)
	}
	if !strings.Contains(d.frame(), "Removed 2 temporary budgets.") {
		t.Error(d.frame())
	}
	for _, ref := range *removed {
		d.w.Remove(d.w.Snapshot().BudgetNamed(ref.Namespace, ref.Name))
	}
	d.send(snapshotMsg{d.w.Snapshot()})
	if strings.Contains(d.frame(), "still there") {
		t.Error(d.frame())
	}
}

// accept says yes to the dialog on the screen.
func (d *driver) accept() {
	d.t.Helper()
	top := d.m.dialogs[len(d.m.dialogs)-1]
	d.m.dialogs.answer(top, dialog.Answer{Value: dialog.Accept})
	d.exec(d.m.flush())
}

func TestBudgetsOfARunThatWasResumedAreKept(t *testing.T) {
	life := lives()
	d, removed := leftDriver(t, life)
	d.keys("B")
	life["dead01"] = tempbudget.RunLive
	d.accept()
	if len(*removed) > 0 || !strings.Contains(d.frame(), "its run is live again") {
		t.Errorf("removed %v\n%s", *removed, d.frame())
	}
}

func TestBudgetsThatCannotBeRemoved(t *testing.T) {
	d, _ := leftDriver(t, lives())
	d.remove = errors.New("forbidden")
	d.keys("B")
	d.accept()
	if !strings.Contains(d.frame(), "Not all removed: ") || !strings.Contains(d.frame(), "forbidden") {
		t.Error(d.frame())
	}
}

func TestReadOnlyOffersNoRemoval(t *testing.T) {
	d, removed := leftDriver(t, lives(), func(deps *Deps) { deps.ReadOnly = true })
	if text := d.frame(); !strings.Contains(text, "still there.") || strings.Contains(text, "B removes") {
		t.Error(text)
	}
	d.keys("B")
	if len(d.m.dialogs) > 0 || len(*removed) > 0 {
		t.Error("offers it all the same")
	}
}

// chronicledRun is a run whose events are at hand, as the engine's are.
type chronicledRun struct {
	*fakeRun
	events []drain.Event
}

func (r chronicledRun) Events(uint64) []drain.Event { return r.events }

func TestTheReportIsCopied(t *testing.T) {
	d := drive(t, company(), 120, 40)
	state := &drain.State{Run: drain.RunFacts{ID: "k7f3"}, Outcome: drain.OutcomeDone, Phases: map[drain.Phase]drain.PhaseStatus{}}
	run := chronicledRun{newFakeRun(state), []drain.Event{
		{Seq: 1, Time: moment, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "k7f3", Nodes: []drain.NodeFacts{{Name: "worker-a1"}}}},
		{Seq: 2, Time: moment, Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone}}}
	d.m.attach(run, nil)
	d.m.cmds = nil
	_, cmd := d.m.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	if cmd == nil {
		t.Fatal("nothing was copied\n" + d.frame())
	}
	_, cmd = d.m.Update(cmd()) // it is made outside of Update
	text := fmt.Sprint(cmd())
	if !strings.Contains(text, "# Drain of `worker-a1`: done") {
		t.Errorf("copied %q", text)
	}
	d.shows("Report copied", "kdrain-tui report k7f3 -o markdown")
}
