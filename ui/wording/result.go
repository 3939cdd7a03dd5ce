package wording

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Result is how a run ended, in at most that many lines that stay on the screen: where not
// all have room, those that matter least are left out. Undos are what a rollback would find
// now, so that nothing is offered that is not there; safe says whether the drained nodes are
// safe to power off now, nil where that is only known of the end of the run.
func Result(s *drain.State, sum report.Summary, undos []rollback.Undo, safe []paint.Line, width,
	most int) []paint.Line {
	r := resulting{width: width, lines: paint.Wrap(headline(sum), width)}
	r.add("why", themes.Text, whyNot(s)...)
	if safe != nil {
		sum.PowerOff = nil
	}
	r.usual(s, sum)
	for i, l := range safe {
		r.line(map[bool]string{true: "power off"}[i == 0], l)
	}
	if left := notMoved(s, sum); len(left) > 0 {
		names := make([]string, len(left))
		for i, p := range left {
			names[i] = p.Namespace + "/" + p.Name + " (" + PodWord(p) + ")"
		}
		r.add("not moved", themes.Warning, format.List(names, 4)+".")
	}
	r.rest(s, undos)
	return r.fit(most)
}

// maxListed bounds the pods that the printed result names one by one.
const maxListed = 5

// ResultText is the result as plain text for the normal screen; it says of each
// pod that did not move why.
func ResultText(s *drain.State, undos []rollback.Undo, width int, now time.Time) string {
	sum := report.OfState(s).Summary()
	sum.Replaced = sum.AtEnd(s.Outcome)
	r := resulting{width: width, lines: paint.Wrap(headline(sum), width)}
	r.add("why", themes.Text, whyNot(s)...)
	if sum.Outage != "" {
		r.add("outage", themes.Warning, FirstUpper(sum.Outage)+".")
	}
	r.usual(s, sum)
	left := notMoved(s, sum)
	for i, p := range left {
		if i == maxListed {
			r.add("", themes.Text, "and "+format.Count(len(left)-i, "more pod")+".")
			break
		}
		r.add(map[bool]string{true: "not moved"}[i == 0], themes.Text,
			p.Namespace+"/"+p.Name+": "+leftSentence(s, p, now))
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
	of    []string // the entry of each line that add made
	at    string   // the present entry
}

// leaveOut are the entries that give way in a small frame, first those that matter least:
// the rows below say it too, or the report does.
var leaveOut = []string{"requests", "slowest", "report", "or", "cordoned", "not moved", "remedies", "nodes", "replaced",
	"cost", "unready", "why"}

// fit leaves entries out until there are at most that many lines.
func (r *resulting) fit(most int) []paint.Line {
	head := len(r.lines) - len(r.of) // the verdict, which stays
	lines := r.lines
	for n := 0; n <= len(leaveOut); n++ {
		lines = r.lines[:head:head]
		for i, l := range r.lines[head:] {
			if !slices.Contains(leaveOut[:n], r.of[i]) {
				lines = append(lines, l)
			}
		}
		if len(lines) <= most {
			break
		}
	}
	return lines
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
		r.append(name, part)
	}
}

// append adds a line to the entry of that name, "" for the present one.
func (r *resulting) append(name string, l paint.Line) {
	if name != "" {
		r.at = name
	}
	r.lines = append(r.lines, append(paint.L(themes.Muted, "  "+name).Fit(entryWidth), l...))
	r.of = append(r.of, r.at)
}

// usual is what every result says of its pods.
func (r *resulting) usual(s *drain.State, sum report.Summary) {
	if sum.Slowest != "" {
		r.add("slowest", themes.Text, sum.Slowest)
	}
	r.add("requests", themes.Text, sum.Requests)
	for i, remedy := range s.Remedies {
		l := paint.T(remedy.For + ": " + remedy.What() + ", " + remedy.State.Words() + Tail(remedy.Message))
		r.append(map[bool]string{true: "remedies"}[i == 0], l.Fit(max(20, r.width-entryWidth)))
	}
	r.line("nodes", nodeOutcomes(s))
	if len(sum.Unready) > 0 {
		r.add("replaced", themes.Text, sum.Replaced)
	}
	for i, f := range sum.Unready {
		if i == maxListed {
			r.add("", themes.Text, "and "+format.Number(len(sum.Unready)-i)+" more.")
			break
		}
		r.append(map[bool]string{true: "unready"}[i == 0], paint.L(marks[f.Level].token, f.Text).
			Fit(max(20, r.width-entryWidth)))
	}
	r.costs(s, sum)
	for _, f := range sum.PowerOff {
		r.add("power off", marks[f.Level].token, f.Text+".")
	}
}

