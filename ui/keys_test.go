package ui

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

func TestKeyRegistry(t *testing.T) {
	registry := drive(t, company(), 80, 24).m.keys // two actions on one key of a page fail
	ids := map[string]bool{}
	for _, a := range registry.Help {
		if ids[a.ID] {
			t.Errorf("two actions are called %s", a.ID)
		}
		ids[a.ID] = true
		if a.Help == "" || a.Group == "" || len(a.Pages) == 0 || a.Do == nil {
			t.Errorf("%s is not complete", a.ID)
		}
		for _, k := range a.Keys {
			if slices.Contains([]string{"h", "j", "k", "l", "g", "G"}, k) && a.Group != "Moving" {
				t.Errorf("%s is on %s, which only moves", a.ID, k)
			}
			if k == " " {
				t.Errorf("%s is on a blank: the key is called space", a.ID)
			}
			if a.Writes && (len(k) != 1 || strings.ToUpper(k) != k || strings.ToLower(k) == k) {
				t.Errorf("%s writes and is on %s, no capital letter", a.ID, k)
			}
		}
	}
}

func TestKeyReference(t *testing.T) {
	registry := drive(t, company(), 80, 24).m.keys
	path := filepath.Join("..", "docs", "keys.md")
	if *update {
		if err := os.WriteFile(path, []byte(registry.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != registry.Markdown() {
		t.Error("docs/keys.md is not what the registry says: go test ./ui -run TestKeyReference -update")
	}
}

func TestSpaceMarks(t *testing.T) {
	d := drive(t, company(), 100, 30)
	d.keys("space")
	if !slices.Contains(d.marked(), "control-1") {
		t.Fatal("space does not mark")
	}
}

// Who has read enough of the keys is shown the way back, and ? is one too.
func TestKeysPageShowsTheWayBack(t *testing.T) {
	d := drive(t, company(), 80, 24)
	d.keys("?")
	d.shows("esc back", "or of the", "selected one; changes nothing")
	d.keys("?")
	if d.m.path.page != frame.Nodes {
		t.Errorf("on %s", d.m.path.page)
	}
}

// The nodes of an upgrade are found by version, expression and labels, and stand together.
func TestNodesOfAnUpgradeAreFound(t *testing.T) {
	for filter, want := range map[string]string{
		"v1.9": "worker-b1 worker-b2", "!v1.": "control-1", "~a[12]$": "worker-a1 worker-a2",
		"-l topology.kubernetes.io/zone=eu-1b": "worker-b1 worker-b2", "-l zone in (": "all",
	} {
		d := drive(t, company(), 200, 50)
		d.keys("/")
		d.typed(filter)
		shown := d.list(frame.Nodes).Table.Keys()
		switch got := strings.Join(shown, " "); {
		case want == "all":
			d.shows("all are shown: ")
			if len(shown) != 8 {
				t.Errorf("%q shows %q", filter, got)
			}
		case got != want:
			t.Errorf("%q shows %q, want %q", filter, got, want)
		}
	}
	drive(t, company(), 120, 40).shows("VERSION", "v1.9.11") // an upgrade is under way
	d := drive(t, company(), 200, 50)
	d.shows("VERSION", "v1.9.11")
	d.keys(">", ">", ">")
	if got := d.list(frame.Nodes).Table.Keys(); got[0] != "control-1" || got[1] != "worker-b1" || got[7] != "worker-c3" {
		t.Errorf("by version: %v", got)
	}
}

// Chosen labels have columns: they are read, found and sorted by, and give way in a narrow
// frame before anything that a drain is decided by.
func TestColumnsOfLabels(t *testing.T) {
	const pool, kind = "example.com/pool", "node.kubernetes.io/instance-type"
	w := company()
	for i, name := range []string{"worker-a2", "worker-a1", "worker-b1"} {
		n := *w.Snapshot().Node(name)
		n.Labels = maps.Clone(n.Labels)
		n.Labels[pool], n.Labels[kind] = fmt.Sprintf("pool-%d", i), "m7.large"
		w.Put(&n)
	}
	d := drive(t, w, 260, 50, func(d *Deps) { d.LabelColumns = []string{pool, kind} })
	d.shows("VERSION  POOL    INSTANCE-TYPE  PODS", "v1.36.3  pool-1  m7.large", "v1.36.3  -       -")
	d.keys("/")
	d.typed("pool-2")
	if got := d.list(frame.Nodes).Table.Keys(); !slices.Equal(got, []string{"worker-b1"}) {
		t.Errorf("found %q", got)
	}
	d.keys("esc", "esc", "<", "<", "s") // backwards from the first: the last column, then the pool
	d.shows("sorted by label "+pool, "POOL↓")
	if got := d.list(frame.Nodes).Table.Keys(); !slices.Equal(got[:3], []string{"worker-b1", "worker-a1", "worker-a2"}) {
		t.Errorf("sorted %q", got)
	}
	zoned := drive(t, w, 260, 50, func(d *Deps) { d.LabelColumns = []string{"topology.kubernetes.io/zone"} })
	if strings.Count(zoned.frame(), "ZONE") != 1 {
		t.Errorf("the zone has two columns:\n%s", zoned.frame())
	}
	zoned.keys("/")
	zoned.typed("there is no such node")
	zoned.shows("ZONE", "VERSION")
	for width := 60; width <= 100; width += 4 {
		narrow := drive(t, w, width, 24, func(d *Deps) { d.LabelColumns = []string{pool, kind} })
		narrow.shows("NODE", "STATE", "A DRAIN WOULD")
		l := narrow.list(frame.Nodes)
		if l.Width("label:"+kind) > 0 && l.Width("label:"+pool) == 0 {
			t.Errorf("%d columns: the second label is not the first to give way:\n%s", width, narrow.frame())
		}
	}
}
