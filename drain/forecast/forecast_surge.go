package forecast

import (
	"maps"
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// addSurges takes the workloads into the model whose replacements start first.
func (m *model) addSurges() {
	for _, f := range m.plan.Surging() {
		if w := m.s.Workload(f.UID); w != nil {
			later := *w // what is in the way has passed then
			later.RollingOut, later.Replicas, later.SurgeMark = false, surge.Wants(w), ""
			later.ReadyReplicas = max(later.ReadyReplicas, later.Replicas) // nothing in the model is seen late
			m.putWorkload(&later)
			for _, owned := range m.s.WorkloadsOf(w.UID) {
				m.putWorkload(owned)
			}
		}
	}
}

// raise gives a workload more replicas: each is Ready elsewhere after the time that its pods take.
func (m *model) raise(r request.Raise) kube.Answer {
	w := m.store.Snapshot().Workload(r.UID)
	record := *w
	record.Replicas, record.SurgeMark, record.ReplicasOurs, record.ReplicasOwners = r.To, r.Mark, true, ""
	m.store.Put(&record)
	var moves []*modelPod
	for _, p := range m.pods {
		if w, _ := surge.Of(m.s, p.live); w != nil && w.UID == r.UID && !p.evicted {
			moves = append(moves, p)
		}
	}
	for _, p := range moves[:min(len(moves), int(r.To-w.Replicas))] {
		m.later(m.startsIn(p.live.Owner), func() {
			m.putReady(p.live)
			seen := *m.store.Snapshot().Workload(r.UID)
			seen.ReadyReplicas++
			m.store.Put(&seen)
			if m.stirred = true; p.budget != nil {
				m.serves(p.budget, 1)
			}
		})
	}
	return kube.Answer{Code: http.StatusOK}
}

// setCost shows the deletion cost of a pod.
func (m *model) setCost(r request.SetCost) kube.Answer {
	if p := m.store.Snapshot().Pod(r.UID); p != nil {
		record := *p
		record.Annotations = maps.Clone(p.Annotations)
		if record.Annotations == nil {
			record.Annotations = map[string]string{}
		}
		record.Annotations[kube.DeletionCostAnnotation] = r.To
		m.store.Put(&record)
	}
	return kube.Answer{Code: http.StatusOK}
}

// lower sets the replicas back: the pods of the lowest cost leave.
func (m *model) lower(r request.Lower) kube.Answer {
	record := *m.store.Snapshot().Workload(r.UID)
	record.Replicas, record.SurgeMark, record.ReplicasOurs = r.To, r.Then, record.ReplicasOurs && r.Owners == ""
	m.store.Put(&record)
	if r.From == r.To {
		return kube.Answer{Code: http.StatusOK} // it is about the annotation or the owners alone
	}
	for uid, p := range m.pods {
		now := m.store.Snapshot().Pod(uid)
		if now != nil && !p.evicted && now.Annotations[kube.DeletionCostAnnotation] == request.LowestDeletionCost {
			p.evicted, p.wave = true, 1
			m.ends(p)
		}
	}
	return kube.Answer{Code: http.StatusOK}
}

// saved is how much longer the same plan takes when its pods are evicted as usual.
func saved(s *kube.Snapshot, planned plan.Plan, with plan.Estimate, now time.Time) time.Duration {
	if len(planned.Surging()) == 0 || with.Rough {
		return 0
	}
	planned.Options.Surge, planned.Surges = "", nil
	without := played(s, planned, now)
	if without.Rough {
		return 0
	}
	return max(0, without.Total-with.Total)
}
