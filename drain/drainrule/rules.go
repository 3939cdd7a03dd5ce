package drainrule

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The behaviors of a rule.
const (
	Drain         = "Drain"
	Skip          = "Skip"
	WaitCompleted = "WaitCompleted"
)

// OfLabel is the behavior that the label of a pod asks for, "" for none: it takes no notice of case.
func OfLabel(value string) string {
	switch {
	case strings.EqualFold(value, Skip):
		return Skip
	case strings.EqualFold(strings.Replace(value, "-", "", 1), WaitCompleted):
		return WaitCompleted
	}
	return ""
}

// Rules are the rules for the pods of some nodes, as they were when a plan was made. A run keeps
// them: it is finished by the rules that it was confirmed with.
type Rules struct {
	Nodes map[string]Node `json:"nodes,omitempty"` // those that have rules
}

// Node is what applies to the pods of one node.
type Node struct {
	Machine string `json:"machine,omitempty"` // NAMESPACE/NAME, "" where it is not known
	// Unknown is why not all rules could be compared with the Machine, "" where they were.
	Unknown string `json:"unknown,omitempty"`
	Rules   []Rule `json:"rules,omitempty"` // in the order in which they are asked
}

// Rule is what a MachineDrainRule says about pods.
type Rule struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	Behavior  string     `json:"behavior"`
	Order     int32      `json:"order,omitempty"`
	Pods      []Selector `json:"pods,omitempty"` // none selects all
	Invalid   string     `json:"invalid,omitempty"`
}

// Selector selects pods by their labels and by those of their Namespace.
type Selector struct {
	Pods       text `json:"pods"`
	Namespaces text `json:"namespaces"`
}

// text is a label selector that is kept as its text.
type text struct{ labels.Selector }

// MarshalText is the selector as kubectl takes it, "" for everything.
func (t text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *text) UnmarshalText(written []byte) (err error) {
	t.Selector, err = labels.Parse(string(written))
	return err
}

const kind = "MachineDrainRule "

// Title names the rule in a sentence.
func (r *Rule) Title() string { return kind + r.Namespace + "/" + r.Name }

// Names reports whether a sentence begins with the title of a rule.
func Names(sentence string) bool { return strings.HasPrefix(sentence, kind) }

// Gap is why rules could not be compared with the Machines of some nodes.
type Gap struct {
	Why   string
	Nodes []string
}

// Unknown are the gaps in the rules of the nodes, by their reasons.
func (r *Rules) Unknown() []Gap {
	if r == nil {
		return nil
	}
	var gaps []Gap
	for _, name := range slices.Sorted(maps.Keys(r.Nodes)) {
		why := r.Nodes[name].Unknown
		if why == "" {
			continue
		}
		i := slices.IndexFunc(gaps, func(g Gap) bool { return g.Why == why })
		if i < 0 {
			i, gaps = len(gaps), append(gaps, Gap{Why: why})
		}
		gaps[i].Nodes = append(gaps[i].Nodes, name)
	}
	return gaps
}

// For is the first rule that is for a pod, nil for none. Why is set where the rule says nothing that
// can be done, or where it cannot be told whether it is for the pod; no later rule is asked then.
func (r *Rules) For(s *kube.Snapshot, p *kube.Pod) (rule *Rule, why string) {
	if r == nil {
		return nil, ""
	}
	rules := r.Nodes[p.Node].Rules
	for i := range rules {
		rule := &rules[i]
		switch selected, unknown := rule.selects(s, p); {
		case rule.Invalid != "":
			return rule, "it cannot be read: " + rule.Invalid
		case unknown:
			return rule, "whether it is for the pod is not known: the labels of namespace " + p.Namespace + " are not"
		case !selected:
		case !slices.Contains([]string{Drain, Skip, WaitCompleted}, rule.Behavior):
			return rule, "its behavior is not known"
		default:
			return rule, ""
		}
	}
	return nil, ""
}

// selects reports whether one of the selectors matches; unknown where none does, and one might.
func (r *Rule) selects(s *kube.Snapshot, p *kube.Pod) (selected, unknown bool) {
	for _, selector := range r.Pods {
		if !selector.Pods.Matches(p.Labels) {
			continue
		}
		in, known := inNamespace(s, selector.Namespaces, p.Namespace)
		if in {
			return true, false
		}
		unknown = unknown || !known
	}
	return len(r.Pods) == 0, unknown
}

// inNamespace reports whether a selector matches a namespace. Its name is a label of each, so it is
// known also where namespaces cannot be read.
func inNamespace(s *kube.Snapshot, of labels.Selector, name string) (in, known bool) {
	if ns := s.Namespace(name); ns != nil {
		return of.Matches(ns.Labels), true
	}
	const byName = "kubernetes.io/metadata.name"
	requirements, _ := of.Requirements()
	undecided := false
	for i := range requirements {
		if requirements[i].Key() != byName {
			undecided = true
		} else if !requirements[i].Matches(labels.Set{byName: name}) {
			return false, true
		}
	}
	return !undecided, !undecided
}
