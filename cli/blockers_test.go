package cli

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

func TestRefuseBlockersAndErrors(t *testing.T) {
	pod := func(name string, action drain.Action, verdict drain.Verdict) drain.PodPlan {
		p := drain.PodPlan{Namespace: "shop", Name: name, Action: action}
		if action == drain.ActionEvict {
			p.Budget = &drain.BudgetJudgement{Verdict: verdict, Why: "it never does"}
		}
		return p
	}
	yes := true
	plan := drain.Plan{Drainable: &yes, Nodes: []drain.NodePlan{
		{Name: "free", Drainable: &yes, Pods: []drain.PodPlan{pod("a", drain.ActionEvict, drain.VerdictEvictable), pod("b", drain.ActionEvict, drain.VerdictWait)}},
		{Name: "blocked", Drainable: &yes, Pods: []drain.PodPlan{pod("c", drain.ActionEvict, drain.VerdictNever), pod("d", drain.ActionEvict, drain.VerdictEvictable)}},
		{Name: "master", Drainable: &yes, Pods: []drain.PodPlan{pod("e", drain.ActionSkip, ""), pod("f", drain.ActionEvict, drain.VerdictEvictable)}},
		{Name: "bare-master", Drainable: &yes, Pods: []drain.PodPlan{pod("g", drain.ActionSkip, "")}},
	}, Findings: []drain.Finding{
		{Code: drain.FindingLastControlPlane, Level: drain.LevelError, Message: "the last", Objects: []string{"Node/master", "Node/bare-master"}},
		{Code: drain.FindingSingleReplica, Level: drain.LevelWarning, Objects: []string{"Node/free"}},
	}}
	refused := refuseBlockers(plan)
	var got []string
	for _, n := range refused.Nodes {
		for _, p := range n.Pods {
			if p.Action == drain.ActionRefuse {
				got = append(got, p.Name+": "+p.Reasons[len(p.Reasons)-1].Message)
			}
		}
	}
	want := []string{
		"c: Pods whose budget does not let them go (--fail-on-blockers): it never does",
		"f: Nodes that must not be drained (--fail-on-blockers): the last",
		"g: Nodes that must not be drained (--fail-on-blockers): the last",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
	if *refused.Drainable || !*refused.Nodes[0].Drainable || *refused.Nodes[3].Drainable {
		t.Error("drainable does not follow")
	}
	if plan.Nodes[2].Pods[1].Action != drain.ActionEvict || !*plan.Drainable {
		t.Error("the plan that was given has changed")
	}
}
