package drain

import (
	"slices"
	"testing"
)

func TestRefuseBlockersAndErrors(t *testing.T) {
	pod := func(name string, action Action, verdict Verdict) PodPlan {
		p := PodPlan{Namespace: "shop", Name: name, Action: action}
		if action == ActionEvict {
			p.Budget = &BudgetJudgement{Verdict: verdict, Why: "it never does"}
		}
		return p
	}
	yes := true
	plan := Plan{Options: Options{FailOnBlockers: true}, Drainable: &yes, Nodes: []NodePlan{
		{Name: "free", Drainable: &yes, Pods: []PodPlan{pod("a", ActionEvict, VerdictEvictable), pod("b", ActionEvict, VerdictWait)}},
		{Name: "blocked", Drainable: &yes, Pods: []PodPlan{pod("c", ActionEvict, VerdictNever), pod("d", ActionEvict, VerdictEvictable)}},
		{Name: "master", Drainable: &yes, Pods: []PodPlan{pod("e", ActionSkip, ""), pod("f", ActionEvict, VerdictEvictable)}},
		{Name: "blind", Drainable: nil, Pods: []PodPlan{pod("h", ActionEvict, VerdictUnknown)}},
		{Name: "bare-master", Drainable: &yes, Pods: []PodPlan{pod("g", ActionSkip, "")}},
	}, Findings: []Finding{
		{Code: FindingLastControlPlane, Level: LevelError, Message: "the last", Objects: []string{"Node/master", "Node/bare-master"}},
		{Code: FindingSingleReplica, Level: LevelWarning, Objects: []string{"Node/free"}},
	}}
	refused := refuseBlockers(plan)
	var got []string
	for _, n := range refused.Nodes {
		for _, p := range n.Pods {
			if p.Action == ActionRefuse {
				got = append(got, p.Name+": "+p.Reasons[len(p.Reasons)-1].Message)
			}
		}
	}
	want := []string{
		"c: Pods whose budget does not let them go (--fail-on-blockers): it never does",
		"f: Nodes that must not be drained (--fail-on-blockers): the last",
		"h: Pods of which it is not known whether a budget lets them go (--fail-on-blockers): it never does",
		"g: Nodes that must not be drained (--fail-on-blockers): the last",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
	if *refused.Drainable || !*refused.Nodes[0].Drainable || *refused.Nodes[4].Drainable {
		t.Error("drainable does not follow")
	}
	if plan.Nodes[2].Pods[1].Action != ActionEvict || !*plan.Drainable {
		t.Error("the plan that was given has changed")
	}
}
