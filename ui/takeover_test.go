package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// heldWorld is the company with a Lease of another run over worker-a1.
func heldWorld(run string) world {
	w := company()
	w.Put(&kube.Lease{
		Name: kube.LeaseName(w.Snapshot().Node("worker-a1").UID), Namespace: kube.DefaultLeaseNamespace, UID: "lease-1", ResourceVersion: "7",
		Holder: run, By: "bob", Reason: "new disk", Since: "2026-05-01T10:00:00Z", Duration: kube.LeaseDuration,
	})
	return w
}

func withLeases(d *Deps) {
	usual(d)
	d.Options.LeaseNamespace = kube.DefaultLeaseNamespace
}

func TestATakeOverIsTypedAndNamesTheRun(t *testing.T) {
	d := drive(t, heldWorld("k7f3pm"), 100, 34, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D")
	d.shows("node worker-a1 is held by run k7f3pm of bob since 2026-05-01 10:00 UTC")
	d.keys("D")
	d.shows("Take over worker-a1 from another run?", `run k7f3pm of bob since 2026-05-01 10:00 UTC ("new disk")`)
	d.typed("yes")
	d.keys("enter")
	if !d.m.dialogs.has("take-over") {
		t.Fatal("another word took the node over")
	}
	d.keys("backspace", "backspace", "backspace")
	d.typed("k7f3pm")
	d.keys("enter")
	d.shows("Cordon worker-a1 and continue?")
	d.keys("y")
	if len(d.started) != 1 || !slices.Equal(d.started[0].Options.TakeOver, []string{"k7f3pm"}) {
		t.Fatalf("started %d: %+v\n%s", len(d.started), d.started, d.frame())
	}
	if len(d.m.s.Options.TakeOver) != 0 {
		t.Error("the word for one run is kept for the next")
	}
}

func TestNothingIsTakenOverWithoutConfirmation(t *testing.T) {
	d := drive(t, heldWorld("k7f3pm"), 80, 24, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D", "esc")
	if len(d.started) != 0 || len(d.m.dialogs) != 0 {
		t.Fatalf("started %d, %d dialogs", len(d.started), len(d.m.dialogs))
	}
}

// A Lease can say anything; what cannot be typed is not asked for.
func TestAHolderThatCannotBeTypedHasAnotherConfirmation(t *testing.T) {
	d := drive(t, heldWorld(strings.Repeat("Ж", 300)), 100, 34, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D", "D")
	d.typed("take over")
	d.keys("enter")
	d.shows("Cordon worker-a1 and continue?")
}

func TestALapsedLeaseIsNoQuestion(t *testing.T) {
	s := heldWorld("k7f3pm").Snapshot()
	plan := plan.Plan{Options: plan.Options{LeaseNamespace: kube.DefaultLeaseNamespace}, Nodes: []plan.Node{{Name: "worker-a1"}}}
	if holds := confirm.HeldByOthers(s, plan, moment.Add(10*time.Minute)); len(holds) != 0 {
		t.Errorf("held by %+v, although nothing was heard of it for ten minutes", holds)
	}
}

// By the time of its evictions a run has the Leases of its nodes: its own are no
// news to the operator, those of another run are.
func TestTheRunsOwnLeaseIsNoNews(t *testing.T) {
	for holder, isNews := range map[string]bool{"k7f3": false, "p4wq": true} {
		d := drive(t, company(), 100, 34, withLeases)
		d.list(frame.Nodes).Table.Select("worker-a1")
		d.keys("D", "D", "y")
		d.w.Put(&kube.Lease{Name: kube.LeaseName(d.w.Snapshot().Node("worker-a1").UID), Namespace: kube.DefaultLeaseNamespace, UID: "lease-1",
			ResourceVersion: "7", Holder: holder, By: "ada", Since: "2026-05-01T10:00:00Z", Duration: kube.LeaseDuration})
		d.change(func(s *drain.State) {
			s.Phase, s.Phases = drain.PhaseEvict, map[drain.Phase]drain.PhaseStatus{drain.PhaseEvict: drain.PhaseAsks}
			s.Question = &drain.Question{Phase: drain.PhaseEvict, Word: "worker-a1", Since: moment}
		})
		d.shows("Evict 4 pods from worker-a1?")
		if got := strings.Contains(d.frame(), "The plan changed since you looked"); got != isNews {
			t.Errorf("held by %s: told as news %t, want %t\n%s", holder, got, isNews, d.frame())
		}
	}
}

// A node of another run is uncordoned by the same word.
func TestUncordonOfAHeldNodeIsTyped(t *testing.T) {
	w := heldWorld("k7f3pm")
	n := *w.Snapshot().Node("worker-a1")
	n.Unschedulable = true
	w.Put(&n)
	d := drive(t, w, 100, 34, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("U")
	d.shows("Uncordon worker-a1?", "worker-a1 is held by run k7f3pm of bob", "A run stops draining a node that somebody uncordons.")
	d.keys("y", "enter")
	if len(d.cordons) != 0 {
		t.Fatalf("uncordoned by a plain yes: %v", d.cordons)
	}
	d.keys("backspace")
	d.typed("k7f3pm")
	d.keys("enter")
	if !slices.Equal(d.cordons, []string{"-worker-a1"}) {
		t.Errorf("uncordoned %v\n%s", d.cordons, d.frame())
	}
}

func TestUncordonWithoutTheRightToReadLeases(t *testing.T) {
	w := company()
	n := *w.Snapshot().Node("worker-a1")
	n.Unschedulable = true
	w.Put(&n)
	w.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Denied})
	d := drive(t, w, 100, 34, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("U")
	d.shows("Leases cannot be read: whether a run is draining it is not known.")
	d.keys("y")
	if !slices.Equal(d.cordons, []string{"-worker-a1"}) {
		t.Errorf("uncordoned %v", d.cordons)
	}
}

// C keeps the reason that was given for the drains.
func TestCordonKeepsTheReason(t *testing.T) {
	d := drive(t, company(), 100, 34, usual, func(d *Deps) { d.Options.Reason = "new kernel" })
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("C", "y")
	if !slices.Equal(d.cordons, []string{"+worker-a1"}) || d.reason != "new kernel" {
		t.Errorf("cordoned %v for %q", d.cordons, d.reason)
	}
}

// What can lose data is set for one plan: it is named on every page, and off again
// for the next.
func TestDangerousOptionsAreOfOnePlan(t *testing.T) {
	d := drive(t, company(), 80, 24, usual, func(d *Deps) { d.Options.MaxEvictRetries = 3 })
	d.shows("--max-evict-retries +1")
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D")
	o := d.m.s.Options
	o.Force, o.DisableEviction = true, true
	(&shell{d.m}).SetOptions(o)
	for _, key := range []string{"", "o", "?"} { // the plan, its options, the keys
		if key != "" {
			d.keys(key)
		}
		d.refresh()
		d.shows("--force +3")
		for _, line := range strings.Split(d.frame(), "\n")[:1] {
			if !strings.Contains(line, "--force +3") {
				t.Errorf("page %q: the header is %q", key, line)
			}
		}
	}
	d.keys("esc", "esc")
	d.shows("--force +3")
	d.keys("esc")
	o = d.m.s.Options
	if o.Force || o.DisableEviction || o.MaxEvictRetries != 3 || !o.IgnoreDaemonSets || !o.DeleteEmptyDirData {
		t.Errorf("options of the next plan: %+v", o)
	}
	d.shows("--max-evict-retries +1", "off again for the next plan: --force and --disable-eviction")
}

// A cordon that leaves no schedulable node is typed, also where few nodes are cordoned.
func TestACordonOfTheLastSchedulableNodes(t *testing.T) {
	w := company()
	for _, n := range w.Snapshot().Nodes() {
		if n.Name != "worker-a1" {
			cordoned := *n
			cordoned.Unschedulable = true
			w.Put(&cordoned)
		}
	}
	d := drive(t, w, 100, 34)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("C")
	d.shows("Cordon worker-a1?", "No schedulable node stays", "type 1 and press Enter")
	d.keys("y", "enter")
	if len(d.cordons) != 0 {
		t.Fatalf("cordoned by a plain yes: %v", d.cordons)
	}
	d.keys("backspace")
	d.typed("1")
	d.keys("enter")
	if !slices.Equal(d.cordons, []string{"+worker-a1"}) {
		t.Errorf("cordoned %v\n%s", d.cordons, d.frame())
	}
}

// A node that a live run of somebody else drains says so, and not that it is cordoned.
func TestNodesSayWhichOtherRunDrainsThem(t *testing.T) {
	w := heldWorld("k7f3pm")
	n := *w.Snapshot().Node("worker-a1")
	n.Unschedulable = true
	w.Put(&n)
	d := drive(t, w, 100, 34, withLeases)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.shows("▶ run k7f3pm", `Held by run k7f3pm of bob since 2026-05-01 10:00 UTC ("new disk").`)
	state := func() string { return d.m.pages[frame.Nodes].View().Cell("worker-a1", "state", 11).String() }
	if got := state(); got != "▶ run k7f3…" {
		t.Errorf("in eleven columns: %q", got)
	}
	for name, c := range map[string]struct {
		change func()
		want   string
	}{
		"its Lease has expired":      {func() { d.m.s.Now = moment.Add(10 * time.Minute) }, "◌ Cordoned"},
		"the dashboard watches it":   {func() { d.m.s.State = &drain.State{Run: drain.RunFacts{ID: "k7f3pm"}} }, "◌ Cordoned"},
		"the dashboard watches more": {func() { d.m.s.State = &drain.State{Run: drain.RunFacts{ID: "p4wq"}} }, "▶ run k7f3…"},
		"runs take no Leases":        {func() { d.m.s.Options.LeaseNamespace = "" }, "◌ Cordoned"},
	} {
		was := *d.m.s
		c.change()
		if got := state(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		*d.m.s = was
	}
	n.Ready = kube.NodeNotReady
	w.Put(&n)
	d.refresh()
	d.shows("○ Not ready", "Held by run k7f3pm")
}
