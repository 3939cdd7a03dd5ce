package pods

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// Actions are what keys do on the list of all pods.
func (m *Page) Actions() []keys.Action {
	const group = "All pods"
	return []keys.Action{
		{ID: "openpod", Keys: []string{"enter"}, Title: "pod", Group: group,
			Help: "the selected pod in full: conditions, events, logs, YAML", Enabled: m.list.HasRow, Do: m.open},
		{ID: "podnamespace", Keys: []string{"n"}, Title: "namespace", TitleNow: m.namespaceTitle, Group: group,
			Help: "show only the namespace of the selected pod; again shows all", Enabled: m.canNamespace,
			Do: m.turnNamespace},
		{ID: "nextnamespace", Keys: []string{"]"}, Help: "show the next namespace", Group: group,
			Enabled: m.hasNamespaces, Do: func() { m.stepNamespace(1) }},
		{ID: "lastnamespace", Keys: []string{"["}, Help: "show the namespace before", Group: group,
			Enabled: m.hasNamespaces, Do: func() { m.stepNamespace(-1) }},
		{ID: "podnodes", Keys: []string{"m"}, Title: "nodes", TitleNow: m.scopeTitle, Group: group,
			Enabled: m.list.HasRow,
			Help:    "turn between all pods, those of the marked or selected nodes, and those of the selected pod's node",
			Do:      func() { m.nodes, _ = m.nextScope(); m.rescope() }},
	}
}

func (m *Page) open() {
	p := m.selected()
	if p == nil {
		return
	}
	m.shell.Open(frame.Ref{Page: frame.Pod, Pod: frame.PodRef{Namespace: p.Namespace, Name: p.Name, UID: p.UID}})
}

func (m *Page) rescope() {
	m.list.Touched = false
	m.look()
}

// nextScope are the nodes that m turns to, and its title.
func (m *Page) nextScope() (nodes []string, title string) {
	here := m.Targets()
	switch {
	case len(m.nodes) == 0 && len(m.targets) > 1:
		return m.targets, format.Count(len(m.targets), "node")
	case len(m.nodes) == 0 && len(m.targets) == 1:
		return m.targets, m.s.Names.ShowAll(m.targets)[0]
	case slices.Equal(m.nodes, m.targets) && len(here) == 1 && !slices.Equal(here, m.targets):
		return here, m.s.Names.ShowAll(here)[0]
	case len(m.nodes) == 0 && len(here) == 1:
		return here, m.s.Names.ShowAll(here)[0]
	}
	return nil, "all nodes"
}

func (m *Page) scopeTitle() string {
	nodes, title := m.nextScope()
	if len(nodes) > 0 {
		return "only " + title
	}
	return title
}

func (m *Page) namespaceTitle() string {
	if m.namespace != "" {
		return "all namespaces"
	}
	return "this namespace"
}

func (m *Page) canNamespace() (bool, string) {
	if m.namespace != "" {
		return true, ""
	}
	return m.list.HasRow()
}

func (m *Page) turnNamespace() {
	if m.namespace != "" {
		m.namespace = ""
	} else if p := m.selected(); p != nil {
		m.namespace = p.Namespace
	}
	m.look()
}

func (m *Page) hasNamespaces() (bool, string) {
	return m.found != nil && len(m.found.namespaces) > 0, "there is no namespace with pods"
}

// stepNamespace goes through the namespaces that have pods; all of them together stand before the first.
func (m *Page) stepNamespace(by int) {
	all := m.found.namespaces
	at := (m.found.place(m.namespace) + 1 + by + len(all) + 1) % (len(all) + 1)
	m.namespace = ""
	if at > 0 {
		m.namespace = all[at-1].name
	}
	m.rescope()
}
