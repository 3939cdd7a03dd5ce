package roll

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// look is how a state is shown: its glyph and its word say the same.
type look struct {
	state roll.NodeState
	glyph string
	word  string
	token themes.Token
}

var looks = []look{
	{roll.Done, paint.Good, "done", themes.Good},
	{roll.Failed, paint.Bad, "failed", themes.Bad},
	{roll.Returning, paint.Asked, "returning", themes.Busy},
	{roll.Working, paint.Play, "working", themes.Busy},
	{roll.Draining, paint.Ending, "draining", themes.Busy},
	{roll.Waiting, paint.Hollow, "waiting", themes.Muted},
}

// lookOf returns the look of a state of a node. After the end of the roll no node is waiting.
func lookOf(s *roll.State, state roll.NodeState) look {
	for _, l := range looks {
		if l.state != state {
			continue
		}
		if state == roll.Waiting && s.Outcome != "" {
			l.word = "not begun"
		}
		return l
	}
	return look{state, paint.Unknown, string(state), themes.Text}
}

// board is the words of the page.
type board struct{ *Page }

func batches(n int) string { return format.Plural(n, "batch", "batches") }

// head is the roll at a glance: its cells, how many nodes are how far, the gate, and what it waits for.
func (m board) head() []paint.Line {
	s := m.s.RollState
	head := cells(s, m.s.Width-2, max(1, (m.s.Height-16)/4))
	done := s.Count(roll.Done)
	line := paint.Line{}
	if m.s.Width >= 100 {
		line = append(paint.Bar(themes.BarFull, themes.BarEmpty, float64(done)/float64(max(1, len(s.Nodes))), 20),
			paint.Blank(2))
	}
	line = line.Add(themes.Text, format.Number(done)+" of "+format.Number(len(s.Nodes))+" done")
	for _, l := range looks[1:] {
		if n := s.Count(l.state); n > 0 {
			line = line.Add(themes.Muted, paint.Dot).Add(l.token, format.Number(n)+" "+lookOf(s, l.state).word)
		}
	}
	head = append(head, line)
	for _, l := range []paint.Line{m.ending(), m.gate(), m.waiting(), m.asks()} {
		if l != nil {
			head = append(head, paint.Wrap(l, m.s.Width-2)...)
		}
	}
	return append(head, nil)
}

// cells are all nodes, a glyph for each, batch by batch.
func cells(s *roll.State, width, most int) []paint.Line {
	var lines []paint.Line
	var line paint.Line
	at := 0
	for i, b := range s.Facts.Batches {
		cell := paint.L(themes.Muted, format.Number(i+1)+" ")
		for range b.Nodes {
			l := lookOf(s, s.Nodes[at].State)
			cell = cell.Add(l.token, l.glyph)
			at++
		}
		if line.Width() > 0 && line.Width()+3+cell.Width() > width {
			if len(lines)+1 == most {
				return append(lines, line.Add(themes.Muted, " "+paint.Ellipsis))
			}
			lines, line = append(lines, line), nil
		}
		if len(line) > 0 {
			line = line.Add(themes.Rule, " "+paint.Upright+" ")
		}
		line = append(line, cell...)
	}
	return append(lines, line)
}

// ending says how the roll ended, or is about to.
func (m board) ending() paint.Line {
	s := m.s.RollState
	tail := wording.Tail(wording.Clean(s.Message))
	switch {
	case s.Outcome == drain.OutcomeDone:
		return paint.L(themes.Good, paint.Good+" The roll is done"+tail+".")
	case s.Outcome != "":
		return paint.L(themes.Bad, paint.Bad+" The roll has ended: "+string(s.Outcome)+tail+". ").
			Add(themes.Muted, s.Facts.Run.Target().Line("kdrain-tui rollback "+s.Facts.Run.ID)+" undoes what is left.")
	case s.Suspended:
		return paint.L(themes.Warning, paint.Wait+" Suspended: "+
			s.Facts.Run.Target().Line("kdrain-tui resume "+s.Facts.Run.ID)+" continues it.")
	case m.s.RollOver:
		return paint.L(themes.Bad, paint.Bad+" The process of the roll has ended before the roll: "+
			s.Facts.Run.Target().Line("kdrain-tui resume "+s.Facts.Run.ID)+" continues it.")
	case s.Aborting:
		return paint.L(themes.Warning, paint.Warn+" Aborting: no further batch begins, what is under way is ended.")
	case s.Paused:
		return paint.L(themes.Warning, paint.Wait+" Paused: no batch and no command begins, nothing new is sent.")
	}
	return nil
}

// gate says how the health gate is, as far as it was judged.
func (m board) gate() paint.Line {
	s := m.s.RollState
	through := s.Batch
	if !s.Under {
		through++
	}
	switch {
	case s.Outcome != "":
		return nil
	case s.Gate != nil:
		return paint.L(themes.Warning, paint.Wait+" The health gate is closed for "+
			format.Clock(m.now().Sub(s.Gate.Since))+": ").Add(themes.Text, wording.Clean(s.Gate.Sentence()))
	case through > 0:
		return paint.L(themes.Muted, "gate ").Add(themes.Good, paint.Ready+" open").
			Add(themes.Muted, " after batch "+format.Number(through))
	}
	return paint.L(themes.Muted, "gate "+paint.Hollow+" judged after each batch")
}

