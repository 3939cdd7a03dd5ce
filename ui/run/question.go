package run

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

const questionDialog = "question"

// question brings what the run asks before the operator, once; a question that
// was put away waits on the run page.
func (m *Page) question() {
	q := m.s.State.Question
	if q == nil {
		m.asked = nil
		return
	}
	if m.owed && q.Phase == drain.PhaseCordon && q.Word == "" {
		// Starting the run was the yes to this very question.
		m.owed = false
		m.asked = q
		m.s.Run.Send(drain.Confirm{Phase: q.Phase, By: m.s.Identity.User})
		return
	}
	if m.s.ReadOnly || m.s.Foreign || m.asked != nil && sameQuestion(m.asked, q) {
		return
	}
	m.asked = q
	m.openQuestion(q)
}

func sameQuestion(a, b *drain.Question) bool {
	return a.Phase == b.Phase && a.Word == b.Word && a.Since.Equal(b.Since)
}

func (m *Page) reopenQuestion() {
	if m.s.ReadOnly {
		m.shell.Refuse("read only: the run's questions are answered elsewhere")
		return
	}
	m.asked = m.s.State.Question
	m.openQuestion(m.s.State.Question)
}

// openQuestion compares the plan with the cluster before it asks for evictions. This process has no plan of a run that
// another process began: it makes one of the pods that are left.
func (m *Page) openQuestion(q *drain.Question) {
	if q.Phase != drain.PhaseEvict {
		m.putQuestion(q, nil)
		return
	}
	shown := m.confirmed
	if len(shown.Nodes) == 0 {
		shown.Options = m.s.State.Run.Options
		for _, name := range nodesAtWork(m.s.State) {
			shown.Nodes = append(shown.Nodes, plan.Node{Name: name})
		}
	}
	confirm.Check(m.shell, confirm.Request{Shown: shown, Question: q})
}

// putQuestion opens the dialog. It opened by itself, so keys that were on
// their way to the page below are not answers.
func (m *Page) putQuestion(q *drain.Question, changes []plan.Change) {
	if m.shell.Asking(questionDialog) || !asks(m.s, q) {
		return
	}
	body := append(confirm.DriftLines(changes), m.questionBody(q)...)
	title := wording.FirstUpper(string(q.Phase)) + "?"
	label := string(q.Phase)
	if q.Phase == drain.PhaseGuard {
		title, label = "Create temporary budgets?", "continue"
	}
	if q.Phase == drain.PhaseSurge {
		title = "Raise replicas until the pods have moved?"
	}
	if q.Phase == drain.PhaseEvict {
		title = "Evict " + format.Count(m.s.State.Progress("").Total, "pod") + " from " +
			format.List(nodesAtWork(m.s.State), 2) + "?"
	}
	d := dialog.Confirm(questionDialog, title, label, true, body...)
	if q.Word != "" {
		d = dialog.Typed(questionDialog, title, q.Word, label, body...)
	}
	d.Auto = true
	if q.Phase == drain.PhaseEvict {
		d.Command = wording.DrainLine(m.s.State.Run.Target(), nodesAtWork(m.s.State), m.s.State.Run.Options)
	}
	o := m.shell.Ask(d, func(a dialog.Answer) {
		switch {
		case a.Value != dialog.Accept:
			m.shell.Say("The run waits. enter asks again, A aborts.")
		case q.Phase == drain.PhaseEvict && len(m.confirmed.Nodes) > 0:
			confirm.Check(m.shell, confirm.Request{Shown: m.confirmed, Question: q, Word: a.Text, Confirm: true})
		default:
			m.confirmQuestion(q, a.Text)
		}
	})
	o.Stale = func() bool { return !asks(m.s, q) }
	m.shell.Open(frame.Ref{Page: frame.Run})
}

// asks reports whether the run still waits for the answer to this question.
func asks(s *frame.Session, q *drain.Question) bool {
	return s.Live() && s.State.Question != nil && sameQuestion(s.State.Question, q)
}

