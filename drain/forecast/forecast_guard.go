package forecast

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// modelGuard is the run's own guard over one workload.
type modelGuard struct {
	of   string // the workload, as "Kind/name"
	back int    // the latest wave of which a pod has been made up for
}

// addGuard lets the guard count a pod of the plan where no budget does.
func (m *model) addGuard(planned *plan.Pod) {
	p := m.pods[planned.UID]
	if p == nil || planned.Action != plan.ActionEvict || p.budget != nil {
		return
	}
	if w := budget.GuardedBy(m.s, p.live); w != nil {
		p.guard = m.guard(w)
	}
}

// guard takes a workload into the model as far as the guard counts: its pods,
// where they are not of the plan, and those of them that are about to come up.
func (m *model) guard(w *kube.Workload) *modelGuard {
	if known := m.guards[w.UID]; known != nil {
		return known
	}
	m.guards[w.UID] = &modelGuard{of: w.Kind + "/" + w.Name}
	m.putWorkload(w)
	pods := budget.CountedWith(m.s, w)
	for _, p := range pods {
		m.putWorkload(m.s.Workload(p.Owner.UID))
		if m.pods[p.UID] == nil {
			record := *p
			record.Node = elsewhere
			m.store.Put(&record)
		}
	}
	for _, sick := range budget.SickUnder(&kube.Budget{}, m.s, pods, m.s.ServerTime(m.now)) {
		if in, comes := m.comesIn(sick); comes && (m.pods[sick.Pod.UID] == nil || sick.Class == budget.SickLeaves) {
			m.later(in, func() {
				if sick.Class == budget.SickLive {
					m.store.Remove(&kube.Pod{UID: sick.Pod.UID})
				}
				m.putReady(sick.Pod)
				m.stirred = true
			})
		}
	}
	return m.guards[w.UID]
}

func (m *model) putWorkload(w *kube.Workload) {
	record := *w
	m.store.Put(&record)
}
