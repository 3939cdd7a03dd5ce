package plan

import (
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Surge is a workload whose pods the plan moves, with --surge.
type Surge struct {
	surge.Facts
	// Not is why its pods are evicted as usual, nil where it surges.
	Not *surge.Reason
	// Extra is what its pods request meanwhile beyond what the workload has.
	Extra kube.Resources
}

// surge says which workloads surge, and by how many. Pods that are not Ready, that
// run to their end first or that are deleted past budgets wait for nothing: they go as usual.
func (p *planner) surge(plan *Plan) {
	if p.o.Surge == "" {
		return
	}
	at := map[kube.UID]int{}
	fits := map[kube.UID]int32{}
	var pods []*kube.Pod // the first of each
	for i := range plan.Nodes {
		for k := range plan.Nodes[i].Pods {
			one, pod := &plan.Nodes[i].Pods[k], p.pods[i][k]
			if one.Action != ActionEvict || one.GoesLast() || pod.Finished() || pod.Terminating() {
				continue
			}
			facts, not := p.surgeOf(pod)
			n, known := at[facts.UID]
			if !known {
				n = len(plan.Surges)
				at[facts.UID] = n
				plan.Surges, pods = append(plan.Surges, Surge{Facts: facts}), append(pods, pod)
			}
			s := &plan.Surges[n]
			s.Pods++
			if s.Not == nil {
				s.Not = not
			}
			if one.Later {
				s.Not = &surge.Reason{Code: surge.CodeOrder,
					Text: "pods of a lower order have to leave first (MachineDrainRule)"}
			}
			if one.Landing == nil || one.Landing.Together.Answer != landing.DoesNotFit {
				fits[facts.UID]++
			}
		}
	}
	for n := range plan.Surges {
		p.roomFor(&plan.Surges[n], pods[n], fits[plan.Surges[n].UID])
	}
}

// surgeOf is the workload of a pod, or its owner where that cannot surge, and why.
func (p *planner) surgeOf(pod *kube.Pod) (surge.Facts, *surge.Reason) {
	w, not := surge.ForPod(p.s, pod, p.o.SurgeManaged)
	if w == nil {
		facts := surge.Facts{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
		if pod.Owner != nil {
			facts.Kind, facts.Name, facts.UID = pod.Owner.Kind, pod.Owner.Name, pod.Owner.UID
		}
		return facts, not
	}
	return surge.Facts{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, UID: w.UID}, not
}

// roomFor settles by how many a workload surges at a time: what was asked for, as far as
// there is room beside its pods and its quotas let them in.
func (p *planner) roomFor(s *Surge, pod *kube.Pod, fits int32) {
	w := p.s.Workload(s.UID)
	if s.Not != nil || w == nil {
		return
	}
	s.AtOnce = min(p.o.Surge.Of(w.Replicas), int32(s.Pods))
	quota := surge.QuotaRoom(p.s, pod)
	switch {
	case fits == 0:
		s.Not = &surge.Reason{Code: surge.CodeNoRoom, Text: "no replacement finds room beside its pods"}
	case quota == 0:
		s.Not = &surge.Reason{Code: surge.CodeQuota, Text: "the quota of namespace " + s.Namespace +
			" lets no further pod in"}
	case quota > 0:
		s.AtOnce = min(s.AtOnce, int32(min(quota, int64(s.AtOnce))))
	}
	if s.Not != nil {
		s.AtOnce = 0
		return
	}
	s.AtOnce = min(s.AtOnce, fits)
	s.Extra.CPUMilli, s.Extra.MemoryBytes =
		int64(s.AtOnce)*pod.Spec.Requests.CPUMilli, int64(s.AtOnce)*pod.Spec.Requests.MemoryBytes
}

// Surging are the facts of the workloads that surge.
func (p *Plan) Surging() []surge.Facts {
	var facts []surge.Facts
	for _, s := range p.Surges {
		if s.Not == nil {
			facts = append(facts, s.Facts)
		}
	}
	return facts
}
