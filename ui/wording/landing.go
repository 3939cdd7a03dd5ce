package wording

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Landing says where the replacement could go, "" where nothing is to be said.
func Landing(p plan.Pod) string {
	if p.NotRemade != "" {
		return "It will not be recreated: " + strings.TrimSuffix(p.NotRemade, ".") + "."
	}
	l := p.Landing
	if l == nil {
		return ""
	}
	switch {
	case l.Answer == landing.DoesNotFit:
		return "Its replacement cannot be scheduled on any node: " + strings.TrimSuffix(l.Why, ".") + "."
	case l.Answer == landing.Unknown:
		return "Whether its replacement can be scheduled is not known: " + strings.TrimSuffix(l.Why, ".") + "."
	case l.Together.Answer == landing.DoesNotFit:
		return "Alone it fits; when all pods of the plan move it may not fit (estimated)."
	}
	return fmt.Sprintf("Its replacement fits on %s.", format.Count(l.Nodes, "node"))
}

// Advice is what would help a pod, the least harmful first.
func Advice(p plan.Pod) []budget.Advice {
	if len(p.Advice) == 0 && p.Budget != nil {
		return p.Budget.Advice
	}
	return p.Advice
}
