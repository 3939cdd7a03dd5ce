package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// ladderPage is the ladder of one pod of the run. Its rungs are worked out anew from
// every snapshot; only the rights are asked for once.
type ladderPage struct {
	list   list
	pod    kube.UID
	rungs  []drain.Rung
	rights []kube.AccessResult
}

// rightsMsg brings what we may do of what the rungs of a pod need.
type rightsMsg struct {
	pod     kube.UID
	results []kube.AccessResult
}

// rightsTime bounds the questions about rights.
const rightsTime = 20 * time.Second

func canLadder(m *Model) (bool, string) {
	if ok, why := can(drain.ControlClimb, true)(m); !ok {
		return ok, why
	}
	switch p := m.selectedRunPod(); {
	case p.State.Final():
		return false, "nothing more happens to it: it is " + podWord(p)
	case !p.State.Blocked() && p.State != drain.PodStuckTerminating && p.State != drain.PodTerminating:
		return false, "only a pod that is blocked or stuck has a ladder: this one is " + podWord(p)
	}
	return true, ""
}

// openLadder shows the ladder of the selected pod, and asks for the rights that its
// rungs need.
func (m *Model) openLadder() {
	m.runs.list.touched = true
	m.ladder = ladderPage{pod: m.selectedRunPod().UID}
	m.rebuildLadder()
	m.show(pageLadder)
	access, pod := m.d.Access, m.ladder.pod
	needs := drain.Needs(m.ladder.rungs)
	if access == nil || len(needs) == 0 {
		return
	}
	ctx := m.ctx
	m.queue(m.d.Crash.guard("the rights for the ladder", func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, rightsTime)
		defer cancel()
		// What cannot be asked stays open: the server judges then.
		results, _ := access(ctx, needs)
		return rightsMsg{pod, results}
	}))
}

func (m *Model) takeRights(msg rightsMsg) {
	if msg.pod == m.ladder.pod {
		m.ladder.rights = msg.results
		m.rebuildLadder()
	}
}

// rebuildLadder works the rungs out anew.
func (m *Model) rebuildLadder() {
	if m.last == nil {
		return
	}
	m.ladder.rungs = drain.Ladder(m.last, m.snap, m.ladder.pod, m.now)
	drain.Withhold(m.ladder.rungs, m.ladder.rights)
	keys := make([]string, len(m.ladder.rungs))
	for i, r := range m.ladder.rungs {
		keys[i] = string(r.Kind)
	}
	m.ladder.list.table.SetKeys(keys)
}

func (m *Model) rung(kind string) *drain.Rung {
	for i := range m.ladder.rungs {
		if string(m.ladder.rungs[i].Kind) == kind {
			return &m.ladder.rungs[i]
		}
	}
	return nil
}

func (m *Model) settleLadder() {
	m.rebuildLadder()
	m.ladder.list.settle(m.lay, []table.Column{
		{ID: "rung", Title: "RUNG", Width: 60, Min: 53, Grow: true}, // the words stand in full in the question
		{ID: "word", Title: "CONFIRMED BY", Width: 26, Min: 16, Drop: 1, Grow: true, Max: 48},
	}, func(key string) int {
		if page.RungLine(m.rung(key)) == nil {
			return 1
		}
		return 2
	})
}

func (m *Model) viewLadder() pageView {
	v := pageView{list: &m.ladder.list, empty: paint.L(themes.Muted, "The pod is not in the run any more.")}
	p := (*drain.PodRun)(nil)
	if m.last != nil {
		p = m.last.Pod(m.ladder.pod)
	}
	v.left = paint.L(themes.Title, "Ladder")
	if p == nil {
		return v
	}
	v.left = v.left.Add(themes.Text, "  "+p.Namespace+"/"+p.Name).Add(themes.Muted, " on "+p.Node)
	v.right = page.PodState(p).Add(themes.Muted, " "+page.PodFor(p, m.now))
	v.head = paint.Wrap(page.PodRunSentence(p, m.now), m.width-2)
	if most := max(1, (m.height-18)/3); len(v.head) > most { // the rungs come first
		v.head = v.head[:most]
	}
	v.head = append(v.head, nil)
	v.cell = func(key, column string, width int) paint.Line { return page.RungCell(m.rung(key), column, width) }
	v.extra = func(key string) paint.Line { return page.RungLine(m.rung(key)) }
	if r := m.rung(m.ladder.list.table.Cursor()); r != nil {
		v.subject, v.detail = string(r.Kind), page.RungRisk(r)
	}
	return v
}

func canClimb(m *Model) (bool, string) {
	if ok, why := can(drain.ControlClimb, true)(m); !ok {
		return ok, why
	}
	r := m.rung(m.ladder.list.table.Cursor())
	switch {
	case m.d.ReadOnly:
		return false, "read only: no rung can be taken"
	case r == nil:
		return false, "there is no rung to take"
	case r.Off != "":
		return false, r.Off
	}
	return true, ""
}

// askToClimb asks for the word of the selected rung, beside the request that it sends.
func (m *Model) askToClimb() {
	r := *m.rung(m.ladder.list.table.Cursor())
	if r.Kind == drain.RungWait {
		m.show(pageRun)
		return
	}
	d := dialog.Typed("climb", page.FirstUpper(r.Title)+"?", r.Word, string(r.Kind), page.RungQuestion(&r)...)
	d.Command = m.target().Line(r.Command)
	o := m.open(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		m.run.Send(drain.Control{Kind: drain.ControlClimb, Pod: r.Pod, Rung: r.RungFacts, Word: a.Text, OnScreen: true, By: m.d.Identity.User})
		m.show(pageRun)
	})
	// What is asked for must stay what it was: else the question goes away.
	o.stale = func() bool {
		m.rebuildLadder()
		now := m.rung(string(r.Kind))
		switch {
		case !m.live() || now == nil:
			return true
		case now.Off == drain.OffOnItsWay: // a try of the run itself; its answer is here in a moment
			return false
		}
		return now.Off != "" || now.RungFacts != r.RungFacts
	}
}

func hasRungCommand(m *Model) (bool, string) {
	r := m.rung(m.ladder.list.table.Cursor())
	switch {
	case r == nil || r.Command == "":
		return false, "kubectl has no word for that"
	case r.Off != "":
		return false, "off: " + r.Off
	}
	return true, ""
}

// copyRung offers the selected rung as a kubectl command.
func (m *Model) copyRung() {
	m.showKubectl(m.target().Line(m.rung(m.ladder.list.table.Cursor()).Command))
}
