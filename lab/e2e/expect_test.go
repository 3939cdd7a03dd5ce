//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/expect"
)

func readExpectations(t *testing.T) expect.Scene {
	t.Helper()
	e, err := expect.Read("../scenes/demo.expect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// expectationOf is the one expectation about a pod.
func expectationOf(t *testing.T, e *expect.Scene, p planPod, node string) *expect.Pods {
	t.Helper()
	found := e.Of(p.Namespace, p.Name, p.Owner, node)
	if len(found) != 1 {
		t.Errorf("pod %s/%s of %s on %s is covered by %d expectations: %v", p.Namespace, p.Name, p.Owner, node, len(found), found)
		return nil
	}
	return found[0]
}

// differences are what the plan says of a pod and should not.
func differences(e *expect.Pods, p planPod) []string {
	var all []string
	differ := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			all = append(all, fmt.Sprintf("%s is %s, want %s", what, g, w))
		}
	}
	differ("the action", p.Action, e.Action)
	var codes []string
	for _, r := range p.Reasons {
		codes = append(codes, r.Code)
	}
	differ("the reasons", sorted(codes), sorted(e.Reasons))
	lands := ""
	if p.Landing != nil {
		lands = p.Landing.Answer
	}
	differ("the landing", lands, e.Landing)
	differ("whether a budget is spoken of", p.Budget != nil, e.Budget != nil)
	if p.Budget == nil || e.Budget == nil {
		return all
	}
	differ("the verdict", p.Budget.Verdict, e.Budget.Verdict)
	differ("the budgets", sorted(p.Budget.Names), sorted(e.Budget.Names))
	if e.Budget.Needs != 0 {
		differ("how many budgets are counted", len(p.Budget.Budgets), 1)
		for _, b := range p.Budget.Budgets {
			differ("needed", b.Needed, e.Budget.Needs)
			differ("present", b.Present, e.Budget.Has)
		}
	}
	if e.Sibling == nil {
		return all
	}
	if p.Budget.UnhealthyPod == nil {
		return append(all, "no sick sibling is named")
	}
	differ("the unhealthy pod's node", p.Budget.UnhealthyPod.Node, e.Sibling.Node)
	differ("the unhealthy pod's reason", p.Budget.UnhealthyPod.Reason, e.Sibling.Reason)
	if hash := strings.TrimPrefix(p.Owner, "ReplicaSet/"); !strings.HasPrefix(p.Budget.UnhealthyPod.Name, hash) {
		all = append(all, fmt.Sprintf("%s is no pod of %s", p.Budget.UnhealthyPod.Name, p.Owner))
	}
	return all
}

func sorted(texts []string) []string {
	return slices.Sorted(slices.Values(texts))
}

// named are the findings of a plan as an expectation has them.
func (p plan) named() []expect.Finding {
	var all []expect.Finding
	for _, f := range p.Findings {
		all = append(all, expect.Finding{Code: f.Code, Level: f.Level, Objects: f.Objects})
	}
	return all
}
