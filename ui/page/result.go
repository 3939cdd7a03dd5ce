package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Result is how a run ended, in a few lines that stay on the screen. Undos are
// what a rollback would find now, so that nothing is offered that is not there.
func Result(s *drain.State, undos []drain.Undo, width int, now time.Time) []paint.Line {
	r := resulting{width: width, lines: paint.Wrap(verdict(s, now), width)}
	r.add("why", themes.Text, whyNot(s)...)
	r.usual(s)
	if left := notMoved(s); len(left) > 0 {
		names := make([]string, len(left))
		for i, p := range left {
			names[i] = p.Namespace + "/" + p.Name + " (" + podWord(p) + ")"
		}
		r.add("not moved", themes.Warning, List(names, 4)+".")
	}
	r.rest(s, undos)
	return r.lines
}

// maxListed bounds the pods that the printed result names one by one.
const maxListed = 5

// ResultText is the result as plain text for the normal screen; it says of each
// pod that did not move why.
func ResultText(s *drain.State, undos []drain.Undo, width int, now time.Time) string {
	r := resulting{width: width, lines: paint.Wrap(verdict(s, now), width)}
	r.add("why", themes.Text, whyNot(s)...)
	r.usual(s)
	left := notMoved(s)
	for i, p := range left {
		if i == maxListed {
			r.add("", themes.Text, "and "+Count(len(left)-i, "more pod")+".")
			break
		}
		r.add(map[bool]string{true: "not moved"}[i == 0], themes.Text, p.Namespace+"/"+p.Name+": "+leftSentence(p, now))
	}
	r.rest(s, undos)
	var b strings.Builder
	for _, l := range r.lines {
		b.WriteString(strings.TrimRight(l.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// resulting collects the entries of a result: a name, and sentences that wrap
// at words beside it.
type resulting struct {
	width int
	lines []paint.Line
}

const entryWidth = 12

func (r *resulting) add(name string, token paint.Token, sentences ...string) {
	for i, s := range sentences {
		if i > 0 {
			name = ""
		}
		r.line(name, paint.L(token, s))
	}
}

func (r *resulting) line(name string, l paint.Line) {
	for i, part := range paint.Wrap(l, max(20, r.width-entryWidth)) {
		if i > 0 {
			name = ""
		}
		r.lines = append(r.lines, append(paint.L(themes.Muted, "  "+name).Fit(entryWidth), part...))
	}
}

// usual is what every result says of its pods.
func (r *resulting) usual(s *drain.State) {
	if slow := slowest(s); slow != nil {
		r.add("slowest", themes.Text, slowSentence(slow))
	}
	r.add("requests", themes.Text, requests(s))
	r.line("nodes", nodeOutcomes(s))
	r.costs(s)
	r.powerOff(s)
}

// costs are what the run cost, and what its plan warned of: a line each, so that the
// verdict stays on a small screen. The report has them in full.
func (r *resulting) costs(s *drain.State) {
	name := "cost"
	if words := s.Losses().Words(); len(words) > 0 {
		r.add(name, themes.Warning, "Of the pods that are gone, by the plan: "+strings.Join(words, ", ")+".")
		name = ""
	}
	for _, l := range CostLines(s.Run.Findings) {
		r.lines = append(r.lines, append(paint.L(themes.Muted, "  "+name).Fit(entryWidth), l.Fit(max(20, r.width-entryWidth))...))
		name = ""
	}
}

// rest is what is left behind and where to read on.
func (r *resulting) rest(s *drain.State, undos []drain.Undo) {
	var nodes []string
	undo := false
	for _, u := range undos {
		if u.Left != "" {
			continue
		}
		undo = true
		if u.Node != "" && u.Cordon != nil && !u.Cordon.Unschedulable {
			nodes = append(nodes, u.Node)
		}
	}
	if len(nodes) > 0 {
		r.add("cordoned", themes.Text, List(nodes, 6)+", by this run.")
	}
	for _, b := range s.Budgets {
		if b.State == drain.BudgetLeft {
			r.add("left", themes.Warning, "Temporary budget "+b.Namespace+"/"+b.Name+" could not be removed"+tail(b.Message)+".")
		}
	}
	target := s.Run.Target()
	r.line("report", paint.T(target.Line("kdrain-tui report "+s.Run.ID)))
	switch {
	case len(nodes) > 0 && len(nodes) <= 3:
		r.line("undo", paint.T(target.Line("kdrain-tui rollback "+s.Run.ID)).Add(themes.Muted, ", or plainly ").
			Add(themes.Text, target.Line("kdrain-tui uncordon "+strings.Join(nodes, " "))))
	case undo:
		r.line("undo", paint.T(target.Line("kdrain-tui rollback "+s.Run.ID)))
	}
}

func verdict(s *drain.State, now time.Time) paint.Line {
	names, took := List(NodeNames(s), 4), Spell(RunTime(s, now))
	p := s.Progress("")
	gone := fmt.Sprintf("   %d of %s gone", p.Left, Count(p.Total, "pod"))
	switch s.Outcome {
	case drain.OutcomeDone:
		l := paint.L(themes.Good, paint.Good+" Drained "+names+" in "+took+".")
		if s.Losses().Any() {
			l = paint.L(themes.Warning, paint.Warn+" Drained "+names+" in "+took+".")
		}
		return l.Add(themes.Text, gone+".")
	case drain.OutcomePartly:
		if drained(s) == 0 {
			return paint.L(themes.Warning, paint.Warn+" Not drained: "+names+", after "+took+".").Add(themes.Text, gone+".")
		}
		return paint.L(themes.Warning, paint.Warn+" Partly drained "+names+" in "+took+".").Add(themes.Text, gone+".")
	case drain.OutcomeRefused:
		return paint.L(themes.Bad, paint.Bad+" Refused "+names+": nothing was changed.")
	case drain.OutcomeAborted:
		return paint.L(themes.Warning, paint.Warn+" Aborted "+names+" after "+took+".").Add(themes.Text, gone+".")
	case drain.OutcomeFailed:
		return paint.L(themes.Bad, paint.Bad+" Failed on "+names+" after "+took+".").Add(themes.Text, gone+".")
	}
	return paint.L(themes.Busy, paint.Play+" Still running on "+names+" after "+took+".").Add(themes.Text, gone+".")
}

func drained(s *drain.State) int {
	n := 0
	for _, node := range s.Nodes {
		if node.State == drain.NodeDrained {
			n++
		}
	}
	return n
}

// whyNot says in full sentences why nodes were not drained.
func whyNot(s *drain.State) []string {
	var said []string
	if s.Outcome == drain.OutcomeAborted {
		said = append(said, "The run was told to stop"+tail(s.Message)+". What was accepted before goes on.")
	}
	for _, n := range s.Nodes {
		how := ""
		switch {
		case n.Message == "" || s.Outcome == drain.OutcomeAborted && n.State == drain.NodeStopped:
			continue
		case n.State == drain.NodeRefused:
			how = " was refused and left untouched: "
		case n.State == drain.NodeFailed:
			how = " was not drained: "
		case n.State == drain.NodeStopped:
			how = " was left before it was drained: "
		default:
			continue
		}
		if said = append(said, n.Name+how+strings.TrimSuffix(n.Message, ".")+"."); len(said) == 5 {
			break
		}
	}
	if len(said) == 0 && s.Message != "" {
		said = append(said, FirstUpper(strings.TrimSuffix(s.Message, "."))+".")
	}
	return said
}

func slowest(s *drain.State) *drain.PodRun {
	var slow *drain.PodRun
	for _, p := range s.Pods {
		if p.Ended.IsZero() || p.Begun.IsZero() || !p.State.Left() {
			continue
		}
		if slow == nil || p.Ended.Sub(p.Begun) > slow.Ended.Sub(slow.Begun) {
			slow = p
		}
	}
	if slow != nil && slow.Ended.Sub(slow.Begun) < time.Second {
		return nil
	}
	return slow
}

func slowSentence(p *drain.PodRun) string {
	text := p.Namespace + "/" + p.Name + "  " + Spell(p.Ended.Sub(p.Begun))
	if p.Blocked >= time.Second {
		text += ", of which " + Spell(p.Blocked) + " blocked"
	}
	if p.Wait != nil && p.Wait.Budget != nil {
		text += " by budget " + p.Wait.Budget.Name
	}
	return text
}

func requests(s *drain.State) string {
	var parts []string
	for _, v := range []struct {
		verb drain.Verb
		noun string
	}{{drain.VerbEvict, "eviction"}, {drain.VerbDelete, "delete"}, {drain.VerbCordon, "cordon"}, {drain.VerbUncordon, "uncordon"}} {
		if n := s.Sent[v.verb]; n > 0 {
			parts = append(parts, Count(n, v.noun))
		}
	}
	if len(parts) == 0 {
		return "no write was sent"
	}
	return strings.Join(parts, ", ") + " sent for " + Count(s.Progress("").Total, "pod")
}

func nodeOutcomes(s *drain.State) paint.Line {
	var l paint.Line
	for i, n := range s.Nodes {
		if i > 0 {
			l = l.Add(themes.Text, "   ")
		}
		if i == 8 {
			return l.Add(themes.Muted, "and "+Number(len(s.Nodes)-i)+" more")
		}
		l = l.Add(themes.Text, n.Name+" ")
		switch n.State {
		case drain.NodeDrained:
			l = l.Add(themes.Good, paint.Good+" drained")
		case drain.NodeRefused:
			l = l.Add(themes.Bad, paint.Bad+" refused")
		case drain.NodeWaiting:
			l = l.Add(themes.Muted, paint.Hollow+" not begun")
		default:
			l = l.Add(themes.Warning, paint.Warn+" "+strings.ToLower(string(n.State)))
		}
	}
	return l
}

// notMoved are the pods that the run was to move and that are still where they
// were, what needs a look first. What stays by itself was never its job.
func notMoved(s *drain.State) []*drain.PodRun {
	left := slices.DeleteFunc(slices.Clone(s.Pods), func(p *drain.PodRun) bool {
		return !OfTheJob(p) || p.State.Left()
	})
	slices.SortStableFunc(left, CompareTrouble)
	return left
}

// leftSentence says why a pod is still where it was.
func leftSentence(p *drain.PodRun, now time.Time) string {
	if p.State.Final() {
		return endSentence(p)
	}
	return strings.TrimSpace(podWord(p) + ". " + FirstUpper(waitSentence(p, now)))
}

// OfTheJob tells whether the run was to move the pod.
func OfTheJob(p *drain.PodRun) bool {
	return p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse
}
