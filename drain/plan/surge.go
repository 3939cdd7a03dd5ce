package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// surging are the pods of a plan whose workload may surge.
type surging struct {
	first *kube.Pod
	pods  []*Pod
	fits  int32 // so many find room beside the others
}

// Surge is a workload whose pods the plan moves, with --surge.
type Surge struct {
	surge.Facts
	// Not is why its pods are evicted as usual, nil where it surges. For one that passes they wait.
	Not *surge.Reason
	// Extra is what its pods request meanwhile beyond what the workload has.
	Extra kube.Resources
}

// MaySurge reports whether a pod may take part in the surge of its workload: not one that runs to its end
// first, that goes after all others or that is deleted past its budgets.
func MaySurge(a Action, reasons []Reason) bool {
	return a == ActionEvict && !slices.ContainsFunc(reasons, func(r Reason) bool {
		return r.GoesLast() || r.Code == ReasonWaitForCompletion
	})
}

// surge says which workloads surge, and by how many. Their pods leave none of them down.
func (p *planner) surge(plan *Plan) {
	if p.o.Surge == "" {
		return
	}
	staying := map[kube.UID]bool{}
	for i := range plan.Nodes {
		for k := range plan.Nodes[i].Pods {
			staying[plan.Nodes[i].Pods[k].UID] = plan.Nodes[i].Pods[k].Action == ActionSkip
		}
	}
	stays := func(p *kube.Pod) bool { return staying[p.UID] }
	at := map[kube.UID]int{}
	var of []surging
	for i := range plan.Nodes {
		for k := range plan.Nodes[i].Pods {
			one, pod := &plan.Nodes[i].Pods[k], p.pods[i][k]
			if !MaySurge(one.Action, one.Reasons) || pod.Finished() || pod.Terminating() {
				continue
			}
			facts, not := surge.FactsOf(p.s, pod, p.o.SurgeManaged, stays)
			n, known := at[facts.UID]
			if !known {
				n = len(plan.Surges)
				at[facts.UID] = n
				plan.Surges, of = append(plan.Surges, Surge{Facts: facts}), append(of, surging{first: pod})
			}
			s := &plan.Surges[n]
			s.Pods, of[n].pods = s.Pods+1, append(of[n].pods, one)
			if s.Not.Passes() && not != nil {
				s.Not = not
			}
			if one.Later {
				s.Not = &surge.Reason{Code: surge.CodeOrder,
					Text: "pods of a lower order have to leave first (MachineDrainRule)"}
			}
			if one.Landing == nil || one.Landing.Together.Answer != landing.DoesNotFit {
				of[n].fits++
			}
		}
	}
	for n := range plan.Surges {
		s := &plan.Surges[n]
		if s.Not == nil {
			s.Not = surge.Room(p.s, &s.Facts, of[n].first, p.o.Surge, of[n].fits)
		} else if s.Not.Passes() { // what is in the way takes room that is free once it has passed
			s.AtOnce = surge.Most(p.s, &s.Facts, p.o.Surge)
		}
		if !s.Not.Passes() {
			for _, one := range of[n].pods {
				one.NoSurge = s.Not.Text
			}
			continue
		}
		each := of[n].first.Spec.Requests
		s.Extra.CPUMilli, s.Extra.MemoryBytes = int64(s.AtOnce)*each.CPUMilli, int64(s.AtOnce)*each.MemoryBytes
		for _, one := range of[n].pods {
			one.Surges, one.Down = s.UID, 0
		}
	}
}

// Surging are the facts of the workloads that surge.
func (p *Plan) Surging() []surge.Facts {
	var facts []surge.Facts
	for _, s := range p.Surges {
		if s.Not.Passes() {
			facts = append(facts, s.Facts)
		}
	}
	return facts
}
