package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// fateOf is the cell of a pod on the list of all pods.
func (d *driver) fateOf(key string) string {
	return d.m.pages[frame.AllPods].View().Cell(key, "fate", wording.WidestEffects).String()
}

// planOf is the plan of a node by itself.
func (d *driver) planOf(node string, o plan.Options) plan.Node {
	d.t.Helper()
	p, err := plan.New(d.w.Snapshot(), []string{node}, o, d.m.s.Now)
	if err != nil {
		d.t.Fatal(err)
	}
	return p.Nodes[0]
}

func sortsByFate(d *driver) bool {
	return slices.ContainsFunc(d.m.pages[frame.AllPods].(frame.Lister).Sorts(), func(s frame.Sort) bool { return s.ID == "fate" })
}

// The fate of a pod is that of the plan of its node, under the options in force, as the cluster is now.
func TestAllPodsHaveFates(t *testing.T) {
	d := onAllPods(t, 240, 60)
	d.shows("FATE", "✖ refused", "‖ waits", "▲ down, ", "· stays", "✔ moves")
	agree := func() {
		t.Helper()
		for _, node := range d.w.Snapshot().Nodes() {
			for _, p := range d.planOf(node.Name, d.m.s.Options).Pods {
				if got, want := d.fateOf(string(p.UID)), wording.Effects(p, wording.WidestEffects).String(); got != want {
					t.Errorf("%s/%s: %q, not %q", p.Namespace, p.Name, got, want)
				}
			}
		}
	}
	agree()
	for _, p := range d.w.Snapshot().Pods() {
		if d.w.Snapshot().Node(p.Node) == nil && d.fateOf(string(p.UID)) != "-" {
			t.Errorf("%s is on no node and has the fate %q", p.Name, d.fateOf(string(p.UID)))
		}
	}
	d.w.pod("worker-a3", "ops", "bare", "")
	d.now = d.now.Add(time.Minute)
	d.refresh()
	agree()
	options := d.m.s.Options
	options.Force = true
	(&shell{d.m}).SetOptions(options)
	d.keys("down")
	agree()
	if got := d.fateOf("ops/bare"); got != "✖ lost" {
		t.Errorf("with --force: %q", got)
	}
}

// Before the usual flags are accepted they are assumed where they are all that is missing, and the page says so.
func TestAllPodsAssumeTheUsual(t *testing.T) {
	w := withStates()
	d := drive(t, w, 240, 60)
	d.keys("p")
	d.shows("Assumed: --ignore-daemonsets --delete-emptydir-data. a accepts them.")
	if got := d.fateOf("kube-system/node-exporter-a2"); got != "· stays" {
		t.Errorf("worker-a2: %q", got)
	}
	d.keys("a")
	o := d.m.s.Options
	for _, node := range []string{"worker-a1", "worker-a2"} {
		for _, p := range d.planOf(node, o).Pods {
			if got, want := d.fateOf(string(p.UID)), wording.Effects(p, wording.WidestEffects).String(); got != want {
				t.Errorf("%s: %q, not %q", p.Name, got, want)
			}
		}
	}
	if head := d.m.page().View().Head; len(head) > 0 {
		t.Errorf("%v is said of accepted flags", head)
	}
}

// Only what is seen is worked out: not where the column has no room, and not for rows that are scrolled away.
func TestFatesOfVisibleRows(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 24}} {
		d := drive(t, crowd(200, 3), size[0], size[1], usual)
		d.keys("p")
		l := d.list(frame.AllPods)
		if l.Table.Len() != 600 {
			t.Fatalf("%d pods", l.Table.Len())
		}
		made := 0
		for _, key := range l.Table.Keys() {
			if d.fateOf(key) != "…" {
				made++
			}
		}
		seen := len(l.Visible())
		if size[0] < 100 && made > 0 || size[0] > 100 && (made < seen || made > 3*seen) { // those of the same nodes
			t.Errorf("%v: %d fates for %d rows", size, made, seen)
		}
		d.keys("G")
		if got := d.fateOf(l.Table.Cursor()); size[0] > 100 && got == "…" {
			t.Error("the last row has no fate")
		}
	}
}

// Pods are sorted by fate, the worst first, where so few nodes are shown that all their plans are made.
func TestAllPodsSortedByFate(t *testing.T) {
	d := onAllPods(t, 240, 20)
	by := func() {
		ours := actions{&shell{d.m}}
		for _, s := range d.m.page().(frame.Lister).Sorts() {
			if s.ID == "fate" {
				ours.sortBy(s)
			}
		}
		d.keys("down")
	}
	by()
	l := d.list(frame.AllPods)
	rank := func(key string) int {
		p := d.w.Snapshot().Pod(kube.UID(key))
		if d.w.Snapshot().Node(p.Node) == nil {
			return 100
		}
		for _, of := range d.planOf(p.Node, d.m.s.Options).Pods {
			if of.UID == p.UID {
				return int(of.Effects().Worst())
			}
		}
		t.Fatalf("no plan has %s", key)
		return 0
	}
	ranks := func() (ranks []int) {
		for _, key := range l.Table.Keys() {
			ranks = append(ranks, rank(key))
		}
		return ranks
	}
	if got := ranks(); len(got) != 29 || !slices.IsSorted(got) {
		t.Errorf("order %v", got)
	}
	d.w.pod("worker-a3", "ops", "bare", "")
	d.now = d.now.Add(time.Minute)
	d.refresh()
	if got := ranks(); len(got) != 30 || !slices.IsSorted(got) {
		t.Errorf("order %v after a change", got)
	}

	d = drive(t, crowd(60, 3), 200, 24, usual)
	d.keys("space", "p")
	if sortsByFate(d) {
		t.Error("the pods of 60 nodes are sorted by fate")
	}
	d.keys("m") // only those of the marked node
	if !sortsByFate(d) {
		t.Fatal("those of one node are not")
	}
	l = d.list(frame.AllPods)
	by()
	if got := ranks(); len(got) != 3 || !slices.IsSorted(got) || l.Sort != "fate" {
		t.Errorf("by %s: order %v", l.Sort, got)
	}
	d.keys("m")
	if l.Sort != "status" || l.Table.Len() != 180 {
		t.Errorf("by %s: %d pods", l.Sort, l.Table.Len())
	}
}
