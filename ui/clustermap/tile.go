package clustermap

import (
	"slices"
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// fill is what the bars of the tiles show.
type fill int

const (
	cpuRequested fill = iota
	memoryRequested
	cpuUsed
	memoryUsed
	fills
)

func (f fill) String() string {
	return [fills]string{"CPU requested", "memory requested", "CPU used", "memory used"}[f]
}

// of is how much of a node that is; false where it is not known.
func (f fill) of(s *kube.Snapshot, n *kube.Node) (part, whole int64, known bool) {
	switch f {
	case cpuRequested:
		return s.Totals(n.Name).Requested.CPUMilli, n.Allocatable.CPUMilli, true
	case memoryRequested:
		return s.Totals(n.Name).Requested.MemoryBytes, n.Allocatable.MemoryBytes, true
	}
	u, known := s.NodeUsage(n.Name)
	if f == cpuUsed {
		return u.CPUMilli, n.Allocatable.CPUMilli, known
	}
	return u.MemoryBytes, n.Allocatable.MemoryBytes, known
}

// madeFor is what all tiles were made for.
type madeFor struct {
	built
	fill  fill
	names *paint.Names
}

// made is a tile that serves again until something that it says changes.
type made struct {
	told
	state paint.Line
	lines []paint.Line
	// What it was last compared with: news that is none to this node costs a look at its pods, not a tile.
	gen uint64
	run *drain.State
}

// told is what a tile says of its node, beside name and state.
type told struct {
	mark        string
	pods        counts
	part, whole int64 // of what fills the bar
	known       bool
	left        int // pods that the run has moved away
	come        arrivals
}

// mostMade bounds what is kept of tiles that were scrolled away.
const mostMade = 2000

// tile is a node on the map, as so many lines. Its left edge has the colour of its state, which
// the glyph and the word repeat.
func (m *Page) tile(name string) []paint.Line {
	if now := (madeFor{m.built, m.fill, m.s.Names}); now != m.madeFor || len(m.made) > mostMade {
		m.madeFor, m.made = now, map[string]*made{}
	}
	one := m.made[name]
	if mark := m.mark(name); one == nil || one.gen != m.gen || one.run != m.run() || one.mark != mark {
		n := m.s.Snap.Node(name)
		if n == nil {
			return nil
		}
		now, state := m.tell(n, mark), wording.NodeState(n, m.run())
		if one == nil || one.told != now || !slices.Equal(one.state, state) {
			one = &made{told: now, state: state, lines: m.makeTile(name, &now, state)}
			m.made[name] = one
		}
		one.gen, one.run = m.gen, m.run()
	}
	if name != m.cursor {
		return one.lines
	}
	lines := make([]paint.Line, len(one.lines))
	for i, l := range one.lines {
		lines[i] = l.Selected()
		lines[i][0].Text, lines[i][0].Token = paint.Cursor, themes.Accent
	}
	return lines
}

// tell is what there is to say of a node.
func (m *Page) tell(n *kube.Node, mark string) told {
	t := told{mark: mark, pods: countPods(m.s.Snap.PodsOn(n.Name), m.moving.held), come: m.moving.come[n.Name]}
	t.part, t.whole, t.known = m.fill.of(m.s.Snap, n)
	if p, ok := m.s.NodeProgress[n.Name]; ok && m.run() != nil {
		t.left = p.Left
	}
	return t
}

func (m *Page) makeTile(node string, t *told, state paint.Line) []paint.Line {
	inner := m.grid.tile - 2
	name := paint.L(themes.Text, m.s.Names.Show(node, inner-markWidth))
	if t.mark != "" {
		name = name.Fit(inner-paint.Width(t.mark)).Add(themes.Marked, t.mark)
	}
	var lines []paint.Line
	if m.grid.height == fullTile {
		lines = []paint.Line{name, stateLine(state, &t.pods, inner), t.bar(inner), t.podLine(inner)}
	} else {
		lines = []paint.Line{m.shortName(node, t.mark, state, inner), t.shortBar(inner)}
	}
	edge := paint.S(stateToken(state), paint.Upright)
	for i, l := range lines {
		lines[i] = append(paint.Line{edge, paint.Blank(1)}, l.Fit(inner)...)
	}
	return lines
}

// markWidth is what a tile keeps for the mark of its node.
const markWidth = 3

// mark is the turn of a node where several are marked, as on the list of nodes.
func (m *Page) mark(name string) string {
	turn := m.s.Marks.Turn(name)
	switch {
	case turn == 0:
		return ""
	case m.s.Marks.Len() == 1 || turn > 99:
		return paint.Marked
	}
	return strconv.Itoa(turn)
}

func stateToken(state paint.Line) paint.Token {
	if len(state) == 0 {
		return themes.Text
	}
	return state[0].Token
}

// stateLine is the state, and on its right what holds pods.
func stateLine(state paint.Line, pods *counts, width int) paint.Line {
	right := []paint.Line{paint.L(themes.Muted, format.Count(pods.total(), "pod"))}
	if held := format.Number(pods[blocked]); pods[blocked] > 0 {
		right = []paint.Line{paint.L(themes.Warning, paint.Wait+" "+held+" blocked"), paint.L(themes.Warning,
			paint.Wait+" "+held)}
	}
	for _, r := range right {
		if room := width - r.Width() - 1; state.Width() <= room {
			return append(state.Fit(room+1), r...)
		}
	}
	return state.Fit(width)
}

// bar is how full the node is, in that width.
func (t *told) bar(width int) paint.Line {
	if !t.known {
		return paint.L(themes.Muted, "not known")
	}
	return wording.Share(t.part, t.whole, width)
}

// podLine is the dots, and on their right what a run moves.
func (t *told) podLine(width int) paint.Line {
	moved := t.moved(width - 4)
	room := width
	if w := moved.Width(); w > 0 {
		room = max(4, width-w-1)
	}
	dots := t.pods.dots(room)
	if len(dots) == 0 {
		dots = paint.L(themes.Muted, "no pod")
	}
	if len(moved) == 0 {
		return dots
	}
	return append(dots.Fit(room+1), moved...)
}

// moved is what a run moves away from the node and to it, in that width; nil for nothing.
func (t *told) moved(width int) paint.Line {
	var left, here, coming paint.Line
	if t.left > 0 {
		left = paint.L(themes.Busy, format.Number(t.left)+" gone")
	}
	a := t.come
	if a.here > 0 {
		here = paint.L(themes.Good, "+"+format.Number(a.here)+" ready")
	}
	if a.coming > 0 {
		coming = paint.L(themes.Busy, "+"+format.Number(a.coming)+" coming")
	}
	l := paint.Join(paint.Blank(1), left, here, coming)
	if a.here > 0 && a.coming > 0 && l.Width() > width {
		l = paint.Join(paint.Blank(1), left, paint.L(themes.Busy, "+"+format.Number(a.here+a.coming)))
	}
	return l
}

// shortName is the name with the state behind it, at least its glyph.
func (m *Page) shortName(node, marked string, state paint.Line, width int) paint.Line {
	mark := paint.L(themes.Marked, marked)
	name := paint.L(themes.Text, m.s.Names.Show(node, width-markWidth-2))
	right := state
	if room := width - name.Width() - mark.Width() - 2; state.Width() > room {
		right = state.Cut(0, 1)
	}
	right = paint.Join(paint.Blank(1), mark, right)
	return append(name.Fit(width-right.Width()), right...)
}

// shortBar is the bar with the dots behind it, or what a run moves.
func (t *told) shortBar(width int) paint.Line {
	bar := t.bar(min(12, width/2))
	rest := width - bar.Width() - 1
	behind := t.moved(rest)
	if len(behind) == 0 || behind.Width() > rest {
		behind = t.pods.dots(rest)
	}
	return append(bar.Add(themes.Text, " "), behind.Fit(rest)...)
}

// run is the run that goes on, nil for none.
func (m *Page) run() *drain.State {
	if m.s.Live() {
		return m.s.State
	}
	return nil
}
