package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// BenchmarkFrame is one frame of 200x50 with 5,000 nodes and 150,000 pods.
func BenchmarkFrame(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, usual)
	d.refresh()
	b.ReportAllocs()
	for b.Loop() {
		_ = d.m.View()
	}
}

// BenchmarkKey is one key and its frame on that cluster.
func BenchmarkKey(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, usual)
	for b.Loop() {
		d.keys("down")
		_ = d.m.View()
	}
}

// BenchmarkSnapshot is a new snapshot of that cluster, sorted by requests, with
// the previews of what is visible.
func BenchmarkSnapshot(b *testing.B) {
	d := drive(b, crowd(5000, 30), 200, 50, usual)
	d.m.nodes.list.sort = "cpu"
	at := 0
	for b.Loop() {
		at++
		d.w.SetHealth(d.w.Snapshot().Health())
		d.refresh()
	}
}

func TestFrameBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	d := drive(t, crowd(500, 20), 200, 50, usual)
	start := time.Now()
	const frames = 50
	for range frames {
		d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		_ = d.m.View()
	}
	// Ten times the bar, for machines that are busy and builds with -race.
	if each := time.Since(start) / frames; each > 60*time.Millisecond {
		t.Errorf("a frame takes %s", each)
	}
}