// waiting says what the next batch waits for.
func (m board) waiting() paint.Line {
	s := m.s.RollState
	if s.Wait == nil || s.Outcome != "" {
		return nil
	}
	rest := paint.L(themes.Muted, ", "+format.Duration(s.Wait.Until.Sub(m.now()).Round(time.Second))+" more")
	at := s.Wait.Until.Local().Format("Jan 2 15:04 MST")
	switch {
	case s.Wait.Kind == roll.WaitRun:
		return append(paint.L(themes.Warning, paint.Wait+" Cannot resume the run of the batch: "+
			wording.Clean(s.Wait.Message)+"; retrying at "+s.Wait.Until.Local().Format(time.TimeOnly)), rest...)
	case s.Wait.Kind == roll.WaitWindow && s.Wait.Message != "":
		return paint.L(themes.Warning, paint.Wait+" The window cannot be read, no batch begins: "+
			wording.Clean(s.Wait.Message))
	case s.Wait.Kind == roll.WaitWindow:
		return append(paint.L(themes.Warning, paint.Wait+" The window is closed: the next batch begins at "+at+
			" at the earliest"), rest...)
	}
	return append(paint.L(themes.Warning, paint.Wait+" Pause between batches until "+at), rest...)
}

// asks says that the roll waits for an answer, and where it is given.
func (m board) asks() paint.Line {
	q := m.s.RollState.Question
	switch {
	case q == nil || m.shell.Asking(questionDialog) || m.s.RollState.Outcome != "":
		return nil
	case !m.mayAnswer():
		return paint.L(themes.Accent, paint.Warn+" The roll waits for an answer about "+q.Node+
			", which is given where it runs.")
	}
	return paint.L(themes.Accent, paint.Warn+" The roll waits for your answer about "+q.Node+": ").
		Add(themes.Key, "enter")
}

func (m board) cell(n *roll.Node, column string, width int) paint.Line {
	switch column {
	case "node":
		return paint.L(themes.Text, paint.Middle(n.Name, width))
	case "state":
		l := lookOf(m.s.RollState, n.State)
		return paint.L(l.token, l.glyph+" "+l.word)
	case "for":
		return paint.L(themes.Muted, m.spent(n))
	}
	return m.what(n, width)
}

// spent is how long a node is in its state, or how long it took.
func (m board) spent(n *roll.Node) string {
	switch {
	case n.State == roll.Waiting:
		return ""
	case !n.Ended.IsZero():
		return format.Clock(n.Ended.Sub(n.Began))
	}
	return format.Clock(m.now().Sub(n.Since))
}

// what is the one thing to know of a node now: the newest line of its command, its pods, or why.
func (m board) what(n *roll.Node, width int) paint.Line {
	if h := n.Running(); h != "" {
		if len(n.Output) == 0 {
			return paint.L(themes.Muted, fmt.Sprintf("--%s runs", h))
		}
		return paint.L(themes.Muted, paint.Upright+" ").
			Add(themes.Text, paint.Truncate(wording.Clean(n.Output[len(n.Output)-1]), width-2))
	}
	if n.Message != "" {
		token := themes.Text
		if n.State == roll.Failed {
			token = themes.Bad
		}
		return paint.L(token, paint.Truncate(wording.Clean(n.Message), width))
	}
	if n.State == roll.Draining {
		return paint.L(themes.Text, m.pods(n.Name))
	}
	return nil
}

// pods counts those of a node in the run of its batch, "" before that.
func (m board) pods(node string) string {
	p := m.s.NodeProgress[node]
	if !m.s.OfRoll() || p.Total == 0 {
		return ""
	}
	text := format.Number(p.Left) + " of " + format.Count(p.Total, "pod") + " gone"
	if p.Blocked > 0 {
		text += ", " + format.Number(p.Blocked) + " blocked"
	}
	return text
}

// sentence is all that there is to say of a node.
func (m board) sentence(n *roll.Node) paint.Line {
	var text string
	switch h := n.Running(); {
	case h != "":
		elapsed := format.Duration(m.now().Sub(n.Since).Round(time.Second))
		text = fmt.Sprintf("The --%s command runs, for %s.", h, elapsed)
	case n.State == roll.Waiting && m.s.RollState.Outcome != "":
		text = "The roll ended before the batch of this node began. The node is unchanged."
	case n.State == roll.Waiting:
		text = fmt.Sprintf("Its batch, %d of %d, has not begun.", n.Batch+1, len(m.s.RollState.Facts.Batches))
	case n.State == roll.Draining:
		text = "It is drained by the run of its batch."
		if pods := m.pods(n.Name); pods != "" {
			text += " " + wording.FirstUpper(pods) + "."
		}
	case n.State == roll.Working && m.s.RollState.Question != nil && m.s.RollState.Question.Node == n.Name:
		text = "It is drained. The roll waits for an answer about it."
	case n.State == roll.Working:
		text = "It is drained, and its work is to be done."
	case n.State == roll.Failed:
		text = wording.FirstUpper(wording.Clean(n.Message)) + ". It is left as it is."
	case n.State == roll.Done && n.Message == "":
		text = "It is back: Ready and schedulable, after " + m.spent(n) + "."
	default:
		text = wording.FirstUpper(wording.Clean(n.Message)) + "."
	}
	l := paint.T(text)
	if len(n.Output) > 0 {
		last := format.Quote(wording.Clean(n.Output[len(n.Output)-1]))
		l = l.Add(themes.Muted, " Last line: ").Add(themes.Text, last)
	}
	return l
}

// output are the latest lines of the command of a node, at most so many.
func output(n *roll.Node, width, most int) []paint.Line {
	if len(n.Output) == 0 {
		return []paint.Line{paint.L(themes.Muted, "No command has written a line for this node.")}
	}
	lines := []paint.Line{paint.L(themes.Muted, "output, the newest line last")}
	for _, text := range n.Output[max(0, len(n.Output)-most):] {
		lines = append(lines, paint.L(themes.Muted, paint.Upright+" ").
			Add(themes.Text, paint.Truncate(wording.Clean(text), width-2)))
	}
	return lines
}
