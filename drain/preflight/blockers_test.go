package preflight

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

func TestRefuseBlockersAndErrors(t *testing.T) {
	pod := func(name string, action plan.Action, verdict budget.Verdict) plan.Pod {
		p := plan.Pod{Namespace: "shop", Name: name, Action: action}
		if action == plan.ActionEvict {
			p.Budget = &budget.Judgement{Verdict: verdict, Why: "it never does"}
		}
		return p
	}
	yes := true
	planned := plan.Plan{Options: plan.Options{FailOnBlockers: true}, Drainable: &yes, Nodes: []plan.Node{
		{Name: "free", Drainable: &yes, Pods: []plan.Pod{pod("a", plan.ActionEvict, budget.VerdictEvictable), pod("b", plan.ActionEvict, budget.VerdictWait)}},
		{Name: "blocked", Drainable: &yes, Pods: []plan.Pod{pod("c", plan.ActionEvict, budget.VerdictNever), pod("d", plan.ActionEvict, budget.VerdictEvictable)}},
		{Name: "master", Drainable: &yes, Pods: []plan.Pod{pod("e", plan.ActionSkip, ""), pod("f", plan.ActionEvict, budget.VerdictEvictable)}},
		{Name: "blind", Drainable: nil, Pods: []plan.Pod{pod("h", plan.ActionEvict, budget.VerdictUnknown)}},
		{Name: "bare-master", Drainable: &yes, Pods: []plan.Pod{pod("g", plan.ActionSkip, "")}},
	}, Findings: []plan.Finding{
		{Code: FindingLastControlPlane, Level: plan.LevelError, Message: "the last", Objects: []string{"Node/master", "Node/bare-master"}},
		{Code: FindingSingleReplica, Level: plan.LevelWarning, Objects: []string{"Node/free"}},
	}}
	refused := plan.RefuseBlockers(planned)
	var got []string
	for _, n := range refused.Nodes {
		for _, p := range n.Pods {
			if p.Action == plan.ActionRefuse {
				got = append(got, p.Name+": "+p.Reasons[len(p.Reasons)-1].Message)
			}
		}
	}
	want := []string{
		"c: Pods whose budget does not allow their eviction (--fail-on-blockers): it never does",
		"f: Nodes that must not be drained (--fail-on-blockers): the last",
		"h: Pods for which it is not known whether a budget allows their eviction (--fail-on-blockers): it never does",
		"g: Nodes that must not be drained (--fail-on-blockers): the last",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
	if *refused.Drainable || !*refused.Nodes[0].Drainable || *refused.Nodes[4].Drainable {
		t.Error("drainable does not follow")
	}
	if planned.Nodes[2].Pods[1].Action != plan.ActionEvict || !*planned.Drainable {
		t.Error("the plan that was given has changed")
	}
}
