package wording

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// A pod that is gone is shown as detaching until its volumes have left its node,
// among those that are worth a look, and then says where they went.
func TestVolumesOfAPodThatIsGone(t *testing.T) {
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
		pod          *eviction.Record
		state, whole string
		trouble      int
	}{
		{run(), "gone", "", 6},
		{run(volume.VolumeDetaching, volume.VolumeDetached), "detaching",
			"Gone after 28s. Volume pvc-a is detaching from worker-a2 for 12s, 1m48s left for it.", 3},
		{run(volume.VolumeDetaching, volume.VolumeDetaching), "detaching",
			"Gone after 28s. Volumes pvc-a and pvc-b are detaching from worker-a2 for 12s, 1m48s left for it.", 3},
		{run(volume.VolumeStillAttached), "attached", "Gone after 28s. Volume pvc-a is still attached to worker-a2, its timeout has expired.", 1},
		{run(volume.VolumeReattached), "gone", "", 6},
	} {
		if got := PodWord(c.pod); got != c.state {
			t.Errorf("state %q, want %q", got, c.state)
		}
		if got := PodRunSentence(c.pod, now).String(); c.whole != "" && got != c.whole {
			t.Errorf("in full %q, want %q", got, c.whole)
		}
		if got := trouble(c.pod); got != c.trouble {
			t.Errorf("%q has rank %d, want %d", c.state, got, c.trouble)
		}
	}
}
