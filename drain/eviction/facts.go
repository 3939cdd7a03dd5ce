package eviction

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Facts are what a run keeps of a pod of its plan.
type Facts struct {
	Node         string        `json:"node"`
	Namespace    string        `json:"namespace"`
	Name         string        `json:"name"`
	UID          kube.UID      `json:"uid"`
	Owner        string        `json:"owner,omitempty"`
	Controller   *kube.Owner   `json:"controller,omitempty"` // the same as a reference
	Surges       kube.UID      `json:"surges,omitempty"`     // the workload that was to start its replacement first
	Action       plan.Action   `json:"action"`
	Reasons      []plan.Reason `json:"reasons,omitempty"`
	Order        int32         `json:"drainOrder,omitempty"` // of a MachineDrainRule
	GraceSeconds int64         `json:"graceSeconds"`
	// Costs are what is lost when it leaves, as the plan saw it.
	Costs []plan.EffectKind `json:"costs,omitempty"`
	Self  bool              `json:"ownPod,omitempty"` // this program runs in it: it goes after all others
}

// FactsOfPlan are the facts of a pod of a plan.
func FactsOfPlan(node string, p *plan.Pod) Facts {
	return Facts{
		Node: node, Namespace: p.Namespace, Name: p.Name, UID: p.UID, Owner: p.Owner, Controller: p.Controller,
		Surges: p.Surges, Action: p.Action, Reasons: p.Reasons, Order: p.Order, Costs: p.Effects().Costs(), GraceSeconds: int64(p.Grace / time.Second), Self: p.Self,
	}
}

// FactsOf are the facts of a pod that joins a run.
func FactsOf(p *kube.Pod, d plan.Decision) Facts {
	facts := Facts{Node: p.Node, Namespace: p.Namespace, Name: p.Name, UID: p.UID, Controller: p.Owner,
		Action: d.Action, Reasons: d.Reasons, Order: d.Order, Costs: plan.CostsBy(d.Reasons).Costs(), GraceSeconds: p.Spec.GraceSeconds}
	if p.Owner != nil {
		facts.Owner = p.Owner.Kind + "/" + p.Owner.Name
	}
	return facts
}

// confirmed reports whether the operator confirmed the same action for the same
// reasons on some pod of the plan.
func confirmed(planned []Facts, d plan.Decision) bool {
	if d.Action == plan.ActionRefuse {
		return false
	}
	seen := map[plan.ReasonCode]bool{}
	action := false
	for _, p := range planned {
		if p.Action != d.Action {
			continue
		}
		action = true
		for _, r := range p.Reasons {
			seen[r.Code] = true
		}
	}
	for _, r := range d.Reasons {
		if !seen[r.Code] {
			return false
		}
	}
	return action
}
