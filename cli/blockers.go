package cli

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// reasonBlocked refuses a pod that --fail-on-blockers does not want to wait
// for.
const reasonBlocked drain.ReasonCode = "Blocked"

// blocks tells of the verdicts that no wait ends by itself.
func blocks(p drain.PodPlan) bool {
	if p.Budget == nil || p.Action != drain.ActionEvict {
		return false
	}
	switch p.Budget.Verdict {
	case drain.VerdictNever, drain.VerdictMultiple, drain.VerdictDeadlock:
		return true
	}
	return false
}

// refuseBlockers turns blocked pods into refused ones, as --fail-on-blockers
// asks, and all pods of a node that a finding calls an error: their nodes are then
// left untouched.
func refuseBlockers(plan drain.Plan) drain.Plan {
	plan.Nodes = slices.Clone(plan.Nodes)
	for _, f := range plan.Findings {
		if f.Level == drain.LevelError {
			refuseNodes(&plan, f)
		}
	}
	for i, n := range plan.Nodes {
		if !slices.ContainsFunc(n.Pods, blocks) {
			continue
		}
		n.Pods = slices.Clone(n.Pods)
		for j := range n.Pods {
			if blocks(n.Pods[j]) {
				refuseBlocked(&n.Pods[j])
			}
		}
		no := false
		n.Drainable = &no
		plan.Nodes[i], plan.Drainable = n, &no
	}
	return plan
}

// refuseNodes refuses what would move from the nodes of a finding. A node that only
// keeps its pods would still be cordoned: one of these stands for it then.
func refuseNodes(plan *drain.Plan, f drain.Finding) {
	no := false
	for i, n := range plan.Nodes {
		if !slices.Contains(f.Objects, "Node/"+n.Name) {
			continue
		}
		n.Pods = slices.Clone(n.Pods)
		refused := false
		for j := range n.Pods {
			if p := &n.Pods[j]; p.Action == drain.ActionEvict || p.Action == drain.ActionDelete {
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

func refuse(p *drain.PodPlan, message string) {
	p.Action = drain.ActionRefuse
	p.Reasons = append(slices.Clone(p.Reasons), drain.Reason{Code: reasonBlocked, Level: drain.LevelError, Message: message})
}

func refuseBlocked(p *drain.PodPlan) {
	refuse(p, "Pods whose budget does not let them go (--fail-on-blockers): "+p.Budget.Why)
}

// goesThrough tells whether a drain of the plan would end by itself: no pod is
// refused, and no budget stands in the way for ever.
func goesThrough(plan drain.Plan) bool {
	for _, n := range plan.Nodes {
		for _, p := range n.Pods {
			if p.Action == drain.ActionRefuse || blocks(p) {
				return false
			}
		}
	}
	return true
}
