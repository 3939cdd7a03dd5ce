package clustermap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func zonesOfSizes(sizes ...int) (zones []zone) {
	for z, n := range sizes {
		one := zone{name: string(rune('a' + z))}
		for i := range n {
			one.nodes = append(one.nodes, fmt.Sprintf("%s%d", one.name, i))
		}
		zones = append(zones, one)
	}
	return zones
}

// drawn is where the tiles stand, a line for each row.
func drawn(g *grid) string {
	var lines []string
	for _, r := range g.rows {
		if r.zone >= 0 {
			lines = append(lines, "["+g.zones[r.zone].name+"]")
			continue
		}
		var names []string
		for _, name := range r.tiles {
			names = append(names, fmt.Sprintf("%-2s", name))
		}
		lines = append(lines, strings.TrimRight(strings.Join(names, " "), " "))
	}
	return strings.Join(lines, "\n")
}

func TestGrid(t *testing.T) {
	for name, c := range map[string]struct {
		zones         []zone
		width, height int
		want          string
		tile, lines   int
	}{
		"zones beside each other": {zonesOfSizes(3, 1, 2), 118, 30, "a0 b0 c0\na1    c1\na2", 34, fullTile},
		"many nodes":              {zonesOfSizes(5, 3), 90, 8, "a0 a1 b0 b1\na2 a3 b2\na4", 20, smallTile},
		"narrow":                  {zonesOfSizes(3, 1, 2, 1), 58, 20, "[a]\na0 a1 a2\n[b]\nb0\n[c]\nc0 c1\n[d]\nd0", 18, smallTile},
		"one zone":                {zonesOfSizes(3), 58, 30, "[a]\na0 a1\na2", 28, fullTile},
		"no zone":                 {[]zone{{nodes: []string{"n0", "n1", "n2"}}}, 58, 30, "n0 n1\nn2", 28, fullTile},
		"nothing":                 {nil, 58, 30, "", 28, fullTile},
	} {
		g := makeGrid(c.zones, c.width, c.height, 18)
		if got := drawn(&g); got != c.want || g.tile != c.tile || g.height != c.lines {
			t.Errorf("%s: tiles of %dx%d:\n%s\nnot of %dx%d:\n%s", name, g.tile, g.height, got, c.tile, c.lines, c.want)
		}
		if used := g.slots*(g.tile+gap) - gap; used > c.width {
			t.Errorf("%s: %d cells are used of %d", name, used, c.width)
		}
		for node, at := range g.at {
			if g.rows[at.row].tiles[at.slot] != node {
				t.Errorf("%s: %s is not at %+v", name, node, at)
			}
		}
	}
}

func TestZones(t *testing.T) {
	zones := zonesOf([]located{{"n1", "b"}, {"n2", ""}, {"n3", "a"}, {"n4", "b"}})
	if got := fmt.Sprint(zones); got != "[{a [n3]} {b [n1 n4]} { [n2]}]" {
		t.Error(got)
	}
}

func TestStep(t *testing.T) {
	columns, flow := makeGrid(zonesOfSizes(5, 1, 2), 150, 20, 18), makeGrid(zonesOfSizes(4, 1, 2, 3), 58, 20, 18)
	for _, c := range []struct {
		g           *grid
		from        string
		right, down int
		want        string
	}{
		{&columns, "a0", 1, 0, "a1"}, {&columns, "a1", 1, 0, "b0"}, {&columns, "b0", -1, 0, "a1"}, {&columns, "a0", -1, 0, "a0"},
		{&columns, "a1", 0, 1, "a3"}, {&columns, "a3", 0, 1, "a4"}, {&columns, "b0", 0, 1, "b0"}, {&columns, "a2", 5, 0, "a3"},
		{&columns, "a4", 0, -9, "a0"}, {&columns, "gone", 1, 0, "a0"},
		{&flow, "a0", 0, 1, "a3"}, {&flow, "a3", 0, 1, "b0"}, {&flow, "a2", 0, 2, "b0"}, {&flow, "b0", 0, -1, "a3"},
		{&flow, "d2", 0, 1, "d2"}, {&flow, "a0", 0, 100, "d0"}, {&flow, "d2", 0, -1, "c1"},
	} {
		if got := c.g.step(c.from, c.right, c.down); got != c.want {
			t.Errorf("from %s by %d, %d: %s, not %s in\n%s", c.from, c.right, c.down, got, c.want, drawn(c.g))
		}
	}
	var empty grid
	if got := empty.step("", 1, 1); got != "" {
		t.Error(got)
	}
}