// guardBudgets are the budgets that a yes would make. The run's own rules say
// which: they are played on the snapshot, and what they send is thrown away.
func guardBudgets(s *frame.Session, q *drain.Question) []tempbudget.Facts {
	out := drain.Step(s.State, s.Snap, []drain.Input{drain.Confirm{Phase: q.Phase, Word: q.Word}}, s.Now)
	var budgets []tempbudget.Facts
	for _, e := range out.Events {
		if e.Kind == drain.EventBudget && e.BudgetState == tempbudget.Planned && e.Budget != nil {
			budgets = append(budgets, *e.Budget)
		}
	}
	return budgets
}

// guardKinds are what the rules of the guard look at.
var guardKinds = []kube.Kind{kube.KindPods, kube.KindBudgets, kube.KindReplicaSets, kube.KindDeployments,
	kube.KindStatefulSets}

func (m *Page) questionBody(q *drain.Question) []paint.Line {
	if q.Phase == drain.PhaseGuard {
		return guardQuestion(guardBudgets(m.s, q), m.s.State.Run.Options.Guard, m.s.Snap.Trusted(guardKinds...))
	}
	if q.Phase == drain.PhaseSurge {
		return surgeQuestion(m.s.State)
	}
	if q.Phase != drain.PhaseEvict {
		return []paint.Line{paint.T("The run continues with " + string(q.Phase) + " on " +
			format.List(wording.NodeNames(m.s.State), 6) + ".")}
	}
	body := []paint.Line{paint.L(themes.Muted, "nodes   ").Add(themes.Accent, format.List(nodesAtWork(m.s.State), 8)),
		paint.L(themes.Muted, "context ").Add(themes.Accent, m.s.State.Run.Context)}
	if len(m.confirmed.Nodes) > 0 {
		touched := m.confirmed.Open()
		body = append(body, nil, wording.PlanSummary(touched))
		body = append(body, confirm.CostLines(touched)...)
		o, n := touched.Options, verdict.OfPlan(&touched)
		if n.Of(plan.Waits)+n.Of(plan.Blocked) > 0 && o.ForceAfter == 0 && o.MaxEvictRetries == 0 {
			body = append(body, paint.L(themes.Muted, "What a budget holds is tried again, not forced."))
		}
	}
	return body
}

// surgeQuestion says which workloads are raised, by how many at a time.
func surgeQuestion(s *drain.State) []paint.Line {
	body := []paint.Line{paint.L(themes.Muted, "context ").Add(themes.Accent, s.Run.Context)}
	for _, r := range s.Surges {
		body = append(body, paint.T(r.Title()).Add(themes.Muted, ": "+format.Count(r.Pods, "pod")+
			" to move, at most "+format.Count(int(r.AtOnce), "replica")+" more at a time"))
	}
	return append(body, nil, paint.L(themes.Muted, "Replacements first: the replicas are set back when they are Ready, and the pods on the nodes are removed then."))
}

// onChecked goes on with a question after a look at the plan.
func (m *Page) onChecked(msg confirm.Checked) {
	if !asks(m.s, msg.Question) {
		return
	}
	grave := plan.Grave(msg.Changes)
	if len(m.confirmed.Nodes) == 0 { // nothing was shown before
		grave = nil
	}
	if msg.Err == nil {
		m.confirmed = msg.Fresh
	}
	switch {
	case !msg.Confirm:
		m.putQuestion(msg.Question, grave)
	case msg.Err != nil:
		m.shell.Fail("Nothing was sent: " + msg.Err.Error() + "; enter asks again")
	case len(grave) > 0:
		m.putQuestion(msg.Question, grave)
	default:
		m.confirmQuestion(msg.Question, msg.Word)
	}
}

func (m *Page) confirmQuestion(q *drain.Question, word string) {
	if asks(m.s, q) {
		m.s.Run.Send(drain.Confirm{Phase: q.Phase, Word: word, By: m.s.Identity.User})
	}
}
