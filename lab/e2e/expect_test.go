//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// expectations is scenes/demo.expect.yaml; what its parts mean is said there.
type expectations struct {
	Schema string
	Scene  string
	Flags  []string
	Nodes  []expectedNode
	Pods   []*expectedPods
}

type expectedNode struct {
	Name          string
	Ready         bool
	Unschedulable bool
	CordonedBy    string
	Drainable     *bool
	Exit          int
	Because       string
}

type expectedPods struct {
	Namespace string
	Owner     string
	Pod       string
	Nodes     map[string]int
	Action    string
	Reasons   []string
	Budget    *struct {
		Verdict    string
		Names      []string
		Needs, Has int
	}
	Sibling *struct{ Node, Reason string }
}

func readExpectations(t *testing.T) expectations {
	t.Helper()
	data, err := os.ReadFile("../scenes/demo.expect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var e expectations
	if err := yaml.UnmarshalStrict(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *expectedPods) String() string { return e.Namespace + " " + e.Owner + e.Pod }

// about tells whether an expectation is about a pod of a node.
func (e *expectedPods) about(p planPod, node string) bool {
	_, here := e.Nodes[node]
	_, everywhere := e.Nodes["*"]
	return e.Namespace == p.Namespace && fits(e.Owner, p.Owner) && (e.Pod == "" || fits(e.Pod, p.Name)) && (here || everywhere)
}

func fits(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

func (e *expectedPods) on(node string) int {
	if n, ok := e.Nodes[node]; ok {
		return n
	}
	return e.Nodes["*"]
}

// of is the one expectation about a pod.
func (e *expectations) of(t *testing.T, p planPod, node string) *expectedPods {
	t.Helper()
	var found []*expectedPods
	for _, expected := range e.Pods {
		if expected.about(p, node) {
			found = append(found, expected)
		}
	}
	if len(found) != 1 {
		t.Errorf("pod %s/%s of %s on %s is covered by %d expectations: %v", p.Namespace, p.Name, p.Owner, node, len(found), found)
		return nil
	}
	return found[0]
}

// differences are what the plan says of a pod and should not.
func (e *expectedPods) differences(p planPod) []string {
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
	if p.Budget.Sibling == nil {
		return append(all, "no sick sibling is named")
	}
	differ("the sibling's node", p.Budget.Sibling.Node, e.Sibling.Node)
	differ("the sibling's reason", p.Budget.Sibling.Reason, e.Sibling.Reason)
	if hash := strings.TrimPrefix(p.Owner, "ReplicaSet/"); !strings.HasPrefix(p.Budget.Sibling.Name, hash) {
		all = append(all, fmt.Sprintf("%s is no sibling in %s", p.Budget.Sibling.Name, p.Owner))
	}
	return all
}

func sorted(texts []string) []string {
	return slices.Sorted(slices.Values(texts))
}

// fate is the word that a screen has for what happens to a pod.
func (e *expectedPods) fate() string {
	switch {
	case e.Action == "skip":
		return "stays"
	case e.Action == "refuse":
		return "refused"
	case e.Budget.Verdict == "Wait":
		return "waits"
	case e.Budget.Verdict == "Never" || e.Budget.Verdict == "Multiple":
		return "never"
	}
	return "moves"
}
