package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
)

// ReasonBlocked refuses a pod that --fail-on-blockers does not want to wait for.
const ReasonBlocked ReasonCode = "Blocked"

// blocks tells of the verdicts that no wait ends by itself.
func blocks(p Pod) bool {
	if p.Budget == nil || p.Action != ActionEvict {
		return false
	}
	switch p.Budget.Verdict {
	case budget.VerdictNever, budget.VerdictMultiple, budget.VerdictDeadlock:
		return true
	}
	return false
}

// unjudged tells of a pod whose budgets cannot be seen.
func unjudged(p Pod) bool {
	return p.Budget != nil && p.Action == ActionEvict && p.Budget.Verdict == budget.VerdictUnknown
}

// RefuseBlockers turns blocked pods into refused ones, where the options ask for
// it by --fail-on-blockers, those whose budgets cannot be seen too, and all pods of a
// node that a finding calls an error: their nodes are then left untouched.
func RefuseBlockers(plan Plan) Plan {
	if !plan.Options.FailOnBlockers {
		return plan
	}
	plan.Nodes = slices.Clone(plan.Nodes)
	for _, f := range plan.Findings {
		if f.Level == LevelError {
			refuseNodes(&plan, f)
		}
	}
	for i, n := range plan.Nodes {
		n.Pods = slices.Clone(n.Pods)
		refused := false
		for j := range n.Pods {
			p := &n.Pods[j]
			switch {
			case blocks(*p):
				refuse(p, "Pods whose budget does not allow their eviction (--fail-on-blockers): "+p.Budget.Why)
			case unjudged(*p):
				refuse(p, "Pods for which it is not known whether a budget allows their eviction (--fail-on-blockers): "+p.Budget.Why)
			default:
				continue
			}
			refused = true
		}
		if refused {
			no := false
			n.Drainable = &no
			plan.Nodes[i], plan.Drainable = n, &no
		}
	}
	return plan
}

// refuseNodes refuses what would move from the nodes of a finding. A node that only
// keeps its pods would still be cordoned: one of these stands for it then.
func refuseNodes(plan *Plan, f Finding) {
	no := false
	for i, n := range plan.Nodes {
		if !slices.Contains(f.Objects, "Node/"+n.Name) {
			continue
		}
		n.Pods = slices.Clone(n.Pods)
		refused := false
		for j := range n.Pods {
			if p := &n.Pods[j]; p.Action == ActionEvict || p.Action == ActionDelete {
				refuse(p, "Nodes that must not be drained (--fail-on-blockers): "+f.Message)
				refused = true
			}
		}
		if !refused && len(n.Pods) > 0 {
			refuse(&n.Pods[0], "Nodes that must not be drained (--fail-on-blockers): "+f.Message)
		}
		n.Drainable = &no
		plan.Nodes[i], plan.Drainable = n, &no
	}
}

func refuse(p *Pod, message string) {
	p.Action = ActionRefuse
	p.Reasons = append(slices.Clone(p.Reasons), Reason{Code: ReasonBlocked, Level: LevelError, Message: message})
}

// GoesThrough reports whether a drain of the plan would end by itself: no pod is
// refused, and no budget stands in the way for ever.
func (p Plan) GoesThrough() bool {
	for _, n := range p.Nodes {
		for _, p := range n.Pods {
			if p.Action == ActionRefuse || blocks(p) {
				return false
			}
		}
	}
	return true
}
