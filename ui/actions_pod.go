package ui

import "github.com/kdrain-tui/kdrain-tui/ui/keys"

func podActions() []action {
	const group = "Pod"
	on := []keys.Page{pagePod}
	part := func(id, key, help string, to int) action {
		return action{ID: id, Keys: []string{key}, Help: help, Group: group, Pages: on, Do: func(m *Model) { m.turnPart(to) }}
	}
	return []action{
		{ID: "poddetail", Keys: []string{"enter"}, Title: "pod", Help: "the pod in full: conditions, events, logs, YAML", Group: group,
			Pages: []keys.Page{pagePlan, pagePods}, Enabled: hasRow, Do: (*Model).openPlanned},
		{ID: "partnext", Keys: []string{"tab", "right"}, Title: "next part", Help: "the next part of the pod's page", Group: group, Pages: on,
			Do: func(m *Model) { m.turnPart(m.pod.part + 1) }},
		{ID: "partback", Keys: []string{"shift+tab", "left"}, Help: "the part before", Group: group, Pages: on,
			Do: func(m *Model) { m.turnPart(m.pod.part - 1) }},
		part("partstate", "1", "the pod's state, conditions and events", 0),
		part("partlogs", "2", "the last lines of the container in trouble, and of its life before", 1),
		part("partyaml", "3", "the pod as YAML, without the values of its environment", 2),
		{ID: "sibling", Keys: []string{"b"}, Title: "other pod", Help: "the sick sibling that holds the pod, and back", Group: group, Pages: on,
			Enabled: canSeeSibling, Do: (*Model).turnToSibling},
		{ID: "reread", Keys: []string{"r"}, Title: "read again", Help: "read the pod again", Group: group, Pages: on,
			Enabled: func(m *Model) (bool, string) { return m.d.PodDetails != nil, "there is no cluster to read from" },
			Do:      (*Model).readPod},
	}
}

// openPlanned opens the page of the selected pod of a plan.
func (m *Model) openPlanned() {
	p := m.planOfPage()
	if pod, ok := p.pods[p.list.table.Cursor()]; ok {
		m.openPod(podRef{pod.Namespace, pod.Name, pod.UID}, p)
	}
}
