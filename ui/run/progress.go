package run

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// nodesAtWork are the nodes of the run on which something can still happen.
func nodesAtWork(s *drain.State) []string {
	return wording.NodesIn(s, func(s drain.NodeState) bool { return !s.Final() })
}

// runTitle is the title line of the run page.
func runTitle(s *drain.State, now time.Time) (left, right paint.Line) {
	word := "Run "
	if s.Outcome != "" {
		word = "Result "
	}
	left = paint.L(themes.Title, word+shortID(s.Run.ID)).Add(themes.Text, "  ").
		Add(themes.Accent, format.List(wording.NodeNames(s), 3)).Add(themes.Muted, paint.Dot+s.Run.Context)
	right = paint.L(themes.Text, format.Clock(wording.RunTime(s, now)))
	switch {
	case s.Down != nil && s.Outcome == "":
		right = paint.L(themes.Bad,
			paint.Bad+" server unreachable for "+format.Age(now.Sub(*s.Down))+paint.Dot).Add(themes.Text,
			format.Clock(wording.RunTime(s, now)))
	case s.Aborting && s.Outcome == "":
		right = paint.L(themes.Warning, paint.Warn+" aborting"+paint.Dot).Add(themes.Text,
			format.Clock(wording.RunTime(s, now)))
	case s.Suspended && s.Outcome == "":
		right = paint.L(themes.Warning, paint.Warn+" suspended, resume continues it"+paint.Dot).Add(themes.Text,
			format.Clock(wording.RunTime(s, now)))
	case s.Paused && s.Outcome == "":
		right = paint.L(themes.Warning, paint.Wait+" paused"+paint.Dot).Add(themes.Text,
			format.Clock(wording.RunTime(s, now)))
	}
	return left, right
}

// runPhases is the line of phases; busy is the glyph of the one that runs.
func runPhases(s *drain.State, p eviction.Progress, busy string, width int) paint.Line {
	link := " " + paint.RuleCell + paint.RuleCell + paint.RuleCell + " "
	if width < 90 {
		link = " " + paint.RuleCell + " "
	}
	var l paint.Line
	for i, phase := range s.PhasesInOrder() {
		if i > 0 {
			l = l.Add(themes.Rule, link)
		}
		l = append(l, phaseWord(s, p, busy, phase)...)
	}
	return l
}

func phaseWord(s *drain.State, p eviction.Progress, busy string, phase drain.Phase) paint.Line {
	word := string(phase)
	status := s.Phases[phase]
	switch {
	case phase == drain.PhaseEvict && status != "":
		word += " " + format.Number(p.Left) + " of " + format.Number(p.Total)
	case phase == drain.PhaseSurge && status == drain.PhaseDone:
		// Only its question has been answered: the replicas are raised and set back during the evictions.
		over := s.Surges.Over()
		word += " " + format.Number(over) + " of " + format.Number(len(s.Surges))
		if s.Phases[drain.PhaseEvict] == drain.PhaseRuns && over < len(s.Surges) {
			status = drain.PhaseRuns
		}
	}
	switch status {
	case drain.PhaseAsks:
		return paint.L(themes.Accent, paint.Unknown+" "+word+" to confirm")
	case drain.PhaseRuns:
		return paint.L(themes.Busy, busy+" "+word)
	case drain.PhaseDone:
		return paint.L(themes.Good, paint.Good+" "+word)
	case drain.PhaseFailed:
		return paint.L(themes.Bad, paint.Bad+" "+word)
	case drain.PhaseSkipped:
		return paint.L(themes.Muted, paint.Stay+" "+word)
	}
	return paint.L(themes.Muted, paint.Hollow+" "+word)
}

// runNodes are the progress bars of the nodes, two to a line where there is
// room, in at most that many lines; the rest is summed up.
func runNodes(s *drain.State, of map[string]nodeCounts, turn string, width, most int) []paint.Line {
	perLine := 1
	if width >= 100 && len(s.Nodes) > 1 {
		perLine = 2
	}
	nodes := s.Nodes
	room := most * perLine
	rest := 0
	if len(nodes) > room {
		nodes = busiest(nodes, max(1, room-1))
		rest = len(s.Nodes) - len(nodes)
	}
	longest := 0
	for _, n := range nodes {
		longest = max(longest, paint.Width(n.Name))
	}
	cell := width/perLine - 2
	longest = min(longest, cell/2)
	var cells []paint.Line
	for _, n := range nodes {
		cells = append(cells, nodeBar(n, of[n.Name], turn, longest, cell).Fit(cell))
	}
	if rest > 0 {
		cells = append(cells, paint.L(themes.Muted, "and "+format.Count(rest, "more node")).Fit(cell))
	}
	var lines []paint.Line
	for i := 0; i < len(cells); i += perLine {
		line := cells[i]
		if perLine == 2 && i+1 < len(cells) {
			line = append(line[:len(line):len(line)], paint.Blank(4))
			line = append(line, cells[i+1]...)
		}
		lines = append(lines, line)
	}
	return lines
}

