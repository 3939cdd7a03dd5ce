package run

import (
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

var now = time.Date(2026, 8, 21, 14, 2, 11, 0, time.UTC)

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0:00", 41 * time.Second: "0:41", 124 * time.Second: "2:04",
		3*time.Hour + 12*time.Minute: "3:12:00", 59*time.Second + 700*time.Millisecond: "0:59"} {
		if got := format.Clock(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestBlockedText(t *testing.T) {
	w := &waits.Wait{For: waits.ForBudget, Budget: &budget.Numbers{Name: "cart", Needed: 3, Present: 3},
		UnhealthyPod: &budget.UnhealthyPod{Name: "cart-7f9c-k2xzq", Node: "worker-b1", Reason: "CrashLoopBackOff"}}
	for width, want := range map[int]string{
		80: "cart needs 3, has 3 · cart-7f9c-k2xzq on worker-b1: CrashLoopBackOff",
		60: "cart needs 3, has 3 · …-k2xzq on worker-b1: CrashLoopBackOff",
		20: "cart needs 3, has 3…",
	} {
		if got := blockedText(w, width); got != want || paint.Width(got) > width {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestLeasesThatStandInTheWay(t *testing.T) {
	node := func(name string, state drain.NodeState, held lease.State, message string) *drain.NodeRun {
		return &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: name}, State: state, Lease: &lease.Record{State: held, Message: message}}
	}
	s := &drain.State{Nodes: []*drain.NodeRun{
		node("a", drain.NodeWaiting, lease.Awaited, "held by run p4wq"), node("b", drain.NodeDraining, lease.Held, ""),
		node("c", drain.NodeDraining, lease.Overdue, "not renewed for 12s"), node("d", drain.NodeStopped, lease.Awaited, ""),
		{NodeFacts: drain.NodeFacts{Name: "e"}, State: drain.NodeDraining},
	}}
	for most, want := range map[int][]string{
		1: {"‖ a waits for its Lease: held by run p4wq", "and 1 more node"},
		2: {"‖ a waits for its Lease: held by run p4wq", "‖ c: its Lease is overdue: not renewed for 12s"},
	} {
		var got []string
		for _, l := range runLeases(s, 80, most) {
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d lines: %q, want %q", most, got, want)
		}
	}
}

// A pod that is gone is shown as detaching until its volumes have left its node,
// among those that are worth a look, and then says where they went.
func TestVolumesOnTheRunPage(t *testing.T) {
	run := func(states ...volume.State) *eviction.Record {
		p := &eviction.Record{State: eviction.Gone, Begun: now.Add(-40 * time.Second), Since: now.Add(-12 * time.Second),
			Ended: now.Add(-12 * time.Second), DetachBy: now.Add(108 * time.Second)}
		p.Node, p.Namespace, p.Name, p.Action = "worker-a2", "data", "orders-db-1", plan.ActionEvict
		for i, state := range states {
			name := string("ab"[i])
			p.Volumes = append(p.Volumes, volume.VolumeRun{Facts: volume.Facts{Name: name, Volume: "pvc-" + name, State: state, Node: "worker-b1"}})
		}
		return p
	}
	for _, c := range []struct {
		pod                *eviction.Record
		state, took, waits string
	}{
		{run(), "gone", "0:28", ""},
		{run(volume.VolumeDetaching, volume.VolumeDetached), "detaching", "0:12", "volume pvc-a leaves worker-a2, 1m48s left"},
		{run(volume.VolumeDetaching, volume.VolumeDetaching), "detaching", "0:12", "volumes pvc-a and pvc-b leave worker-a2, 1m48s left"},
		{run(volume.VolumeStillAttached), "attached", "0:12", "still attached to worker-a2: pvc-a"},
		{run(volume.VolumeReattached), "gone", "0:28", "volume pvc-a is attached to worker-b1 now"},
	} {
		if got := wording.PodWord(c.pod); got != c.state {
			t.Errorf("state %q, want %q", got, c.state)
		}
		if got := podFor(c.pod, now); got != c.took {
			t.Errorf("%s: for %q, want %q", c.state, got, c.took)
		}
		if got := waitsFor(c.pod, 200, now).String(); got != c.waits {
			t.Errorf("waits for %q, want %q", got, c.waits)
		}
	}
}