// The row of the cursor is always seen, and the lines suffice for what is seen.
func TestWindow(t *testing.T) {
	for _, g := range []grid{makeGrid(zonesOfSizes(40, 7, 1, 12), 58, 9, 18), makeGrid(zonesOfSizes(3, 2), 118, 30, 18), {}} {
		for height := 4; height < 30; height++ {
			top := 0
			for _, cursor := range slices.Concat(up(len(g.rows)), down(len(g.rows))) {
				from, to := g.window(top, cursor, max(height, g.height))
				if cursor < from || cursor >= to {
					t.Fatalf("%d lines: row %d is not among %d-%d", height, cursor, from, to)
				}
				top = from
			}
		}
	}
}

func up(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func down(n int) (all []int) {
	all = up(n)
	slices.Reverse(all)
	return all
}

// Each kind of pod keeps a dot, however many there are, and no more cells are used than there are.
func TestDots(t *testing.T) {
	for want, c := range map[string]struct {
		counts counts
		width  int
	}{
		"‖▲●●●":      {counts{blocked: 1, unready: 1, ready: 3}, 10},
		"‖▲●●●●●●●●": {counts{blocked: 1, unready: 1, ready: 100}, 10},
		"▲◔●●●●":     {counts{unready: 1, ending: 1, ready: 20}, 6},
		"‖▲◔":        {counts{1, 1, 1, 1, 1, 1}, 3},
		"":           {counts{}, 5},
	} {
		if got := c.counts.dots(c.width).String(); got != want || paint.Width(got) > c.width {
			t.Errorf("%v in %d: %s, not %s", c.counts, c.width, got, want)
		}
	}
}

// Each cell of a tile is its node, and what is between tiles and beyond them is none.
func TestNodeAt(t *testing.T) {
	for _, g := range []grid{makeGrid(zonesOfSizes(5, 1, 2), 150, 20, 18), makeGrid(zonesOfSizes(40, 7, 1, 12), 58, 9, 18),
		makeGrid(zonesOfSizes(3), 58, 30, 18)} {
		for from := range g.rows {
			top := g.lines(from)
			for node, at := range g.at {
				if at.row < from {
					continue
				}
				left, line := 0, g.lines(at.row)-top
				for slot := range at.slot {
					left += g.tile + g.gapAfter(slot)
				}
				for _, c := range []struct {
					line, x int
					want    string
				}{
					{line, left, node}, {line + g.height - 1, left + g.tile - 1, node}, {line, left + g.tile, ""}, {line, left - 1, ""},
				} {
					if got := g.nodeAt(from, len(g.rows), c.line, c.x); got != c.want {
						t.Errorf("from row %d, at line %d, cell %d: %q, not %q", from, c.line, c.x, got, c.want)
					}
				}
				if got := g.nodeAt(from, at.row, line, left); got != "" {
					t.Errorf("%q is in a row that is not seen", got)
				}
			}
			for _, at := range [][2]int{{-1, 0}, {0, -1}, {10000, 0}, {0, 10000}} {
				if got := g.nodeAt(from, len(g.rows), at[0], at[1]); got != "" {
					t.Errorf("%q is at %v", got, at)
				}
			}
		}
	}
}
