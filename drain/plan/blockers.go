package plan

import "slices"

// ReasonBlocked refuses a pod that --fail-on-blockers does not want to wait for.
const ReasonBlocked ReasonCode = "Blocked"

// RefuseBlockers turns pods that never leave by themselves into refused ones, where the options ask
// for it by --fail-on-blockers, those whose budgets cannot be seen too, and all pods of a
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
		for j := range n.Pods {
			p := &n.Pods[j]
			switch leaves := p.leaves(); leaves.Kind {
			case Blocked:
				refuse(p, "Pods whose budget does not allow their eviction (--fail-on-blockers): "+leaves.Why)
			case Stuck:
				refuse(p, "Pods that do not end (--fail-on-blockers): "+leaves.Why)
			case Unseen:
				refuse(p, "Pods for which it is not known whether a budget allows their eviction (--fail-on-blockers): "+leaves.Why)
			}
		}
		plan.Nodes[i] = n
	}
	return plan
}

// refuseNodes refuses what would move from the nodes of a finding. A node that only
// keeps its pods would still be cordoned: one of these stands for it then.
func refuseNodes(plan *Plan, f Finding) {
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
		plan.Nodes[i] = n
	}
}

func refuse(p *Pod, message string) {
	p.Action = ActionRefuse
	p.Reasons = append(slices.Clone(p.Reasons), Reason{Code: ReasonBlocked, Level: LevelError, Message: message})
}
