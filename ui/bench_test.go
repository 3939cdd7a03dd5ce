package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// BenchmarkFrame is one frame of 200x50 with 5,000 nodes and 150,000 pods.
func BenchmarkFrame(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, withLeases)
	d.refresh()
	b.ReportAllocs()
	for b.Loop() {
		_ = d.m.View()
	}
}

// BenchmarkKey is one key and its frame on that cluster. What the key makes the page work
// out beside the event loop, once the cursor rests, is left out.
func BenchmarkKey(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, usual)
	for b.Loop() {
		d.m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		_ = d.m.View()
	}
}

// BenchmarkSnapshot is a new snapshot of that cluster, sorted by requests, with
// the previews of what is visible.
func BenchmarkSnapshot(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, usual)
	d.list(frame.Nodes).Sort = "cpu"
	for ready := true; b.Loop(); ready = !ready {
		n := *d.w.Snapshot().Nodes()[0]
		if n.Ready = kube.NodeReady; !ready {
			n.Ready = kube.NodeNotReady
		}
		d.w.Put(&n)
		d.refresh()
	}
}

// A frame costs what is visible, not what is there; how long one takes, which
// depends on the machine, is logged.
func TestFrameBudget(t *testing.T) {
	cost := map[int]float64{}
	for _, nodes := range []int{100, 1000} {
		d := drive(t, crowd(nodes, 2), 200, 50, usual)
		start, frames := time.Now(), 0
		cost[nodes] = testing.AllocsPerRun(20, func() {
			d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
			_ = d.m.View()
			frames++
		})
		t.Logf("of %d nodes, a frame takes %s and %.0f allocations", nodes, time.Since(start)/time.Duration(frames), cost[nodes])
	}
	if cost[1000] > 2*cost[100] {
		t.Errorf("a frame of 1000 nodes takes %.0f allocations, of 100 nodes %.0f", cost[1000], cost[100])
	}
}
