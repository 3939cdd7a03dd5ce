package preflight

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
)

func TestRefuseBlockersAndErrors(t *testing.T) {
	pod := func(name string, action plan.Action, verdict budget.Verdict) plan.Pod {
		p := plan.Pod{Namespace: "shop", Name: name, Action: action}
		if action == plan.ActionEvict {
			p.Budget = &budget.Judgement{Verdict: verdict, Why: "it never does"}
		}
		return p
	}
	planned := plan.Plan{Options: plan.Options{FailOnBlockers: true}, Nodes: []plan.Node{
		{Name: "free", Pods: []plan.Pod{pod("a", plan.ActionEvict, budget.VerdictEvictable), pod("b", plan.ActionEvict, budget.VerdictWait)}},
		{Name: "blocked", Pods: []plan.Pod{pod("c", plan.ActionEvict, budget.VerdictNever), pod("d", plan.ActionEvict, budget.VerdictEvictable)}},
		{Name: "master", Pods: []plan.Pod{pod("e", plan.ActionSkip, ""), pod("f", plan.ActionEvict, budget.VerdictEvictable)}},
		{Name: "blind", Pods: []plan.Pod{pod("h", plan.ActionEvict, budget.VerdictUnknown)}},
		{Name: "silent", Pods: []plan.Pod{{Name: "i", Action: plan.ActionEvict, Stuck: "the kubelet of silent is silent"}}},
		{Name: "bare-master", Pods: []plan.Pod{pod("g", plan.ActionSkip, "")}},
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
		"i: Pods that do not end (--fail-on-blockers): the kubelet of silent is silent",
		"g: Nodes that must not be drained (--fail-on-blockers): the last",
	}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
	if refused.Nodes[0].Refused() || !refused.Nodes[5].Refused() || verdict.Of(&refused).End != verdict.EndRefused {
		t.Errorf("%+v", verdict.Of(&refused))
	}
	if planned.Nodes[2].Pods[1].Action != plan.ActionEvict || planned.Nodes[1].Refused() {
		t.Error("the plan that was given has changed")
	}
}
