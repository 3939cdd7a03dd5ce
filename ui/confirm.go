package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// The way from a plan to a run: the operator confirms the plan that the screen
// shows; it is made anew from the newest snapshot; if it is still the same, the
// run starts, else the difference is shown and asked about. The run's question
// about the cordon is that same confirmation and is answered with it.

const cordonDialog = "cordon-and-start"

// checkedMsg brings a plan made anew at the moment of a confirmation.
type checkedMsg struct {
	question *drain.Question // nil: before a run is started
	word     string          // what was typed for the question; "" opens its dialog
	confirm  bool
	fresh    plan.Plan
	changes  []page.Change
	untrue   string // why the snapshot cannot be acted on
	err      error
}

type startedMsg struct {
	plan plan.Plan
	run  drain.Run
	err  error
}

// askToCordon asks for the cordon of a plan; changes are told first.
func (m *Model) askToCordon(shown plan.Plan, changes []page.Change) {
	open := openNodes(shown)
	title := "Cordon " + page.Count(len(open), "node") + " and go on?"
	if len(open) == 1 {
		title = "Cordon " + open[0] + " and go on?"
	}
	body := driftLines(changes)
	body = append(body, paint.L(themes.Accent, page.List(open, 60)))
	if gone := len(shown.Nodes) - len(open); gone > 0 {
		body = append(body, paint.L(themes.Warning, page.Count(gone, "node")+" refused and left untouched: "+page.List(refusedNodes(shown), 6)))
	}
	touched := openPart(shown)
	body = append(body, nil, page.PlanSummary(touched))
	body = append(body, costLines(touched)...)
	body = append(body, paint.L(themes.Muted, "No pod is touched yet: the evictions are asked for separately."))
	d := dialog.Confirm(cordonDialog, title, "cordon", false, body...)
	if grave := errorsOf(shown); len(grave) > 0 {
		d = dialog.Typed(cordonDialog, title, graveWord, "cordon", append(grave, body...)...)
	}
	d.Auto = len(changes) > 0
	d.Command = page.KubectlCordon(m.target(), open, true)
	m.open(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.starting = true
			m.check(shown, nil, "", true)
		}
	})
}

// graveWord is typed before a run of a plan with a finding that is an error.
// That is the last control plane, and no other question asks for this word.
const graveWord = "control-plane"

// errorsOf are the findings of a plan that nobody should go past by a plain yes.
func errorsOf(p plan.Plan) []paint.Line {
	var lines []paint.Line
	for _, f := range p.Findings {
		if f.Level == plan.LevelError && f.Code != preflight.FindingNodeHeld { // which has a question of its own
			lines = append(lines, paint.L(themes.Bad, paint.Bad+" "+page.FirstUpper(f.Message)+"."))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	return lines
}

func refusedNodes(p plan.Plan) []string {
	var names []string
	for _, n := range p.Nodes {
		if n.Counts().Refused > 0 {
			names = append(names, n.Name)
		}
	}
	return names
}

// driftLines say what changed since the plan was shown.
func driftLines(changes []page.Change) []paint.Line {
	if len(changes) == 0 {
		return nil
	}
	lines := []paint.Line{paint.L(themes.Warning, "The plan changed since you looked:")}
	for i, c := range changes {
		if i == 6 {
			lines = append(lines, paint.L(themes.Warning, "  and "+page.Count(len(changes)-i, "more change")))
			break
		}
		lines = append(lines, paint.L(themes.Warning, "  "+c.What))
	}
	return append(lines, nil)
}

// costLines are what the plan costs, for the questions about it: a red line for each
// option that costs data or protection, and every finding that is no mere information.
func costLines(p plan.Plan) []paint.Line {
	counts := map[plan.ReasonCode]int{}
	deleted := 0
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			if pod.Action != plan.ActionEvict && pod.Action != plan.ActionDelete {
				continue
			}
			if pod.Action == plan.ActionDelete {
				deleted++
			}
			for _, r := range pod.Reasons {
				counts[r.Code]++
			}
		}
	}
	var lines []paint.Line
	risk := func(is bool, words string) {
		if is {
			lines = append(lines, paint.L(themes.Bad, paint.Warn+" "+words))
		}
	}
	emptyDirs := counts[plan.ReasonEmptyDir]
	risk(emptyDirs > 0, plural(emptyDirs, "pod loses its emptyDir data", "pods lose their emptyDir data"))
	lost := p.Losses().Lost
	risk(lost > 0, plural(lost, "pod is lost: nothing starts it again", "pods are lost: nothing starts them again"))
	risk(deleted > 0, plural(deleted, "pod is deleted past all budgets", "pods are deleted past all budgets"))
	risk(p.Options.ForceAfter > 0 || p.Options.MaxEvictRetries > 0, "pods that stay blocked are deleted past their budgets")
	risk(p.Options.GracePeriodSeconds == 0, "no pod gets any time to end (--grace-period=0)")
	// What is grave has been said above, and a node that is held has a question of its own.
	return append(lines, page.CostLines(slices.DeleteFunc(slices.Clone(p.Findings), func(f plan.Finding) bool { return f.Level == plan.LevelError }))...)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return page.Number(n) + " " + many
}

