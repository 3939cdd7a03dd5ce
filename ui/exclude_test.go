package ui

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	planpage "github.com/kdrain-tui/kdrain-tui/ui/plan"
)

// x leaves the pod under the cursor where it is, and takes it into the drain again; the next plan has none of it.
func TestAPodIsExcludedByHand(t *testing.T) {
	w := company()
	d := drive(t, w, 140, 50, usual)
	d.list(frame.Nodes).Table.Select("worker-a1")
	d.keys("D")
	table := &d.list(frame.Plan).Table
	moving := ""
	for _, p := range d.m.pages[frame.Plan].(*planpage.Page).Planned().Nodes[0].Pods {
		if p.Moves() {
			moving = string(p.UID)
		}
	}
	table.Select(moving)
	pod := d.m.s.Snap.Pod(kube.UID(moving))
	d.keys("x")
	if !slices.Equal(d.m.s.Options.ExcludePods, []string{pod.Namespace + "/" + pod.Name}) || table.Cursor() != moving {
		t.Fatalf("excluded %q, the cursor is on %s", d.m.s.Options.ExcludePods, table.Cursor())
	}
	d.shows("excluded by hand", "--exclude-pod="+pod.Namespace+"/"+pod.Name)
	d.keys("x")
	if len(d.m.s.Options.ExcludePods) != 0 {
		t.Errorf("still excluded: %q", d.m.s.Options.ExcludePods)
	}
	d.keys("x", "esc")
	if len(d.m.s.Options.ExcludePods) != 0 {
		t.Errorf("the next plan excludes %q", d.m.s.Options.ExcludePods)
	}
}
