package clustermap

import (
	"cmp"
	"slices"
	"strings"
)

// zone is the nodes of one zone, by name.
type zone struct {
	name  string // "" for nodes without one
	nodes []string
}

// located is a node and its zone, "" for none.
type located struct{ node, zone string }

// zonesOf groups nodes by zone, those without one last.
func zonesOf(nodes []located) []zone {
	at := map[string]int{}
	var zones []zone
	for _, n := range nodes {
		i, known := at[n.zone]
		if !known {
			i = len(zones)
			at[n.zone] = i
			zones = append(zones, zone{name: n.zone})
		}
		zones[i].nodes = append(zones[i].nodes, n.node)
	}
	slices.SortFunc(zones, func(a, b zone) int {
		if (a.name == "") != (b.name == "") {
			return cmp.Compare(b.name, a.name)
		}
		return strings.Compare(a.name, b.name)
	})
	return zones
}

// row is a line of the map: the title of a zone, or a row of tiles.
type row struct {
	zone  int      // of a title, else -1
	tiles []string // a node for each slot, "" for none
}

// place is a slot of the map.
type place struct{ row, slot int }

// grid is where the tiles stand: zones beside each other as columns where they have room, else
// one below the other.
type grid struct {
	zones   []zone
	columns bool // each zone has columns of its own, under a title
	between int  // more room between the columns of two zones
	across  int  // slots in a column of a zone, or in a row
	slots   int  // in a row
	tile    int  // the width of a tile
	height  int  // of a tile, in lines
	rows    []row
	at      map[string]place
}

// The heights of a tile: with all that there is to say, and for many nodes.
const (
	fullTile  = 4
	smallTile = 2
	gap       = 1 // between tiles, in cells and, where they are full, in lines
)

// makeGrid places the nodes on that many cells and lines; no tile is narrower than least. Tiles
// get narrower, and then smaller, where not all of them are seen.
func makeGrid(zones []zone, width, height, least int) grid {
	var g grid
	for _, tile := range []int{max(least, easyTile), least} {
		g = placed(zones, width, tile)
		if g.height = fullTile; g.lines(len(g.rows)) <= height {
			return g
		}
	}
	g.height = smallTile
	return g
}

// The width in which a tile says all, and the one from which on more is no use.
const (
	easyTile   = 26
	widestTile = 34
)

// placed are the nodes on tiles of that width at least.
func placed(zones []zone, width, least int) grid {
	g := grid{zones: zones, at: map[string]place{}}
	per := 0
	if len(zones) > 1 {
		per = (width + gap) / len(zones)
	}
	if g.columns = per >= least+gap; g.columns {
		g.between = min(zoneGap, per-least-gap)
		g.across = max(1, min((per-g.between)/(least+gap), mostAcross(zones)))
		g.tile = min((per-g.between)/g.across-gap, widestTile)
		g.slots = g.across * len(zones)
	} else {
		g.across = max(1, (width+gap)/(least+gap))
		g.tile = min((width+gap)/g.across-gap, widestTile)
		g.slots = g.across
	}
	g.fill()
	return g
}

// zoneGap is how much room is between the columns of two zones, where there is any.
const zoneGap = 2

// zoneWidth is the width of the columns of a zone, with the gap behind them.
func (g *grid) zoneWidth() int { return g.across*(g.tile+gap) + g.between }

// gapAfter is what is free behind a slot.
func (g *grid) gapAfter(slot int) int {
	if g.columns && (slot+1)%g.across == 0 {
		return gap + g.between
	}
	return gap
}

func mostAcross(zones []zone) int {
	most := 1
	for _, z := range zones {
		most = max(most, len(z.nodes))
	}
	return most
}

func (g *grid) fill() {
	if g.columns {
		most := 0
		for _, z := range g.zones {
			most = max(most, (len(z.nodes)+g.across-1)/g.across)
		}
		g.rows = make([]row, most)
		for r := range g.rows {
			g.rows[r] = row{zone: -1, tiles: make([]string, g.slots)}
		}
		for z := range g.zones {
			g.put(z, 0, z*g.across)
		}
		return
	}
	for z := range g.zones {
		if len(g.zones) > 1 || g.zones[z].name != "" {
			g.rows = append(g.rows, row{zone: z})
		}
		first := len(g.rows)
		for range (len(g.zones[z].nodes) + g.across - 1) / g.across {
			g.rows = append(g.rows, row{zone: -1, tiles: make([]string, g.slots)})
		}
		g.put(z, first, 0)
	}
}

