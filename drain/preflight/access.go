package preflight

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Access is what the server said to the rights that a drain under some options
// needs.
type Access struct {
	User    string
	Missing []MissingRight
}

// MissingRight is one rule that the user lacks.
type MissingRight struct {
	Rule      string // as RBAC names it: "patch nodes", "create pods/eviction"
	Namespace string // where it is missing, "" for all
	Why       string // the authorizer's words, often none
}

// Words say what is missing in one line, "" where nothing is.
func (a Access) Words() string {
	if len(a.Missing) == 0 {
		return ""
	}
	rules := make([]string, len(a.Missing))
	for i, m := range a.Missing {
		rules[i] = m.Rule
	}
	return a.User + " may not " + strings.Join(rules, ", ")
}

// findAccess is the finding about rights that are missing: a plan is there all the
// same, but a drain with its options would not begin (exit code 5).
func findAccess(_ *kube.Snapshot, _ *plan.Plan, env *Env) []plan.Finding {
	text := env.Access.Words()
	if text == "" {
		return nil
	}
	f := plan.Finding{Code: plan.FindingAccess, Level: plan.LevelError, Message: text +
		": a drain with these options ends with exit code 5 before it writes anything"}
	for _, m := range env.Access.Missing {
		if m.Why != "" {
			f.Message += "; " + m.Rule + ": " + format.Quote(m.Why)
		}
		verb, resource, _ := strings.Cut(m.Rule, " ")
		resource, subresource, sub := strings.Cut(resource, "/")
		command := "kubectl auth can-i " + verb + " " + resource
		if sub {
			command += " --subresource=" + subresource
		}
		where := " -A"
		if m.Namespace != "" {
			where = " -n " + m.Namespace
		}
		f.Advice = append(f.Advice, budget.Advice{Command: command + where,
			Text: "have somebody grant the right (docs/rbac.md has a role with it), then see"})
	}
	return []plan.Finding{f}
}
