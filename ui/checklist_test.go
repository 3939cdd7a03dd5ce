package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// oneDrained is a run that drained worker-a1, in a world where it is empty.
func oneDrained() (world, *drain.State) {
	w := company()
	n := *w.Snapshot().Node("worker-a1")
	n.Unschedulable = true
	w.Put(&n)
	for _, p := range w.Snapshot().PodsOn("worker-a1") {
		if p.Owner == nil || p.Owner.Kind != "DaemonSet" {
			w.Remove(p)
		}
	}
	s := endedState(drain.OutcomeDone)
	s.Nodes = s.Nodes[:1]
	s.Run.Options.IgnoreDaemonSets = true // whose pods stay
	return w, s
}

// The checklist is judged from the cluster as it is while the page is open: each line goes
// from true to false and to not known.
func TestTheChecklistIsLive(t *testing.T) {
	w, s := oneDrained()
	d := drive(t, w, 100, 40, attached(s))
	news := func() {
		d.now = d.now.Add(time.Second)
		d.refresh()
	}
	d.shows("power off  ✔ worker-a1 is safe to power off", "c checklist")
	d.keys("c")
	d.shows("✔ worker-a1  safe to power off", "✔ no volume is attached to it", "✔ only pods of DaemonSets")

	w.pod("worker-a1", "shop", "late", "front")
	news()
	d.shows("✖ worker-a1  not safe to power off", "✖ only pods of DaemonSets", "Pod/shop/late")
	w.Remove(w.Snapshot().PodNamed("shop", "late"))
	w.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Denied})
	news()
	d.shows("⁇ worker-a1  not known whether it is safe to power off", "⁇ no volume is attached to it")
	d.keys("esc")
	d.shows("▲ worker-a1: whether it is safe to power off is not known")
	w.SetSync(kube.KindAttachments, kube.SyncState{Phase: kube.Synced})
	news()
	d.shows("✔ worker-a1 is safe to power off")
}

// On the smallest full screen the result leaves most of it to the pods.
func TestTheResultShowsPodsAt80x24(t *testing.T) {
	for _, o := range []drain.Outcome{drain.OutcomeDone, drain.OutcomePartly} {
		d := drive(t, company(), 80, 24, attached(endedState(o)))
		pods := 0
		for _, line := range d.lines() {
			if strings.HasPrefix(line, "web/") || strings.HasPrefix(line, "checkout/") || strings.HasPrefix(line, "jobs/") {
				pods++
			}
		}
		if pods < 6 {
			t.Errorf("%s: %d pods:\n%s", o, pods, d.frame())
		}
	}
}
