// Package expect reads what plan and screen have to say of a scene, as it is
// written down next to the scene, and compares.
package expect

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Scene is an expectation as a whole; what its parts mean is said at the head of
// scenes/demo.expect.yaml.
type Scene struct {
	Schema string
	Scene  string
	Flags  []string
	Nodes  []Node
	Pods   []*Pods
}

// Node is what the plan of one node alone says of the node.
type Node struct {
	Name          string
	Ready         bool
	Unschedulable bool
	CordonedBy    string
	Drainable     *bool
	Exit          int
	Because       string
	Findings      []Finding
}

// Finding is one thing that the plan names, with patterns for its objects.
type Finding struct {
	Code    string
	Level   string
	Objects []string
}

// Pods are all pods of a workload that share one fate.
type Pods struct {
	Namespace string
	Owner     string
	Pod       string
	Nodes     map[string]int
	Action    string
	Reasons   []string
	Budget    *Budget
	Sibling   *Sibling
	Landing   string
	Down      bool
	Stuck     bool
}

// Budget is what the budgets of a pod say.
type Budget struct {
	Verdict    string
	Names      []string
	Needs, Has int
}

// Sibling is the sick pod that holds the budget.
type Sibling struct{ Node, Reason string }

// Read reads an expectation. An unknown field is an error.
func Read(file string) (Scene, error) {
	var s Scene
	data, err := os.ReadFile(file)
	if err != nil {
		return s, fmt.Errorf("reading an expectation: %w", err)
	}
	if err := yaml.UnmarshalStrict(data, &s); err != nil {
		return s, fmt.Errorf("reading the expectation %s: %w", file, err)
	}
	return s, nil
}

func (p *Pods) String() string { return p.Namespace + " " + p.Owner + p.Pod }

// On is how many pods of the entry are on a node.
func (p *Pods) On(node string) int {
	if n, ok := p.Nodes[node]; ok {
		return n
	}
	return p.Nodes["*"]
}

// Of are the entries about a pod; there has to be exactly one.
func (s *Scene) Of(namespace, name, owner, node string) []*Pods {
	return slices.DeleteFunc(slices.Clone(s.Pods), func(p *Pods) bool {
		return p.Namespace != namespace || p.On(node) == 0 || !matches(p.Owner, owner) ||
			p.Pod != "" && !matches(p.Pod, name)
	})
}

func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

// Effects is what the dashboard and the text of a plan say of what happens to the pods.
func (p *Pods) Effects() string {
	switch {
	case p.Action == "skip":
		return "stays"
	case p.Action == "refuse":
		return "refused"
	case p.Stuck:
		return "stuck"
	case p.Budget.Stuck():
		return "blocked"
	case p.has("Terminating"):
		return "ending"
	}
	var all []string
	add := func(is bool, effect string) {
		if is {
			all = append(all, effect)
		}
	}
	lost, nowhere := p.has("Unmanaged", "OrphanedDaemonSet"), p.Landing == "DoesNotFit"
	waits := p.Budget != nil && p.Budget.Verdict == "Wait"
	add(lost, "lost")
	add(nowhere && !lost, "lands nowhere")
	add(waits, "waits")
	add(p.Down && !lost, "down until Ready")
	add(p.has("EmptyDir"), "loses data")
	add(p.has("Finished"), "finished")
	if len(all) == 0 {
		return "moves"
	}
	return strings.Join(all, ", ")
}

func (p *Pods) has(codes ...string) bool {
	return slices.ContainsFunc(p.Reasons, func(r string) bool { return slices.Contains(codes, r) })
}

// Stuck tells of verdicts that do not pass by themselves.
func (b *Budget) Stuck() bool {
	return b != nil && slices.Contains([]string{"Never", "Multiple", "Deadlock"}, b.Verdict)
}

// Speaks tells whether an expectation says anything of findings of that code. Of
// the others nothing is expected, of these exactly what is written.
func (s *Scene) Speaks(code string) bool {
	return slices.ContainsFunc(s.Nodes, func(n Node) bool {
		return slices.ContainsFunc(n.Findings, func(f Finding) bool { return f.Code == code })
	})
}

// Differences are what a plan names and should not, and the other way round.
func (s *Scene) Differences(n Node, named []Finding) []string {
	var all []string
	for _, f := range named {
		if s.Speaks(f.Code) && !slices.ContainsFunc(n.Findings, func(want Finding) bool { return want.is(f) }) {
			all = append(all, fmt.Sprintf("it names %s, which is not expected", f))
		}
	}
	for _, want := range n.Findings {
		if !slices.ContainsFunc(named, want.is) {
			all = append(all, fmt.Sprintf("it does not name %s", want))
		}
	}
	return all
}

func (f Finding) String() string {
	return f.Level + " " + f.Code + " of " + strings.Join(f.Objects, ", ")
}

// is tells whether a finding is the expected one: each object is expected, and
// each expected one is there.
func (f Finding) is(other Finding) bool {
	fits := func(pattern string) func(string) bool {
		return func(object string) bool { return matches(pattern, object) }
	}
	return f.Code == other.Code && f.Level == other.Level &&
		!slices.ContainsFunc(f.Objects, func(pattern string) bool {
			return !slices.ContainsFunc(other.Objects, fits(pattern))
		}) &&
		!slices.ContainsFunc(other.Objects, func(object string) bool {
			return !slices.ContainsFunc(f.Objects, func(pattern string) bool { return matches(pattern, object) })
		})
}