// costs are what the run cost, and what its plan warned of: a line each, so that the
// verdict stays on a small screen. The report has them in full.
func (r *resulting) costs(s *drain.State, sum report.Summary) {
	name := "cost"
	if len(sum.Costs) > 0 {
		r.add(name, themes.Warning, Sentence(strings.Join(sum.Costs, "; ")))
		name = ""
	}
	for _, l := range CostLines(s.Run.Findings) {
		r.append(name, l.Fit(max(20, r.width-entryWidth)))
		name = ""
	}
}

// rest is what is left behind and where to read on.
func (r *resulting) rest(s *drain.State, undos []rollback.Undo) {
	nodes := rollback.Uncordons(undos)
	if len(nodes) > 0 {
		r.add("cordoned", themes.Text, format.List(nodes, 6)+", by this run.")
	}
	for _, b := range s.Budgets {
		if b.State == tempbudget.Orphaned {
			r.add("left", themes.Warning, "Temporary budget "+b.Namespace+"/"+b.Name+" could not be removed"+
				Tail(b.Message)+".")
		}
	}
	target := s.Run.Target()
	r.line("report", paint.T(target.Line("kdrain-tui report "+s.Run.ID)))
	if slices.ContainsFunc(undos, func(u rollback.Undo) bool { return u.Left == "" }) {
		r.line("undo", paint.T(target.Line("kdrain-tui rollback "+s.Run.ID)))
	}
	if len(nodes) > 0 && len(nodes) <= 3 {
		r.line("or", paint.T(target.Line("kdrain-tui uncordon "+strings.Join(nodes, " "))))
	}
}

// headline says how the run ended.
func headline(sum report.Summary) paint.Line {
	mark := marks[sum.Verdict.Level]
	l := paint.L(mark.token, mark.glyph+" "+sum.Verdict.Text+".")
	if sum.Gone == "" {
		return l
	}
	return l.Add(themes.Text, "   "+sum.Gone+".")
}

// marks are those of the facts of a report.
var marks = map[report.Level]struct {
	token paint.Token
	glyph string
}{
	report.Good: {themes.Good, paint.Good}, report.Warning: {themes.Warning, paint.Warn}, report.Bad: {themes.Bad, paint.Bad},
	report.Busy: {themes.Busy, paint.Play}, report.Plain: {themes.Text, ""},
}

// whyNot says in full sentences why nodes were not drained.
func whyNot(s *drain.State) []string {
	var said []string
	if s.Outcome == drain.OutcomeAborted {
		said = append(said, "The run was aborted"+Tail(s.Message)+".")
		if slices.ContainsFunc(s.Pods, func(p *eviction.Record) bool { return p.State.Ends() }) {
			said[0] += " Accepted evictions finish."
		}
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

func nodeOutcomes(s *drain.State) paint.Line {
	var l paint.Line
	for i, n := range s.Nodes {
		if i > 0 {
			l = l.Add(themes.Text, "   ")
		}
		if i == 8 {
			return l.Add(themes.Muted, "and "+format.Number(len(s.Nodes)-i)+" more")
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
			l = l.Add(themes.Warning, paint.Warn+" "+report.NodeWord(n.State, s.Outcome == "" && !s.Suspended))
		}
	}
	return l
}

// notMoved are the pods that the run was to move and that are still where they were,
// what needs a look first.
func notMoved(s *drain.State, sum report.Summary) []*eviction.Record {
	var left []*eviction.Record
	for _, p := range sum.Unmoved {
		left = append(left, s.Pod(kube.UID(p.UID)))
	}
	slices.SortStableFunc(left, CompareTrouble)
	return left
}

// leftSentence says why a pod is still where it was. What it waited for was looked at until its node was
// given up, and may be otherwise by now.
func leftSentence(s *drain.State, p *eviction.Record, now time.Time) string {
	if p.State.Final() {
		return endSentence(p)
	}
	n := s.Node(p.Node)
	stale := n != nil && !n.Ended.IsZero()
	if stale {
		now = n.Ended
	}
	wait := waitSentence(p, now)
	switch {
	case wait == "":
		return PodWord(p) + "."
	case stale:
		return PodWord(p) + ", by what was seen last: " + wait
	}
	return PodWord(p) + ". " + FirstUpper(wait)
}

// ofTheJob reports whether the run was to move the pod.
func ofTheJob(p *eviction.Record) bool {
	return p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse
}
