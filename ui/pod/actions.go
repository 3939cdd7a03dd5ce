package pod

import (
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// Actions are what keys do on the page of a pod.
func (m *Page) Actions() []keys.Action {
	const group = "Pod"
	part := func(id, key, help string, to int) keys.Action {
		return keys.Action{ID: id, Keys: []string{key}, Help: help, Group: group, Do: func() { m.turnPart(to) }}
	}
	return []keys.Action{
		{ID: "partnext", Keys: []string{"tab", "right"}, Title: "next part", Help: "the next part of the pod's page",
			Group: group,
			Do:    func() { m.turnPart(m.part + 1) }},
		{ID: "partback", Keys: []string{"shift+tab", "left"}, Help: "the previous part of the pod's page", Group: group,
			Do: func() { m.turnPart(m.part - 1) }},
		part("partstate", "1", "the pod's state, conditions and events", 0),
		part("partlogs", "2", "the last log lines of a container, the failing one first, and of its previous instance", 1),
		part("partyaml", "3", "the pod as YAML, without the values of its environment", 2),
		{ID: "sibling", Keys: []string{"b"}, Title: "other pod",
			Help: "the unhealthy pod that blocks this one, and back", Group: group,
			Enabled: m.canSeeUnhealthyPod, Do: m.turnToUnhealthyPod},
		{ID: "container", Keys: []string{"c"}, Title: "next container", TitleNow: m.containerTitle,
			Help: "the log of the next container, also of init, sidecar and ephemeral ones", Group: group,
			Enabled: m.canChooseContainer, Do: m.chooseNextContainer},
		{ID: "follow", Keys: []string{"f"}, Title: "follow", TitleNow: m.followTitle,
			Help: "read the end of the log again every two seconds, until the same key or another page", Group: group,
			Enabled: m.canRead, Do: m.follow},
		{ID: "reread", Keys: []string{"r"}, Title: "read again", Help: "read the pod again", Group: group,
			Enabled: m.canRead, Do: m.readPod},
	}
}

func (m *Page) canRead() (bool, string) {
	return m.s.Cluster != nil, "there is no cluster to read from"
}