// put places the nodes of a zone from that row and slot on.
func (g *grid) put(z, first, slot int) {
	for i, name := range g.zones[z].nodes {
		at := place{first + i/g.across, slot + i%g.across}
		g.rows[at.row].tiles[at.slot] = name
		g.at[name] = at
	}
}

// rowHeight is how many lines a row takes.
func (g *grid) rowHeight(r int) int {
	switch {
	case g.rows[r].zone >= 0:
		return 1
	case g.height == fullTile:
		return fullTile + gap
	}
	return g.height
}

// lines is the height of the first so many rows.
func (g *grid) lines(rows int) int {
	sum := 0
	for r := range rows {
		sum += g.rowHeight(r)
	}
	return sum
}

// nodeAt is the node whose tile is there, in lines below the first of those rows and cells from the left; "" for
// none.
func (g *grid) nodeAt(from, to, line, x int) string {
	for r := from; r < to && line >= 0; r++ {
		if line >= g.rowHeight(r) {
			line -= g.rowHeight(r)
			continue
		}
		if line >= g.height {
			return "" // between two rows
		}
		for slot, name := range g.rows[r].tiles {
			if x >= 0 && x < g.tile {
				return name
			}
			x -= g.tile + g.gapAfter(slot)
		}
		return ""
	}
	return ""
}

// first is the first node, "" for none.
func (g *grid) first() string {
	for _, r := range g.rows {
		for _, name := range r.tiles {
			if name != "" {
				return name
			}
		}
	}
	return ""
}

// step goes from a node to the one beside it: to the left or right in its row, up or down by
// rows of tiles. At an edge it stays; where a row is shorter, it is the nearest in that row.
func (g *grid) step(from string, right, down int) string {
	at, known := g.at[from]
	if !known {
		return g.first()
	}
	for right != 0 {
		to := at.slot + sign(right)
		for to >= 0 && to < g.slots && g.rows[at.row].tiles[to] == "" {
			to += sign(right)
		}
		if to < 0 || to >= g.slots {
			break
		}
		at.slot, right = to, right-sign(right)
	}
	for down != 0 {
		to, slot := at.row+sign(down), -1
		for ; to >= 0 && to < len(g.rows); to += sign(down) {
			if slot = g.nearest(to, at.slot); slot >= 0 {
				break
			}
		}
		if slot < 0 {
			break
		}
		at, down = place{to, slot}, down-sign(down)
	}
	return g.rows[at.row].tiles[at.slot]
}

// nearest is the slot of a row nearest to that one with a tile, -1 for none. Zones with
// columns of their own are not left.
func (g *grid) nearest(r, slot int) int {
	tiles := g.rows[r].tiles
	from, to := 0, len(tiles)
	if g.columns {
		from = slot / g.across * g.across
		to = from + g.across
	}
	best := -1
	for i := from; i < min(to, len(tiles)); i++ {
		if tiles[i] != "" && (best < 0 || distance(i, slot) < distance(best, slot)) {
			best = i
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

func sign(n int) int { return cmp.Compare(n, 0) }

// window are the rows that are seen in so many lines: from top on, moved as little as it takes
// to see the row of the cursor, with the title of its zone where that is just above.
func (g *grid) window(top, cursor, height int) (from, to int) {
	from = max(0, min(top, len(g.rows)-1))
	want := cursor
	if want > 0 && g.rows[want-1].zone >= 0 {
		want--
	}
	from = min(from, want)
	seen := func() (to int) {
		left := height
		for to = from; to < len(g.rows); to++ {
			need := g.rowHeight(to)
			if g.rows[to].zone < 0 && g.height == fullTile {
				need -= gap // the last one needs no line below it
			}
			if left < need {
				break
			}
			left -= g.rowHeight(to)
		}
		return to
	}
	for to = seen(); to <= cursor && from < cursor; to = seen() {
		from++
	}
	for from > 0 && to == len(g.rows) && g.lines(len(g.rows))-g.lines(from-1) <= height {
		from-- // no lines are left empty at the end
	}
	return from, max(to, min(from+1, len(g.rows)))
}
