package clustermap

import (
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain"
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

// bar is how full a node is, in that width.
func (f fill) bar(s *kube.Snapshot, n *kube.Node, width int) paint.Line {
	part, whole, known := f.of(s, n)
	if !known {
		return paint.L(themes.Muted, "not known")
	}
	return wording.Share(part, whole, width)
}

// madeFor is what tiles were made for, but for the mark of their node.
type madeFor struct {
	built
	gen  uint64
	run  *drain.State
	fill fill
}

// made is a tile that serves again until something of it changes.
type made struct {
	mark  string
	lines []paint.Line
}

// mostMade bounds what is kept of tiles that were scrolled away.
const mostMade = 2000

// tile is a node on the map, as so many lines. Its left edge has the colour of its state, which
// the glyph and the word repeat.
func (m *Page) tile(name string) []paint.Line {
	if now := (madeFor{m.built, m.gen, m.run(), m.fill}); now != m.madeFor || len(m.made) > mostMade {
		m.madeFor, m.made = now, map[string]made{}
	}
	mark := m.mark(name)
	one, ok := m.made[name]
	if !ok || one.mark != mark {
		n := m.s.Snap.Node(name)
		if n == nil {
			return nil
		}
		one = made{mark, m.makeTile(n, mark)}
		m.made[name] = one
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

func (m *Page) makeTile(n *kube.Node, mark string) []paint.Line {
	inner := m.grid.tile - 2
	state := wording.NodeState(n, m.run())
	pods := countPods(m.s.Snap.PodsOn(n.Name), m.moving.held)
	name := paint.L(themes.Text, m.s.Names.Show(n.Name, inner-markWidth))
	if mark != "" {
		name = name.Fit(inner-paint.Width(mark)).Add(themes.Marked, mark)
	}
	var lines []paint.Line
	if m.grid.height == fullTile {
		lines = []paint.Line{name, stateLine(state, &pods, inner), m.fill.bar(m.s.Snap, n, inner), m.podLine(n,
			&pods, inner)}
	} else {
		lines = []paint.Line{m.shortName(n, mark, state, inner), m.shortBar(n, &pods, inner)}
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
	right := []paint.Line{paint.L(themes.Muted, wording.Count(pods.total(), "pod"))}
	if held := wording.Number(pods[blocked]); pods[blocked] > 0 {
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

// podLine is the dots, and on their right what a run moves.
func (m *Page) podLine(n *kube.Node, pods *counts, width int) paint.Line {
	moved := m.moved(n, width-4)
	room := width
	if w := moved.Width(); w > 0 {
		room = max(4, width-w-1)
	}
	dots := pods.dots(room)
	if len(dots) == 0 {
		dots = paint.L(themes.Muted, "no pod")
	}
	if len(moved) == 0 {
		return dots
	}
	return append(dots.Fit(room+1), moved...)
}

// moved is what a run moves away from the node and to it, in that width; nil for nothing.
func (m *Page) moved(n *kube.Node, width int) paint.Line {
	var left, here, coming paint.Line
	if p, ok := m.s.NodeProgress[n.Name]; ok && m.run() != nil && p.Left > 0 {
		left = paint.L(themes.Busy, wording.Number(p.Left)+" gone")
	}
	a := m.moving.come[n.Name]
	if a.here > 0 {
		here = paint.L(themes.Good, "+"+wording.Number(a.here)+" ready")
	}
	if a.coming > 0 {
		coming = paint.L(themes.Busy, "+"+wording.Number(a.coming)+" coming")
	}
	l := paint.Join(paint.Blank(1), left, here, coming)
	if a.here > 0 && a.coming > 0 && l.Width() > width {
		l = paint.Join(paint.Blank(1), left, paint.L(themes.Busy, "+"+wording.Number(a.here+a.coming)))
	}
	return l
}

// shortName is the name with the state behind it, at least its glyph.
func (m *Page) shortName(n *kube.Node, marked string, state paint.Line, width int) paint.Line {
	mark := paint.L(themes.Marked, marked)
	name := paint.L(themes.Text, m.s.Names.Show(n.Name, width-markWidth-2))
	right := state
	if room := width - name.Width() - mark.Width() - 2; state.Width() > room {
		right = state.Cut(0, 1)
	}
	right = paint.Join(paint.Blank(1), mark, right)
	return append(name.Fit(width-right.Width()), right...)
}

// shortBar is the bar with the dots behind it, or what a run moves.
func (m *Page) shortBar(n *kube.Node, pods *counts, width int) paint.Line {
	bar := m.fill.bar(m.s.Snap, n, min(12, width/2))
	rest := width - bar.Width() - 1
	behind := m.moved(n, rest)
	if len(behind) == 0 || behind.Width() > rest {
		behind = pods.dots(rest)
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