// check makes a plan anew from the cluster as it is now and compares it with
// what was shown.
func (m *Model) check(shown plan.Plan, q *drain.Question, word string, confirm bool) {
	names := make([]string, len(shown.Nodes))
	for i, n := range shown.Nodes {
		names[i] = n.Name
	}
	o, now, source, plan, own := shown.Options, m.now, m.d.Source, m.d.NewPlan, ""
	if q != nil {
		own = m.last.Run.ID
	}
	m.queue(m.d.Crash.guard("the check of the plan", func() tea.Msg {
		msg := checkedMsg{question: q, word: word, confirm: confirm}
		snap := source.Snapshot()
		if !snap.Trusted(kube.KindNodes, kube.KindPods) {
			msg.untrue = "the view of the cluster is not true at this moment"
		}
		if msg.fresh, msg.err = plan(snap, names, o, now); msg.err != nil {
			return msg
		}
		msg.fresh.Findings = heldByOthersThan(own, msg.fresh, snap, now)
		base := shown
		if q != nil {
			base = sameCordons(shown, msg.fresh)
		}
		msg.changes = page.Drift(base, msg.fresh)
		return msg
	}))
}

// sameCordons is a plan with the cordons of another: those are what the run
// itself did meanwhile.
func sameCordons(p, other plan.Plan) plan.Plan {
	nodes := append([]plan.Node(nil), p.Nodes...)
	for i := range nodes {
		for _, o := range other.Nodes {
			if o.Name == nodes[i].Name {
				nodes[i].Unschedulable = o.Unschedulable
			}
		}
	}
	p.Nodes = nodes
	return p
}

func (m *Model) takeChecked(msg checkedMsg) {
	if msg.question != nil {
		m.takeCheckedQuestion(msg)
		return
	}
	switch grave := page.Grave(msg.changes); {
	case msg.err != nil:
		m.starting = false
		m.fail("Nothing was started: " + msg.err.Error())
	case msg.untrue != "":
		m.starting = false
		m.fail("Nothing was started: " + msg.untrue)
	case len(grave) > 0:
		m.starting = false
		if len(openNodes(msg.fresh)) == 0 {
			m.fail("Nothing was started: by now every node of the plan is refused")
			return
		}
		m.askToCordon(msg.fresh, grave)
	default:
		start, fresh := m.d.StartRun, msg.fresh
		m.queue(m.d.Crash.guard("the start of a run", func() tea.Msg {
			run, err := start(fresh, fresh.Options)
			return startedMsg{fresh, run, err}
		}))
	}
}

func (m *Model) takeStarted(msg startedMsg) {
	m.starting = false
	if msg.err != nil {
		m.fail("Nothing was started: " + msg.err.Error())
		return
	}
	m.confirmed = msg.plan
	m.owed = msg.run
	m.marks.Clear()
	m.attach(msg.run)
}
