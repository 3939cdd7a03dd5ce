package run

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// RemediesPage shows the remedies for one pod of the run. Its remedies are worked out from every
// snapshot; only the rights are asked for once.
type RemediesPage struct {
	shell    frame.Shell
	s        *frame.Session
	list     frame.List
	pod      kube.UID
	remedies []remedy.Remedy
	rights   []request.AccessResult
}

// NewRemedies makes the page.
func NewRemedies(shell frame.Shell) *RemediesPage {
	return &RemediesPage{shell: shell, s: shell.Session()}
}

// List makes it a page with a table.
func (m *RemediesPage) List() *frame.List { return &m.list }

// Sorts are none: the order has a meaning.
func (m *RemediesPage) Sorts() []frame.Sort { return nil }

// Update takes the rights, and works the remedies out from what is new.
func (m *RemediesPage) Update(msg tea.Msg) {
	if msg, ok := msg.(rightsMsg); ok && msg.pod == m.pod {
		m.rights = msg.results
		m.Rebuild()
	}
}

// Actions are what keys do on the page of remedies.
func (m *RemediesPage) Actions() []keys.Action {
	const group = "Run"
	return []keys.Action{
		{ID: "apply", Keys: []string{"enter"}, Title: "apply the remedy",
			Help: "apply the selected remedy, after its own confirmation", Group: group,
			Enabled: m.canRemediate, Do: m.askToRemediate},
		{ID: "remedykubectl", Keys: []string{"y"}, Title: "copy as kubectl",
			Help: "copy the selected remedy as a kubectl command, and show it", Group: group,
			Enabled: m.hasRemedyCommand, Do: m.copyRemedy},
	}
}

// rightsMsg brings what we may do of what the remedies of a pod need.
type rightsMsg struct {
	pod     kube.UID
	results []request.AccessResult
}

// rightsTime bounds the questions about rights.
const rightsTime = 20 * time.Second

func (m *Page) canRemedies() (bool, string) {
	if ok, why := m.can(drain.CommandRemedy, true)(); !ok {
		return ok, why
	}
	switch p := m.selectedRunPod(); {
	case p.State.Final():
		return false, "nothing more happens to it: it is " + wording.PodWord(p)
	case !p.State.Blocked() && p.State != eviction.StuckTerminating && p.State != eviction.Terminating:
		return false, "only a pod that is blocked or stuck has remedies: this one is " + wording.PodWord(p)
	}
	return true, ""
}

// openRemedies shows the remedies for the selected pod.
func (m *Page) openRemedies() {
	m.list.Touched = true
	m.shell.Open(frame.Ref{Page: frame.Remedies, Pod: frame.PodRef{UID: m.selectedRunPod().UID}})
}

// Opened begins with another pod, and asks for the rights that its remedies need.
func (m *RemediesPage) Opened(ref frame.Ref) {
	*m = RemediesPage{shell: m.shell, s: m.s, pod: ref.Pod.UID}
	m.Rebuild()
	cluster, pod, needs := m.s.Cluster, m.pod, remedy.Needs(m.remedies)
	if cluster == nil || len(needs) == 0 {
		return
	}
	m.shell.Go("the rights for the remedies", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, rightsTime)
		defer cancel()
		// What cannot be asked stays open: the server judges then.
		results, _ := cluster.CheckAccess(ctx, needs)
		return rightsMsg{pod, results}
	})
}

// remediesOf are the remedies of a pod. The process of a run that is only watched is asked
// as by ctl: it takes what its flags permit.
func remediesOf(s *frame.Session, pod kube.UID) []remedy.Remedy {
	remedies := drain.Remedies(s.State, s.Snap, pod, s.Now)
	if _, watched := s.Run.(live.Foreign); watched {
		remedy.Unattended(remedies, &s.State.Run.Options)
	}
	return remedies
}

// Rebuild works the remedies out.
func (m *RemediesPage) Rebuild() {
	if m.s.State == nil {
		return
	}
	m.remedies = remediesOf(m.s, m.pod)
	remedy.DisableForbidden(m.remedies, m.rights)
	keys := make([]string, len(m.remedies))
	for i, r := range m.remedies {
		keys[i] = string(r.Kind)
	}
	m.list.Table.SetKeys(keys)
}

func (m *RemediesPage) remedy(kind string) *remedy.Remedy {
	for i := range m.remedies {
		if string(m.remedies[i].Kind) == kind {
			return &m.remedies[i]
		}
	}
	return nil
}

