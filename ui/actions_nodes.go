package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
)

var nodeSorts = page.NodeSorts

func clearScreen() tea.Msg { return tea.ClearScreen() }

func nodeActions() []action {
	const group = "Nodes"
	return []action{
		{ID: "plan", Keys: []string{"D"}, Title: "plan drain", Help: "show what a drain of the marked nodes would do, or of the selected one; changes nothing", Group: group,
			Pages: []keys.Page{pageNodes}, Enabled: hasTargets,
			Do: func(m *Model) { m.openPlan(&m.plan, m.targets()); m.show(pagePlan) }},
		{ID: "planone", Keys: []string{"D"}, Title: "plan drain", Help: "show what a drain of this node would do; changes nothing", Group: group, Pages: []keys.Page{pagePods},
			Do: func(m *Model) { m.openPlan(&m.plan, m.pods.nodes); m.show(pagePlan) }},
		{ID: "cordon", Keys: []string{"C"}, Title: "cordon", Help: "make the marked or selected nodes unschedulable", Group: group, Pages: []keys.Page{pageNodes},
			Writes: true, Enabled: canCordon(true), Do: func(m *Model) { m.askToSetCordon(true) }},
		{ID: "uncordon", Keys: []string{"U"}, Title: "uncordon", Help: "make the marked or selected nodes schedulable again", Group: group, Pages: []keys.Page{pageNodes},
			Writes: true, Enabled: canCordon(false), Do: func(m *Model) { m.askToSetCordon(false) }},
		{ID: "leftovers", Keys: []string{"B"}, Help: "remove temporary budgets that a run which is over left behind; lists them first", Group: group, Pages: []keys.Page{pageNodes},
			Writes: true, Enabled: hasLeftovers, Do: (*Model).askToRemoveLeftovers},
		{ID: "pods", Keys: []string{"enter"}, Title: "pods", Help: "the pods of the node, and what a drain would do with each", Group: group, Pages: []keys.Page{pageNodes}, Enabled: hasRow,
			Do: func(m *Model) { m.openPlan(&m.pods, []string{m.nodes.list.table.Cursor()}); m.show(pagePods) }},
	}
}

// targets are the nodes that an action is about: the marked ones, also those
// that a filter hides, else the selected one.
func (m *Model) targets() []string {
	if m.marks.Len() > 0 {
		return m.marks.Keys()
	}
	if c := m.nodes.list.table.Cursor(); c != "" {
		return []string{c}
	}
	return nil
}

func hasTargets(m *Model) (bool, string) {
	if len(m.targets()) == 0 {
		return false, "there is no node to act on"
	}
	return true, ""
}

// trusted tells whether what we see is true enough to act on it.
func (m *Model) trusted() (bool, string) {
	switch h := m.snap.Health(); {
	case !h.Live && !h.DownSince.IsZero():
		return false, "the API server is away: nothing can be confirmed on what is not known to be true"
	case !h.Live:
		return false, "not connected yet"
	}
	for _, k := range []kube.Kind{kube.KindNodes, kube.KindPods} {
		switch state := m.snap.Sync(k); state.Phase {
		case kube.NotSynced:
			return false, "the " + string(k) + " are still coming in, " + page.Number(state.Count) + " so far"
		case kube.Denied:
			return false, "the " + string(k) + " cannot be listed: " + state.Reason
		case kube.Stale:
			return false, "the " + string(k) + " are out of date: " + state.Reason
		}
	}
	return true, ""
}

// toSetCordon are the targets whose cordon would change.
func (m *Model) toSetCordon(unschedulable bool) []string {
	var change []string
	for _, name := range m.targets() {
		if n := m.snap.Node(name); n != nil && n.Unschedulable != unschedulable && !m.cordoning[name] {
			change = append(change, name)
		}
	}
	return change
}

func canCordon(unschedulable bool) func(*Model) (bool, string) {
	return func(m *Model) (bool, string) {
		if m.d.SetCordon == nil {
			return false, "cordoning is not available here"
		}
		if ok, why := hasTargets(m); !ok {
			return ok, why
		}
		if h := m.snap.Health(); !h.Live {
			return false, "the API server is away"
		}
		if len(m.toSetCordon(unschedulable)) == 0 {
			return false, map[bool]string{true: "already cordoned", false: "not cordoned"}[unschedulable] + ": " + page.List(m.targets(), 3)
		}
		if m.live() {
			for _, name := range m.toSetCordon(unschedulable) {
				if m.last.Node(name) != nil {
					return false, name + " belongs to the run that is going on"
				}
			}
		}
		return true, ""
	}
}
