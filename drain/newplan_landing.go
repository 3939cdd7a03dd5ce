package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingNoRoom names pods whose replacement could be scheduled nowhere.
const FindingNoRoom = "NoRoom"

// Landing says where the replacement of a pod could be scheduled.
type Landing struct {
	landing.Verdict // judged alone: the cluster as it is, this pod gone
	// Together is the same with the plan's other pods moved before it: an
	// estimate, for the scheduler may place them otherwise.
	Together landing.Verdict
	Target   string // the node that the estimate took for it, "" for none
}

// Room is the room in the cluster before the plan and, estimated, after it.
type Room struct{ Before, After landing.Headroom }

// land fills in where the pods could go. A pod that nobody makes anew, and one
// that has finished, goes nowhere.
func (p *planner) land(plan *Plan) {
	names := make([]string, len(plan.Nodes))
	var plans []*PodPlan
	var pods []*kube.Pod
	for i := range plan.Nodes {
		names[i] = plan.Nodes[i].Name
		for k := range plan.Nodes[i].Pods {
			pod := p.pods[i][k]
			if one := &plan.Nodes[i].Pods[k]; one.moves() && pod.Owner != nil && !pod.Finished() && one.NotRemade == "" {
				plans, pods = append(plans, one), append(pods, pod)
			}
		}
	}
	cluster := landing.New(p.s, names)
	for i, pod := range pods {
		plans[i].Landing = &Landing{Verdict: cluster.Alone(pod)}
	}
	together := cluster.Together(pods)
	for i := range pods {
		plans[i].Landing.Together, plans[i].Landing.Target = together.Verdicts[i], together.Targets[i]
	}
	plan.Room = Room{Before: together.Before, After: together.After}
	if f, found := noRoom(plans); found {
		plan.Findings = append(plan.Findings, f)
	}
}

// noRoom is the finding about pods that fit nowhere, alone or, estimated, with
// the others.
func noRoom(plans []*PodPlan) (Finding, bool) {
	f := Finding{Code: FindingNoRoom, Level: LevelWarning}
	alone, why := 0, ""
	for _, one := range plans {
		if one.Landing.Answer != landing.DoesNotFit && one.Landing.Together.Answer != landing.DoesNotFit {
			continue
		}
		f.Objects = append(f.Objects, "Pod/"+one.Namespace+"/"+one.Name)
		if one.Landing.Answer == landing.DoesNotFit {
			if alone++; why == "" {
				why = one.Landing.Why
			}
		}
	}
	switch {
	case len(f.Objects) == 0:
		return f, false
	case alone == 0:
		f.Message = "moved together, " + plural(len(f.Objects), "pod", "pods") + " may find no room (estimated)"
	default:
		f.Message = plural(alone, "pod", "pods") + " could be scheduled nowhere"
		if more := len(f.Objects) - alone; more > 0 {
			f.Message += fmt.Sprintf(", %d more may find no room when all move (estimated)", more)
		}
		f.Message += ": " + why
	}
	return f, true
}
