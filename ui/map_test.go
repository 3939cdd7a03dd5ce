package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

func onMap(w world, change ...func(*Deps)) func(testing.TB, int, int) *driver {
	return func(t testing.TB, width, height int) *driver {
		d := drive(t, w, width, height, append(change, usual)...)
		d.keys("m")
		return d
	}
}

// zoneless is a cluster without zones, with ugly names.
func zoneless() world {
	w := emptyWorld()
	for i := range 9 {
		w.node(fmt.Sprintf("ip-10-0-%d-%d.eu-central-1.compute.internal", 97+i%3, 17+i), "", time.Hour)
	}
	return w
}

// movingState is a run under way whose replacements arrive.
func movingState() *drain.State {
	s := runState()
	for i, node := range []string{"worker-c3", "worker-c3", "worker-b1", ""} {
		s.Pods[i].Replacement.State, s.Pods[i].Replacement.Node = replacement.Starting, node
		if i == 1 {
			s.Pods[i].Replacement.State = replacement.Ready
		}
	}
	s.Pods[3].Replacement.State = replacement.Pending
	return s
}

var mapScenes = []scene{
	{"map", func(t testing.TB, w, h int) *driver {
		d := onMap(company())(t, w, h)
		d.keys("right", "space", "down")
		return d
	}},
	{"map-run", onMap(company(), attached(movingState()))},
	{"map-zoneless", onMap(zoneless())},
	{"map-crowd", onMap(crowd(300, 30))},
}

func TestGoldenMap(t *testing.T) {
	for _, sc := range mapScenes {
		for _, size := range [][2]int{{60, 12}, {80, 24}, {120, 40}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, sc.up(t, size[0], size[1]).frame()) })
		}
	}
	for look, set := range map[string]func(*model){
		"dark": func(m *model) { m.dark = true }, "light": func(m *model) { m.dark = false }, "plain": func(m *model) { m.d.NoColor = true },
		"ascii": func(m *model) { m.d.ASCII, m.d.NoColor = true, true },
	} {
		name := "look-map-" + look
		t.Run(name, func(t *testing.T) {
			d := mapScenes[1].up(t, 100, 30)
			set(d.m)
			d.m.repaint()
			golden(t, name, d.m.View().Content)
		})
	}
}

// The map shares its marks with the list of nodes, and leads to the pods and the plan of what is selected.
func TestMap(t *testing.T) {
	d := onMap(company())(t, 120, 40)
	d.shows("CPU requested", "eu-1a · 4 nodes", "◌ Cordoned", "○ Not ready", "● ready")
	d.keys("l", "space")
	d.shows("1 marked", "✓")
	marked := d.m.s.Marks.Keys()[0]
	d.keys("h", "f")
	d.shows("memory requested")
	d.keys("f")
	d.shows("CPU requested")
	d.keys("D")
	if d.m.path.page != frame.Plan || !strings.Contains(d.frame(), marked) {
		t.Errorf("D led to %s:\n%s", d.m.path.page, d.frame())
	}
	d.keys("esc", "enter")
	if d.m.path.page != frame.Pods {
		t.Errorf("enter led to %s", d.m.path.page)
	}
	d.keys("esc", "esc")
	if got := d.marked(); len(got) != 1 || got[0] != marked {
		t.Errorf("marked on the list: %v", got)
	}
	d.keys("m", "-")
	if d.m.s.Marks.Len() > 0 {
		t.Error("a mark is left")
	}
}

// During a run the map shows what left, what is blocked and what arrives.
func TestMapOfARun(t *testing.T) {
	d := onMap(company(), attached(movingState()))(t, 160, 40)
	d.shows("2 gone", "blocked", "+1 coming", "1 replacement on no node yet", "▶ 2/3 gone")
}

// Nodes come and go under the cursor; where there is none, the map says why.
func TestMapChanges(t *testing.T) {
	w := company()
	d := onMap(w)(t, 80, 24)
	for range 20 {
		d.keys("down", "right", "pgdown", "G", "g", "up", "left", "pgup")
	}
	for _, n := range w.Snapshot().Nodes() {
		w.Remove(n)
		d.refresh()
		d.keys("down", "right")
		_ = d.frame()
	}
	d.shows("This cluster has no nodes.")
	onMap(zoneless())(t, 80, 24).shows("no pod")
	onMap(unsynced())(t, 80, 24).shows("The nodes are being read")
}

// BenchmarkMapSnapshot is a new snapshot of that cluster, with a pod that changed on a node that is seen, and its
// frame. What pages work out beside the event loop is left out.
func BenchmarkMapSnapshot(b *testing.B) {
	d := onMap(crowd(5000, 30))(b, 200, 50)
	node, at := d.w.Snapshot().Nodes()[0].Name, 0
	for b.Loop() {
		at++
		d.w.pod(node, "web", "front-1", "front", func(p *kube.Pod) { p.Ready = at%2 == 0 })
		d.m.Update(snapshotMsg{d.w.Snapshot()})
		_ = d.m.View()
	}
}

// BenchmarkMap is a key and the frame of the map at 200x50 with 5,000 nodes and 150,000 pods.
func BenchmarkMap(b *testing.B) {
	d := onMap(crowd(5000, 30))(b, 200, 50)
	d.refresh()
	b.ReportAllocs()
	for b.Loop() {
		d.m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		_ = d.m.View()
	}
}
