package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The result offers the next step of a drained node, asks for it by its name, shows what its
// script says while it runs, and then offers the one after it.
func TestADrainedNodeLeavesTheCluster(t *testing.T) {
	w, s := oneDrained()
	n := *w.Snapshot().Node("worker-a1")
	n.Finalizers, n.ProviderID = []string{"karpenter.sh/termination"}, "aws:///i-1"
	w.Put(&n)
	d := drive(t, w, 100, 40, attached(s))
	over := func() { d.send(runMsg{d.m.s.Run, d.m.s.Run.State(), true}) }
	told := func(f retire.Facts, message string) {
		d.send(runMsg{d.m.s.Run, d.m.s.Run.(*fakeRun).set(func(s *drain.State) {
			*s = *drain.Fold(s, drain.Event{Kind: drain.EventRetire, Seq: s.Seq + 1, Time: d.now, Node: "worker-a1", Retire: &f, Message: message, Outcome: s.Outcome})
		}), false})
	}
	over()
	d.shows("what comes next:", "1 take worker-a1 out of the cluster: stop the kubelet")
	d.keys("1")
	d.shows("cleanup-script worker-a1 --step", "--step stop | ssh worker-a1")
	golden(t, "retire-stop", d.frame())
	d.quiet()
	d.typed("worker-a1")
	d.keys("enter")
	d.shows("delete nodes is not allowed")

	d.takes = newFakeRun(d.m.s.State)
	d.keys("esc", "1")
	d.quiet()
	d.typed("worker-a1")
	d.keys("enter")
	told(retire.Facts{Step: retire.StepStop, Status: retire.Running, Command: "ssh"}, "")
	told(retire.Facts{Step: retire.StepStop, Output: []string{"one", "two", "three", "four", "five"}}, "")
	golden(t, "retire-output", d.frame())
	told(retire.Facts{Step: retire.StepStop, Status: retire.Done}, "")
	over()
	d.shows("1 take worker-a1 out of the cluster: delete the Node object")
	d.keys("1")
	d.shows("finalizers: karpenter.sh/termination", "provider id: aws:///i-1", "Karpenter made this node")
	golden(t, "retire-delete", d.frame())
	d.keys("esc")
	if want := []string{d.m.s.State.Run.ID + " worker-a1 stop worker-a1", d.m.s.State.Run.ID + " worker-a1 stop worker-a1"}; !slices.Equal(d.steps, want) {
		t.Errorf("steps %q, want %q", d.steps, want)
	}

	told(retire.Facts{Step: retire.StepDelete, Status: retire.Failed}, "refused \x1b[31mby a webhook")
	over()
	d.shows("worker-a1: delete the Node object  failed: refused by a webhook", "1 take worker-a1 out of the cluster: delete the Node object")
	again := n
	again.UID = "another"
	w.Put(&again)
	d.refresh()
	d.keys("1")
	d.shows("another Node object has the name now")
}

// What the checklist says against it is typed as well.
func TestAnUnsafeNodeIsNamedWithItsLines(t *testing.T) {
	w, s := oneDrained()
	w.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
	d := drive(t, w, 100, 40, attached(s))
	d.send(runMsg{d.m.s.Run, d.m.s.Run.State(), true})
	d.keys("1")
	d.shows("worker-a1 despite Volumes")
}

// A node that the run has cordoned is put back into service from the result, unless it is on its way out of the cluster.
func TestADrainedNodeIsUncordoned(t *testing.T) {
	w, s := oneDrained()
	s.Nodes[0].Cordoned = true
	n := *w.Snapshot().Node("worker-a1")
	n.Cordon = &kube.Cordon{Manager: kube.FieldManager, Since: moment,
		Mark: annotation.Mark{Run: s.Run.ID, By: "ada", At: moment, Was: "schedulable"}.String()}
	w.Put(&n)
	d := drive(t, w, 100, 40, attached(s))
	over := func() { d.send(runMsg{d.m.s.Run, d.m.s.Run.State(), true}) }
	over()
	d.shows("1 uncordon worker-a1: back into service", "2 take worker-a1 out of the cluster: stop the kubelet")
	d.keys("1")
	d.shows("Uncordon worker-a1?", "Cordoned with kdrain-tui by ada", "New pods can be scheduled there again.")
	d.keys("n")
	if len(d.cordons) != 0 {
		t.Fatalf("uncordoned without a yes: %v", d.cordons)
	}
	d.keys("1")
	d.quiet()
	d.keys("y")
	if !slices.Equal(d.cordons, []string{"-worker-a1"}) {
		t.Errorf("uncordoned %v\n%s", d.cordons, d.frame())
	}
	d.shows("Uncordoned worker-a1.")

	stop := retire.Facts{Step: retire.StepStop, Status: retire.Running, Command: "ssh"}
	d.send(runMsg{d.m.s.Run, d.m.s.Run.(*fakeRun).set(func(s *drain.State) {
		*s = *drain.Fold(s, drain.Event{Kind: drain.EventRetire, Seq: s.Seq + 1, Time: d.now, Node: "worker-a1", Retire: &stop, Outcome: s.Outcome})
	}), true})
	if f := d.frame(); strings.Contains(f, "back into service") {
		t.Errorf("its kubelet may be stopped:\n%s", f)
	}
}

// A node that was left before it was drained can be planned again from the result, by its number.
func TestALeftNodeIsPlannedAgain(t *testing.T) {
	d := drive(t, company(), 100, 40, attached(endedState(drain.OutcomePartly)))
	over := func() { d.send(runMsg{d.m.s.Run, d.m.s.Run.State(), true}) }
	over()
	d.shows("what comes next:", "1 plan another drain of worker-a2")
	d.keys("1")
	d.shows("Plan  worker-a2")
	d = drive(t, company(), 100, 40, attached(endedState(drain.OutcomePartly)), func(d *Deps) { d.ReadOnly = true })
	over()
	if f := d.frame(); strings.Contains(f, "plan another drain") {
		t.Errorf("read only:\n%s", f)
	}
}
