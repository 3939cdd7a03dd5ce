package ui

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

const questionDialog = "question"

// question brings what the run asks before the operator, once; a question that
// was put away waits on the run page.
func (m *Model) question() {
	q := m.last.Question
	if q == nil {
		m.asked = nil
		return
	}
	if m.owed == m.run && q.Phase == drain.PhaseCordon && q.Word == "" {
		// Starting the run was the yes to this very question.
		m.owed = nil
		m.asked = q
		m.run.Send(drain.Confirm{Phase: q.Phase, By: m.d.Identity.User})
		return
	}
	if m.d.ReadOnly || m.asked != nil && sameQuestion(m.asked, q) {
		return
	}
	m.asked = q
	m.openQuestion(q)
}

func sameQuestion(a, b *drain.Question) bool {
	return a.Phase == b.Phase && a.Word == b.Word && a.Since.Equal(b.Since)
}

func (m *Model) reopenQuestion() {
	if m.d.ReadOnly {
		m.refuse("read only: the run's questions are answered elsewhere")
		return
	}
	m.asked = m.last.Question
	m.openQuestion(m.last.Question)
}

// openQuestion looks at the plan first where evictions are asked for.
func (m *Model) openQuestion(q *drain.Question) {
	if q.Phase == drain.PhaseEvict && len(m.confirmed.Nodes) > 0 {
		m.check(m.confirmed, q, "", false)
		return
	}
	m.putQuestion(q, nil)
}

// putQuestion opens the dialog. It opened by itself, so keys that were on
// their way to the page below are not answers.
func (m *Model) putQuestion(q *drain.Question, changes []page.Change) {
	if m.isOpen(questionDialog) || !m.asks(q) {
		return
	}
	body := append(driftLines(changes), m.questionBody(q)...)
	title := page.FirstUpper(string(q.Phase)) + "?"
	label := string(q.Phase)
	if q.Phase == drain.PhaseGuard {
		title, label = "Make temporary budgets?", "go on"
	}
	if q.Phase == drain.PhaseEvict {
		title = "Evict " + page.Count(m.last.Progress("").Total, "pod") + " from " + page.List(m.nodesAtWork(), 2) + "?"
	}
	d := dialog.Confirm(questionDialog, title, label, true, body...)
	if q.Word != "" {
		d = dialog.Typed(questionDialog, title, q.Word, label, body...)
	}
	d.Auto = true
	if q.Phase == drain.PhaseEvict {
		d.Command = page.Kubectl(m.last.Run.Target(), m.nodesAtWork(), m.last.Run.Options)
	}
	o := m.open(d, func(a dialog.Answer) {
		switch {
		case a.Value != dialog.Accept:
			m.say("The run waits. enter asks again, A aborts.")
		case q.Phase == drain.PhaseEvict && len(m.confirmed.Nodes) > 0:
			m.check(m.confirmed, q, a.Text, true)
		default:
			m.confirmQuestion(q, a.Text)
		}
	})
	o.stale = func() bool { return !m.asks(q) }
	m.show(pageRun)
}

// asks tells whether the run still waits for the answer to this question.
func (m *Model) asks(q *drain.Question) bool {
	return m.live() && m.last.Question != nil && sameQuestion(m.last.Question, q)
}

// guardBudgets are the budgets that a yes would make. The run's own rules say
// which: they are played on the snapshot, and what they send is thrown away.
func (m *Model) guardBudgets(q *drain.Question) []drain.BudgetFacts {
	out := drain.Step(m.last, m.snap, []drain.Input{drain.Confirm{Phase: q.Phase, Word: q.Word}}, m.now)
	var budgets []drain.BudgetFacts
	for _, e := range out.Events {
		if e.Kind == drain.EventBudget && e.BudgetState == drain.BudgetPlanned && e.Budget != nil {
			budgets = append(budgets, *e.Budget)
		}
	}
	return budgets
}

// guardKinds are what the rules of the guard look at.
var guardKinds = []kube.Kind{kube.KindPods, kube.KindBudgets, kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets}

func (m *Model) questionBody(q *drain.Question) []paint.Line {
	if q.Phase == drain.PhaseGuard {
		return page.GuardQuestion(m.guardBudgets(q), m.last.Run.Options.Guard, m.snap.Trusted(guardKinds...))
	}
	if q.Phase != drain.PhaseEvict {
		return []paint.Line{paint.T("The run goes on with " + string(q.Phase) + " on " + page.List(page.NodeNames(m.last), 6) + ".")}
	}
	body := []paint.Line{paint.L(themes.Muted, "nodes   ").Add(themes.Accent, page.List(m.nodesAtWork(), 8)),
		paint.L(themes.Muted, "context ").Add(themes.Accent, m.last.Run.Context)}
	if len(m.confirmed.Nodes) > 0 {
		touched := openPart(m.confirmed)
		body = append(body, nil, page.PlanSummary(touched))
		body = append(body, costLines(touched)...)
	}
	return body
}

// nodesAtWork are the nodes of the run on which something can still happen.
func (m *Model) nodesAtWork() []string {
	return m.nodesIn(func(s drain.NodeState) bool { return !s.Final() })
}

// nodesTouched are the nodes of the run but those that it refused.
func (m *Model) nodesTouched() []string {
	return m.nodesIn(func(s drain.NodeState) bool { return s != drain.NodeRefused })
}

func (m *Model) nodesIn(state func(drain.NodeState) bool) []string {
	var names []string
	for _, n := range m.last.Nodes {
		if state(n.State) {
			names = append(names, n.Name)
		}
	}
	return names
}

// takeCheckedQuestion goes on with a question after a look at the plan.
func (m *Model) takeCheckedQuestion(msg checkedMsg) {
	if !m.asks(msg.question) {
		return
	}
	if msg.err == nil {
		m.confirmed = msg.fresh
	}
	grave := page.Grave(msg.changes)
	switch {
	case !msg.confirm:
		m.putQuestion(msg.question, grave)
	case msg.err != nil:
		m.fail("Nothing was sent: " + msg.err.Error())
	case msg.untrue != "":
		m.fail("Nothing was sent: " + msg.untrue + "; enter asks again")
	case len(grave) > 0:
		m.putQuestion(msg.question, grave)
	default:
		m.confirmQuestion(msg.question, msg.word)
	}
}

func (m *Model) confirmQuestion(q *drain.Question, word string) {
	if m.asks(q) {
		m.run.Send(drain.Confirm{Phase: q.Phase, Word: word, By: m.d.Identity.User})
	}
}
