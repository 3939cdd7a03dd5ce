package nodes

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// Actions are what keys do on the list of nodes.
func (m *Page) Actions() []keys.Action {
	const group, lists = "Nodes", "Lists"
	return []keys.Action{
		{ID: "cordon", Keys: []string{"C"}, Title: "cordon", Help: "make the marked or selected nodes unschedulable",
			Group:  group,
			Writes: true, Enabled: m.canCordon(true), Do: func() { m.askToSetCordon(true) }},
		{ID: "uncordon", Keys: []string{"U"}, Title: "uncordon",
			Help: "make the marked or selected nodes schedulable again", Group: group,
			Writes: true, Enabled: m.canCordon(false), Do: func() { m.askToSetCordon(false) }},
		{ID: "leftovers", Keys: []string{"B"},
			Help: "remove temporary budgets that an ended run left behind; lists them first", Group: group,
			Writes: true, Enabled: m.hasLeftovers, Do: m.askToRemoveLeftovers},
		{ID: "pods", Keys: []string{"enter"}, Title: "pods",
			Help: "the pods of the node, and what a drain would do with each", Group: group, Enabled: m.hasRow,
			Do: func() { m.shell.Open(frame.Ref{Page: frame.Pods, Nodes: []string{m.list.Table.Cursor()}}) }},
		{ID: "mark", Keys: []string{"space"}, Title: "mark", Help: "mark or unmark the node", Group: lists,
			Enabled: m.hasRow,
			Do:      func() { m.marks.Toggle(m.list.Table.Cursor()); m.list.Move(1) }},
		{ID: "turnearlier", Keys: []string{"["}, Title: "earlier", TitleNow: m.orderTitle("earlier"), Group: lists,
			Help: "drain the selected node before the one that is marked before it", Enabled: m.canMove,
			Do: func() { m.marks.Move(m.list.Table.Cursor(), -1) }},
		{ID: "turnlater", Keys: []string{"]"}, Title: "later", TitleNow: m.orderTitle("later"), Group: lists,
			Help: "drain the selected node after the one that is marked after it", Enabled: m.canMove,
			Do: func() { m.marks.Move(m.list.Table.Cursor(), 1) }},
		{ID: "markall", Keys: []string{"*"}, Help: "mark all nodes that are shown", Group: lists,
			Do: func() {
				for _, k := range m.list.Table.Keys() {
					m.marks.Add(k)
				}
			}},
		{ID: "marknone", Keys: []string{"-"}, Title: "unmark all", Group: lists,
			Help:    "unmark all nodes, also those that are not shown",
			Enabled: func() (bool, string) { return m.marks.Len() > 0, "no node is marked" }, Do: m.marks.Clear},
	}
}

// canMove reports whether the selected node has a turn among others.
func (m *Page) canMove() (bool, string) {
	ok := m.marks.Len() > 1 && m.marks.Has(m.list.Table.Cursor())
	return ok, "the order is that of the marks: mark this node and another one"
}

// orderTitle is hinted at on a node that has a turn.
func (m *Page) orderTitle(title string) func() string {
	return func() string {
		if ok, _ := m.canMove(); !ok {
			return ""
		}
		return title
	}
}

func (m *Page) hasRow() (bool, string) { return m.list.HasRow() }

// toSetCordon are the targets whose cordon would change.
func (m *Page) toSetCordon(unschedulable bool) []string {
	var change []string
	for _, name := range m.Targets() {
		if n := m.s.Snap.Node(name); n != nil && n.Unschedulable != unschedulable && !m.cordoning[name] {
			change = append(change, name)
		}
	}
	return change
}

func (m *Page) canCordon(unschedulable bool) func() (bool, string) {
	return func() (bool, string) {
		if m.s.Cluster == nil {
			return false, "cordoning is not available here"
		}
		if len(m.Targets()) == 0 {
			return false, "there is no node to act on"
		}
		if h := m.s.Snap.Health(); !h.Live {
			return false, "the API server is unreachable"
		}
		if len(m.toSetCordon(unschedulable)) == 0 {
			return false, map[bool]string{true: "already cordoned", false: "not cordoned"}[unschedulable] + ": " +
				format.List(m.Targets(), 3)
		}
		if r := m.s.RollState; m.s.Rolling() {
			for i := range r.Nodes {
				if slices.Contains(m.toSetCordon(unschedulable), r.Nodes[i].Name) {
					return false, r.Nodes[i].Name + " belongs to the active roll"
				}
			}
		}
		if m.s.Live() {
			for _, name := range m.toSetCordon(unschedulable) {
				if m.s.State.Node(name) != nil {
					return false, name + " belongs to the active run"
				}
			}
		}
		return true, ""
	}
}
