package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Actions are what keys do on a plan.
func (m *Page) Actions() []keys.Action {
	const group = "Plan"
	findings := keys.Action{ID: "findings", Keys: []string{findingsKey}, Title: "findings", Group: group,
		Enabled: m.hasFindings,
		Help:    "all risks of the whole plan, in full, and what would help", Do: m.openFindings}
	pod := keys.Action{ID: "poddetail", Keys: []string{"enter"}, Title: "pod", Group: "Pod", Enabled: m.list.HasRow,
		Help: "the pod in full: conditions, events, logs, YAML", Do: m.openPod}
	fix := keys.Action{ID: "copyfix", Keys: []string{"Y"}, Group: group,
		Help: "copy the first command that would help the selected pod, and show it",
		Enabled: func() (bool, string) {
			return firstCommand(m.pods[m.list.Table.Cursor()]) != "", "no command would help this pod"
		},
		Do: func() { m.shell.ShowCommand(firstCommand(m.pods[m.list.Table.Cursor()])) }}
	if m.kind == frame.Pods {
		return []keys.Action{findings, fix, pod}
	}
	return []keys.Action{
		{ID: "drain", Keys: []string{"D"}, Title: "continue to cordon",
			Help: "cordon the nodes of the plan; evictions are confirmed separately", Group: group,
			Writes: true, Enabled: m.canDrain, Do: func() { m.goOn(m.plan) }},
		findings, fix, pod,
		{ID: "reorder", Keys: []string{"n"}, Title: "order as advised", Group: group, Enabled: m.canReorder,
			Do:   m.reorder,
			Help: "drain a node that another one waits for before it, as the findings advise"},
		{ID: "exclude", Keys: []string{"x"}, Title: "exclude", Group: group,
			Help: "leave the pod where it is, or take it into the drain again", Enabled: m.canExclude, Do: m.exclude},
	}
}

func (m *Page) canReorder() (bool, string) {
	_, better := preflight.Advised(&m.plan)
	return better, "no node waits for a later one"
}

// reorder plans again, in the order that the findings advise.
func (m *Page) reorder() {
	names, _ := preflight.Advised(&m.plan)
	m.shell.Open(frame.Ref{Page: m.kind, Nodes: names})
	m.shell.Say("in the order " + format.List(names, 8))
}

// canExclude reports whether the selected pod can be excluded, or is.
func (m *Page) canExclude() (bool, string) {
	if ok, why := m.list.HasRow(); !ok {
		return ok, why
	}
	p := m.pods[m.list.Table.Cursor()]
	switch {
	case m.s.Starting || m.s.Live():
		return false, "a run is active"
	case p.Action == plan.ActionSkip && !m.s.Options.Excludes(p.Namespace, p.Name):
		return false, "it stays anyway: " + wording.StayReason(p)
	}
	return true, ""
}

// exclude takes the selected pod out of the drain, or into it again.
func (m *Page) exclude() {
	if p, ok := m.pods[m.list.Table.Cursor()]; ok {
		m.shell.SetOptions(m.s.Options.TogglePod(p.Namespace, p.Name))
	}
}

// canDrain reports whether the plan can be gone on with.
func (m *Page) canDrain() (bool, string) {
	switch {
	case m.s.Cluster == nil:
		return false, "runs cannot be started here"
	case m.s.Starting:
		return false, "a run is being started"
	case m.s.Rolling():
		return false, "a roll is active: w shows it"
	case m.s.Live():
		return false, "a run is active: w shows it"
	case m.err != nil:
		return false, m.err.Error()
	case !m.has:
		return false, "the plan is not ready yet"
	case m.part != "":
		return false, "the plan is not complete yet: " + m.part
	}
	if ok, why := trusted(m.s.Snap); !ok {
		return ok, why
	}
	if ok, why := m.mayDrain(); !ok {
		return ok, why
	}
	if m.assumes() {
		return false, "--ignore-daemonsets --delete-emptydir-data are only assumed: a accepts them"
	}
	open, refused := len(confirm.OpenNodes(m.plan)), m.plan.Refused()
	switch {
	case slices.ContainsFunc(refused, func(r plan.RefusedNode) bool { return r.Along }):
		return false, "a node is refused, and --all-or-nothing is on"
	case open == 0:
		return false, "every node is refused: see the pods with " + paint.Bad + " and the options (o)"
	}
	return true, ""
}

// trusted reports whether what we see is true enough to act on it.
func trusted(s *kube.Snapshot) (bool, string) {
	switch h := s.Health(); {
	case !h.Live && !h.DownSince.IsZero():
		return false, "the API server is unreachable; the view may be out of date, so nothing can be confirmed"
	case !h.Live:
		return false, "not connected yet"
	}
	for _, k := range []kube.Kind{kube.KindNodes, kube.KindPods} {
		switch state := s.Sync(k); state.Phase {
		case kube.NotSynced:
			return false, "the " + string(k) + " are still being read, " + format.Number(state.Count) + " so far"
		case kube.Denied:
			return false, "the " + string(k) + " cannot be listed: " + state.Reason
		case kube.Stale:
			return false, "the " + string(k) + " are out of date: " + state.Reason
		}
	}
	return true, ""
}

// openPod opens the page of the selected pod.
func (m *Page) openPod() {
	uid := m.list.Table.Cursor()
	if pod, ok := m.pods[uid]; ok {
		m.shell.Open(frame.Ref{Page: frame.Pod, Pod: frame.PodRef{Namespace: pod.Namespace, Name: pod.Name,
			UID: pod.UID},
			PlannedPod: func() (plan.Pod, bool) { p, ok := m.pods[uid]; return p, ok }})
	}
}