// busiest are the nodes that most need a look, in the run's order.
func busiest(nodes []*drain.NodeRun, most int) []*drain.NodeRun {
	var picked []*drain.NodeRun
	for _, rank := range []func(*drain.NodeRun) bool{
		func(n *drain.NodeRun) bool { return n.State == drain.NodeFailed || n.State == drain.NodeStopped },
		func(n *drain.NodeRun) bool { return n.State == drain.NodeDraining || n.State == drain.NodeCordoning },
		func(n *drain.NodeRun) bool {
			return n.State != drain.NodeFailed && n.State != drain.NodeStopped && n.State != drain.NodeDraining &&
				n.State != drain.NodeCordoning
		},
	} {
		for _, n := range nodes {
			if len(picked) < most && rank(n) {
				picked = append(picked, n)
			}
		}
	}
	return picked
}

func nodeBar(n *drain.NodeRun, p nodeCounts, turn string, name, width int) paint.Line {
	l := paint.L(themes.Text, paint.Middle(n.Name, name)).Fit(name).Add(themes.Text, "  ")
	words := nodeWords(n, p.Progress, p.detaching, turn)
	bar := min(20, width-name-2-2-words.Width())
	if bar >= 4 && n.State != drain.NodeRefused {
		part := 1.0
		if p.Total > 0 {
			part = float64(p.Left) / float64(p.Total)
		}
		l = append(l, paint.Bar(themes.BarFull, themes.BarEmpty, part, bar)...)
		l = l.Add(themes.Text, "  ")
	}
	return append(l, words...)
}

// nodeCounts counts the pods of a node.
type nodeCounts struct {
	eviction.Progress
	detaching int // are gone while their volumes are not
}

// turnWord says what the nodes whose drain has not begun wait for: the place of a node that
// is drained before them.
func turnWord(s *drain.State, now time.Time) string {
	if s.Outcome != "" || s.Phase != drain.PhaseEvict {
		return ""
	}
	ahead := wording.NodesIn(s, func(s drain.NodeState) bool { return s == drain.NodeDraining })
	if len(ahead) == 0 {
		return ""
	}
	text := "waits for " + format.List(ahead, 2)
	if frees := s.PlaceFrees(now); !frees.IsZero() {
		text += ", at most " + format.Duration(frees.Sub(now).Round(time.Second))
	}
	return text
}

func nodeWords(n *drain.NodeRun, p eviction.Progress, detaching int, turn string) paint.Line {
	switch n.State {
	case drain.NodeRefused:
		return paint.L(themes.Bad, paint.Bad+" refused, left untouched")
	case drain.NodeStopped:
		return paint.L(themes.Bad, paint.Bad+" stopped"+wording.Tail(n.Message))
	case drain.NodeFailed:
		return paint.L(themes.Bad, paint.Bad+" failed"+wording.Tail(n.Message))
	case drain.NodeWaiting, drain.NodeCordoned:
		l := paint.L(themes.Muted, format.Count(p.Total, "pod")+" to move")
		switch word := leaseWord(n); {
		case word != "":
			l = l.Add(themes.Warning, paint.Dot+word)
		case turn != "":
			l = l.Add(themes.Muted, paint.Dot+turn)
		}
		return l
	}
	l := paint.L(themes.Text, format.Number(p.Left)+" of "+format.Number(p.Total))
	if n.State == drain.NodeDrained {
		l = paint.L(themes.Good, paint.Good+" drained, "+format.Number(p.Left)+" of "+format.Number(p.Total))
	}
	if word := leaseWord(n); word != "" {
		l = l.Add(themes.Warning, paint.Dot+word)
	}
	if p.Blocked > 0 {
		l = l.Add(themes.Warning, paint.Dot+format.Number(p.Blocked)+" blocked")
	}
	if p.Terminating > 0 {
		l = l.Add(themes.Busy, paint.Dot+format.Number(p.Terminating)+" ending")
	}
	if detaching > 0 {
		l = l.Add(themes.Busy, paint.Dot+format.Number(detaching)+" detaching")
	}
	if p.Failed > 0 {
		l = l.Add(themes.Bad, paint.Dot+format.Number(p.Failed)+" failed")
	}
	if p.Skipped > 0 {
		l = l.Add(themes.Info, paint.Dot+format.Number(p.Skipped)+" skipped")
	}
	return l
}

// shortID is enough of an identifier to tell runs apart.
func shortID(id string) string {
	if len(id) > 12 {
		return id[:12]
	}
	return id
}
