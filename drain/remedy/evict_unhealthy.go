package remedy

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// unhealthyPod is the one whose eviction would free the budget of the pod.
func (v *View) unhealthyPod() (*kube.Pod, string) {
	b, why := v.budget()
	if b == nil {
		return nil, why
	}
	leaves := ""
	for _, sick := range budget.SickUnder(b, v.Snap, v.Snap.PodsUnder(b), v.Snap.ServerTime(v.Now)) {
		switch {
		case sick.Pod.UID == v.UID:
		case sick.Class == budget.SickLeaves:
			leaves = sick.Pod.Name
		default:
			return sick.Pod, ""
		}
	}
	if leaves != "" {
		return nil, leaves + " is already terminating: the budget is freed once it is replaced"
	}
	if !v.Snap.In(b.Namespace).InWhole(kube.KindPods) {
		return nil, "the pods on other nodes are still being read"
	}
	return nil, "no other pod of budget " + b.Name + " is unhealthy"
}

func (v *View) free() Remedy {
	r := Remedy{Facts: Facts{Kind: EvictUnhealthy}, Title: "evict the unhealthy pod"}
	sick, why := v.unhealthyPod()
	if sick == nil {
		r.DisabledReason = why
		return r
	}
	r.Object, r.Namespace, r.Name, r.UID = "Pod", sick.Namespace, sick.Name, sick.UID
	r.Title, r.Word = "evict the unhealthy pod "+sick.Name, "evict "+told(sick)
	r.Risk = "It evicts a pod that is not in the plan, by its UID, with its own grace period. The budget is freed only once its replacement is Ready."
	budgets := v.Snap.BudgetsOf(sick)
	predicted := budget.Predict(sick, budgets, sick.UID)
	switch {
	case v.Planned(sick.UID):
		r.DisabledReason = sick.Name + " is in the plan itself: the run treats it as confirmed"
	case sick.Mirror():
		r.DisabledReason = sick.Name + " is a static pod: only the manifests on its node remove it"
	case sick.Owner == nil:
		r.DisabledReason = sick.Name + " would not be recreated: that frees nothing"
	case !predicted.Goes():
		r.DisabledReason = "the server would refuse it: " + refusalWords(predicted, sick, budgets)
	}
	return r
}

// told is typed for the mildest remedy: the end of a name that a ReplicaSet has generated, which tells its pods apart.
func told(p *kube.Pod) string {
	if p.Owner != nil && p.Owner.Kind == "ReplicaSet" {
		return p.Name[strings.LastIndexByte(p.Name, '-')+1:]
	}
	return p.Name // in full, as for every harmful remedy
}

// refusalWords say why the server would not evict a pod.
func refusalWords(predicted budget.Prediction, p *kube.Pod, budgets []*kube.Budget) string {
	switch predicted.Cause {
	case budget.CauseMultiple:
		return "several budgets select " + p.Name
	case budget.CauseNotObserved:
		return "the controller has not observed budget " + budgets[0].Name + " yet"
	case budget.CauseBudget:
		if !p.Ready && (budgets[0].UnhealthyPolicy == "" || budgets[0].UnhealthyPolicy == "IfHealthyBudget") {
			return fmt.Sprintf("budget %s allows the eviction of a pod that is not Ready only while it has the %d it needs (IfHealthyBudget); it has %d",
				budgets[0].Name, budgets[0].DesiredHealthy, budgets[0].CurrentHealthy)
		}
		return "budget " + budgets[0].Name + " does not allow that either"
	}
	return "the controller is behind with budget " + budgets[0].Name
}