// Layout works the remedies out and fits the columns.
func (m *RemediesPage) Layout(lay frame.Layout) {
	m.Rebuild()
	m.list.Layout(lay, []table.Column{
		{ID: "remedy", Title: "REMEDY", Width: 56, Min: 53}, // the words stand in full in the question
		{ID: "word", Title: "CONFIRMED BY", Width: 26, Min: 16, Drop: 1, Grow: true},
	}, nil)
}

// View is the list of remedies.
func (m *RemediesPage) View() frame.View {
	v := frame.View{Empty: paint.L(themes.Muted, "The pod is no longer in the run.")}
	p := (*eviction.Record)(nil)
	if m.s.State != nil {
		p = m.s.State.Pod(m.pod)
	}
	v.Left = paint.L(themes.Title, "Remedies")
	if p == nil {
		return v
	}
	v.Left = v.Left.Add(themes.Text, "  "+p.Namespace+"/"+p.Name).Add(themes.Muted, " on "+p.Node)
	v.Right = wording.PodState(p).Add(themes.Muted, " "+podFor(p, m.s.Now))
	v.Head = paint.Wrap(wording.PodRunSentence(p, m.s.Now), m.s.Width-2)
	if most := max(1, (m.s.Height-18)/3); len(v.Head) > most { // the remedies come first
		v.Head = v.Head[:most]
	}
	v.Head = append(append(v.Head, m.finalizerLines(p)...), nil)
	v.Cell = func(key, column string, width int) paint.Line { return remedyCell(m.remedy(key), column, width) }
	if r := m.remedy(m.list.Table.Cursor()); r != nil {
		v.Subject, v.Detail = string(r.Kind), remedyDetail(r)
	}
	return v
}

func (m *RemediesPage) canRemediate() (bool, string) {
	if ok, why := applies(m.s, drain.CommandRemedy, &eviction.Record{Facts: eviction.Facts{UID: m.pod}}); !ok {
		return ok, why
	}
	r := m.remedy(m.list.Table.Cursor())
	switch {
	case m.s.ReadOnly:
		return false, "read only: no remedy can be applied"
	case r == nil:
		return false, "there is no remedy to apply"
	case r.DisabledReason != "":
		return false, r.DisabledReason
	}
	return true, ""
}

// askToRemediate asks for the word of the selected remedy.
func (m *RemediesPage) askToRemediate() {
	r := *m.remedy(m.list.Table.Cursor())
	if r.Kind == remedy.Wait {
		m.shell.Open(frame.Ref{Page: frame.Run})
		return
	}
	askToApply(m.shell, r, func() *remedy.Remedy {
		m.Rebuild()
		return m.remedy(string(r.Kind))
	})
}

// askToApply asks for the word of a remedy, beside the request that it sends. now is the
// same remedy as it is at that moment, nil where there is none.
func askToApply(shell frame.Shell, r remedy.Remedy, now func() *remedy.Remedy) {
	s := shell.Session()
	d := dialog.Typed("remedy", wording.FirstUpper(r.Title)+"?", r.Word, deeds[r.Kind], remedyQuestion(&r)...)
	d.Command = s.Target().Line(r.Command)
	o := shell.Ask(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		s.Run.Send(drain.Command{Kind: drain.CommandRemedy, Pod: r.Pod, Remedy: r.Facts, Word: a.Text, OnScreen: true,
			By: s.Identity.User})
		shell.Open(frame.Ref{Page: frame.Run})
	})
	// What is asked for must stay what it was: else the question goes away.
	o.Stale = func() bool {
		now := now()
		switch {
		case !s.Live() || now == nil:
			return true
		case now.DisabledReason == remedy.OffOnItsWay: // a try of the run itself; its answer is here in a moment
			return false
		}
		return now.DisabledReason != "" || now.Facts != r.Facts
	}
}

func (m *RemediesPage) hasRemedyCommand() (bool, string) {
	r := m.remedy(m.list.Table.Cursor())
	switch {
	case r == nil || r.Command == "":
		return false, "kubectl has no command for that"
	case r.DisabledReason != "":
		return false, "not available: " + r.DisabledReason
	}
	return true, ""
}

// copyRemedy offers the selected remedy as a kubectl command.
func (m *RemediesPage) copyRemedy() {
	m.shell.ShowCommand(m.s.Target().Line(m.remedy(m.list.Table.Cursor()).Command))
}
