package page

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// A pod that is gone is shown as detaching until its volumes have left its node,
// among those that are worth a look, and then says where they went.
func TestVolumesOnTheRunPage(t *testing.T) {
	run := func(states ...volume.State) *drain.PodRun {
		p := &drain.PodRun{State: drain.PodGone, Begun: now.Add(-40 * time.Second), Since: now.Add(-12 * time.Second),
			Ended: now.Add(-12 * time.Second), DetachBy: now.Add(108 * time.Second)}
		p.Node, p.Namespace, p.Name, p.Action = "worker-a2", "data", "orders-db-1", plan.ActionEvict
		for i, state := range states {
			name := string("ab"[i])
			p.Volumes = append(p.Volumes, volume.VolumeRun{Facts: volume.Facts{Name: name, Volume: "pvc-" + name, State: state, Node: "worker-b1"}})
		}
		return p
	}
	for _, c := range []struct {
		pod                       *drain.PodRun
		state, took, waits, whole string
		trouble                   int
	}{
		{run(), "gone", "0:28", "", "", 6},
		{run(volume.VolumeDetaching, volume.VolumeDetached), "detaching", "0:12", "volume pvc-a leaves worker-a2, 1m 48s left",
			"Gone after 28s. Volume pvc-a is detaching from worker-a2 for 12s, 1m48s left for it.", 3},
		{run(volume.VolumeDetaching, volume.VolumeDetaching), "detaching", "0:12", "volumes pvc-a and pvc-b leave worker-a2, 1m 48s left",
			"Gone after 28s. Volumes pvc-a, pvc-b are detaching from worker-a2 for 12s, 1m48s left for it.", 3},
		{run(volume.VolumeStillAttached), "attached", "0:12", "still attached to worker-a2: pvc-a", "Gone after 28s. Volume pvc-a is still attached to worker-a2, the time for it is over.", 1},
		{run(volume.VolumeReattached), "gone", "0:28", "volume pvc-a is attached to worker-b1 now", "", 6},
	} {
		if got := podWord(c.pod); got != c.state {
			t.Errorf("state %q, want %q", got, c.state)
		}
		if got := PodFor(c.pod, now); got != c.took {
			t.Errorf("%s: for %q, want %q", c.state, got, c.took)
		}
		if got := WaitsFor(c.pod, 200, now).String(); got != c.waits {
			t.Errorf("waits for %q, want %q", got, c.waits)
		}
		if got := PodRunSentence(c.pod, now).String(); c.whole != "" && got != c.whole {
			t.Errorf("in full %q, want %q", got, c.whole)
		}
		if got := Trouble(c.pod); got != c.trouble {
			t.Errorf("%q has rank %d, want %d", c.waits, got, c.trouble)
		}
	}
}

func TestResultSaysWhatIsSafeToPowerOff(t *testing.T) {
	s := &drain.State{Outcome: drain.OutcomeDone, Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{
		{NodeFacts: drain.NodeFacts{Name: "worker-1"}, State: drain.NodeDrained, PowerOff: &drain.PowerOff{Safe: true}},
		{NodeFacts: drain.NodeFacts{Name: "worker-2"}, State: drain.NodeDrained, Warning: "not safe to power off: volume pv-x (data/x) is still attached"},
		{NodeFacts: drain.NodeFacts{Name: "worker-3"}, State: drain.NodeDrained},
		{NodeFacts: drain.NodeFacts{Name: "worker-4"}, State: drain.NodeStopped, PowerOff: &drain.PowerOff{Safe: true}},
	}}
	text := ResultText(s, nil, 160, now)
	for _, want := range []string{"power off worker-1: no volume is attached", "power off worker-2: not safe to power off: volume pv-x (data/x) is still attached."} {
		if !strings.Contains(text, want) {
			t.Errorf("the result does not say %q:\n%s", want, text)
		}
	}
}
