package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// heldBy is the small cluster with the Lease of another run over worker-2, which is
// cordoned.
func heldBy(run string) *kube.Store {
	store := smallStore(false)
	store.Put(&kube.Lease{
		Name: kube.LeaseName("uid-worker-2"), Namespace: kube.DefaultLeaseNamespace, UID: "lease-1", ResourceVersion: "7",
		Holder: run, By: "bob", Reason: "new disk", Since: "2026-05-01T10:00:00Z", Duration: kube.LeaseDuration,
	})
	return store
}

// A node that a run holds is uncordoned by nobody who did not mean to.
func TestUncordonOfAHeldNode(t *testing.T) {
	const held = `node worker-2 is held by run k7f3pm of bob since 2026-05-01 10:00 UTC ("new disk"), which leaves it once it is uncordoned`
	for _, test := range []struct {
		args   []string
		writes int
	}{
		{[]string{"uncordon", "worker-2"}, 0},
		{[]string{"uncordon", "worker-2", "--take-over=another"}, 0},
		{[]string{"uncordon", "worker-2", "--take-over=k7f3pm"}, 1},
		{[]string{"uncordon", "worker-2", "--take-over"}, 1},
		{[]string{"uncordon", "worker-2", "--lease-namespace="}, 1},
		{[]string{"uncordon", "worker-1"}, 0}, // it is not cordoned
	} {
		b := newBench(t, heldBy("k7f3pm").Snapshot())
		code, want := ExitDone, []string(nil)
		if test.writes == 0 && test.args[1] == "worker-2" {
			code, want = ExitRefused, []string{held, "nothing was changed", "--take-over=k7f3pm"}
		}
		b.expect(t, code, want, test.args...)
		if b.writer.writes() != test.writes {
			t.Errorf("%v: %d writes, want %d", test.args, b.writer.writes(), test.writes)
		}
	}
}

// An abandoned Lease holds nothing, and one that cannot be read is said to be unknown.
func TestUncordonWithoutAHolder(t *testing.T) {
	store := heldBy("k7f3pm")
	b := newBench(t, store.Snapshot())
	b.Now = func() time.Time { return noon.Add(time.Hour) }
	b.expect(t, ExitDone, nil, "uncordon", "worker-2")

	store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Denied, Reason: "ada cannot list leases"})
	b = newBench(t, store.Snapshot())
	b.expect(t, ExitDone, []string{"Warning: Leases cannot be read: whether a run is draining worker-2 is not known: ada cannot list leases"}, "uncordon", "worker-2")
	if b.writer.writes() != 1 {
		t.Errorf("%d writes", b.writer.writes())
	}
}

// The annotation of a run that has not released its Lease stays: without its journal nothing else leads to what it left.
func TestUncordonKeepsTheAnnotationOfARunThatHasNotEnded(t *testing.T) {
	mark := annotation.Mark{Run: "k7f3pm", By: "bob", Was: "schedulable", ExcludedFromLB: true}
	for holder, stays := range map[string]bool{"k7f3pm": true, "": false} {
		store := heldBy(holder)
		n := node("worker-2", "x", true)
		kubetest.ExcludeFromLB(n, kube.FieldManager, "")
		n.Annotations = map[string]string{kube.CordonAnnotation: mark.String()}
		store.Put(convert.Node(n))
		b := newBench(t, store.Snapshot())
		b.expect(t, ExitDone, nil, "uncordon", "worker-2", "--take-over")
		open := *store.Snapshot().Node("worker-2")
		open.Unschedulable, open.Cordon = false, nil
		store.Put(&open)
		again := newBench(t, store.Snapshot())
		again.expect(t, ExitDone, nil, "uncordon", "worker-2")
		if again.err.String() != b.err.String() {
			t.Errorf("holder %q, the node is schedulable: %q", holder, again.err)
		}
		said := strings.Contains(b.err.String(), "run k7f3pm of bob has not released its Lease of node worker-2") &&
			strings.Contains(b.err.String(), "rollback --node worker-2 undoes that")
		if kept := b.writer.cordons[0].Mark; said != stays || (kept != "") != stays || strings.Contains(kept, "excludedFromLB") {
			t.Errorf("holder %q: annotation %q, stderr %q", holder, kept, b.err)
		}
	}
}

// A run that was left before its end and changed more than cordons is named when its node is uncordoned.
func TestUncordonNamesWhatARunLeft(t *testing.T) {
	const said = "run cccccc has not ended and changed more than cordons: kdrain-tui report cccccc shows it, " +
		"kdrain-tui --context=prod rollback cccccc takes it back"
	web := surge.Facts{Kind: "Deployment", Namespace: "shop", Name: "web", UID: "d1"}
	raised := drain.Event{Seq: 2, Time: noon, Kind: drain.EventSurge, Surge: &web, SurgeChange: &surge.Change{State: surge.Raising}}
	for _, test := range []struct {
		node kube.UID
		rest []drain.Event
		said bool
	}{
		{"uid-worker-2", []drain.Event{raised}, true},
		{"uid-worker-2", nil, false},
		{"another", []drain.Event{raised}, false},
		{"uid-worker-2", []drain.Event{raised, {Seq: 3, Time: noon, Kind: drain.EventRunEnded, Outcome: drain.OutcomeDone}}, false},
	} {
		store := smallStore(false)
		b := newBench(t, store.Snapshot())
		j, err := journal.CreateJournal(b.StateDir, "cccccc")
		if err != nil {
			t.Fatal(err)
		}
		begun := drain.Event{Seq: 1, Time: noon, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "cccccc", Context: "prod",
			Options: plan.DefaultOptions(), Nodes: []drain.NodeFacts{{Name: "worker-2", UID: test.node}}}}
		if err := j.Append(append([]drain.Event{begun}, test.rest...), false); err != nil {
			t.Fatal(err)
		}
		closed(t, j)
		b.expect(t, ExitDone, nil, "uncordon", "worker-2")
		if got := b.err.String(); strings.Contains(got, said) != test.said {
			t.Errorf("%+v: said %q", test, got)
		}
	}
}
