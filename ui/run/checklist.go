package run

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// checkEvery is how often at most nodes are judged again while the cluster changes.
const checkEvery = time.Second

// checks are the verdicts on the nodes of a run, as the cluster was when they were judged.
type checks struct {
	nodes []checklist.NodeVerdict
	run   string
	gen   uint64 // of the snapshot
	seq   uint64 // of the state
	at    time.Time
}

// due reports whether something changed since the nodes were judged.
func (c *checks) due(s *frame.Session) bool {
	return s.State != nil && !s.Replay && s.State.Outcome != "" &&
		(c.run != s.State.Run.ID || c.gen != s.Snap.Gen() || c.seq != s.State.Seq)
}

// judge judges the drained nodes of a run that ended.
func (c *checks) judge(s *frame.Session) {
	if c.due(s) {
		c.judgeThose(s, func(n *drain.NodeRun) bool { return n.State == drain.NodeDrained })
	}
}

// judgeThose judges some nodes of the run, at most once in checkEvery.
func (c *checks) judgeThose(s *frame.Session, which func(*drain.NodeRun) bool) {
	if c.run == s.State.Run.ID && s.Now.Sub(c.at) < checkEvery && c.seq == s.State.Seq {
		return
	}
	if s.Replay {
		c.recall(s, which)
		return
	}
	*c = checks{run: s.State.Run.ID, gen: s.Snap.Gen(), seq: s.State.Seq, at: s.Now}
	for _, n := range s.State.Nodes {
		if which(n) {
			c.nodes = append(c.nodes, checklist.NodeVerdict{Name: n.Name, UID: n.UID,
				Verdict: s.State.Checklist(s.Snap, n, s.Now)})
		}
	}
}

// recall takes what the run itself saw of the nodes: a replay has no cluster to judge.
func (c *checks) recall(s *frame.Session, which func(*drain.NodeRun) bool) {
	*c = checks{run: s.State.Run.ID, seq: s.State.Seq, at: s.Now}
	for _, n := range s.State.Nodes {
		if n.PowerOff != nil && which(n) {
			c.nodes = append(c.nodes, checklist.NodeVerdict{Name: n.Name, UID: n.UID, Verdict: *n.PowerOff})
		}
	}
}

// answerLook is the glyph and the colour of a truth value.
func answerLook(holds *bool) (glyph string, token paint.Token) {
	switch {
	case holds == nil:
		return paint.Unknown, themes.Warning
	case *holds:
		return paint.Good, themes.Good
	}
	return paint.Bad, themes.Bad
}

// facts are which of the judged nodes are safe to power off, and the first reason of each that is not; nil where none
// was judged.
func (c *checks) facts() []report.Fact {
	var safe []string
	var facts []report.Fact
	for i := range c.nodes {
		n := &c.nodes[i]
		switch answer := n.Verdict.Answer(); {
		case answer == nil:
			facts = append(facts, report.Fact{Level: report.Warning, Text: n.Name + ": " + n.Verdict.Sentence()})
		case *answer:
			safe = append(safe, n.Name)
		default:
			facts = append(facts, report.Fact{Level: report.Bad, Text: n.Name + ": " + n.Verdict.Sentence()})
		}
	}
	if len(safe) > 0 {
		verb := " is safe to power off"
		if len(safe) > 1 {
			verb = " are safe to power off together"
		}
		facts = append([]report.Fact{{Level: report.Good, Text: format.List(safe, 4) + verb}}, facts...)
	}
	return facts
}

// ChecksPage is the checklist of every node of the run, judged again while it is open.
type ChecksPage struct {
	shell  frame.Shell
	s      *frame.Session
	scroll frame.Scroll
	checks checks
}

// NewChecks makes the page.
func NewChecks(shell frame.Shell) *ChecksPage { return &ChecksPage{shell: shell, s: shell.Session()} }

// Scroll makes it a page of text.
func (m *ChecksPage) Scroll() *frame.Scroll { return &m.scroll }

// Opened begins at the top.
func (m *ChecksPage) Opened(frame.Ref) { m.scroll.ToTop() }

// Update needs no message: what is shown is judged in Layout.
func (m *ChecksPage) Update(tea.Msg) {}

// Actions are none of its own.
func (m *ChecksPage) Actions() []keys.Action { return nil }

// Waits reports that the nodes are judged again soon.
func (m *ChecksPage) Waits() bool { return m.s.State != nil && m.checks.gen != m.s.Snap.Gen() }

// Layout judges the nodes.
func (m *ChecksPage) Layout(frame.Layout) {
	if m.s.State != nil {
		m.checks.judgeThose(m.s, func(*drain.NodeRun) bool { return true })
	}
}

// View is a part for each node: each line true, false or not known, with the objects.
func (m *ChecksPage) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Checklist").Add(themes.Muted, "  safe to power off?")}
	if m.s.State == nil {
		return v
	}
	v.Right = paint.L(themes.Muted, "live"+paint.Dot+m.checks.at.Format("15:04:05"))
	if m.s.Replay {
		v.Right = paint.L(themes.Muted, "as the run saw it")
		if len(m.checks.nodes) == 0 {
			v.Text = paint.Wrap(paint.L(themes.Muted, "Up to this moment the run has not looked whether a "+
				"node is safe to power off: it does so when the node is drained."), m.s.Width-2)
		}
	} else if !m.s.Snap.Health().Live {
		v.Right = paint.L(themes.Warning, "the API server is unreachable: as it was last known")
	}
	for i := range m.checks.nodes {
		n := &m.checks.nodes[i]
		if i > 0 {
			v.Text = append(v.Text, nil)
		}
		glyph, token := answerLook(n.Verdict.Answer())
		word := "not safe to power off"
		switch answer := n.Verdict.Answer(); {
		case answer == nil:
			word = "not known whether it is safe to power off"
		case *answer:
			word = "safe to power off"
		}
		v.Text = append(v.Text, paint.L(token, glyph+" ").Add(themes.Title, n.Name).Add(token, "  "+word))
		v.Text = append(v.Text, checklistLines(n.Verdict.Lines(), m.s.Width-2)...)
	}
	return v
}

func checklistLines(list []checklist.Line, width int) []paint.Line {
	var lines []paint.Line
	for _, l := range list {
		glyph, token := answerLook(l.Holds)
		lines = append(lines, paint.L(token, "  "+glyph+" ").Add(themes.Text, l.Message))
		for _, why := range l.Why {
			for _, part := range paint.Wrap(paint.L(token, why.Message).Add(themes.Muted, "  "+why.Object), width-6) {
				lines = append(lines, append(paint.Line{paint.Blank(6)}, part...))
			}
		}
	}
	return lines
}
