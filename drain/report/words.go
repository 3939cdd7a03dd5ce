package report

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
)

// StateWord is the state of a pod of a run as screens and texts name it; JSON has the
// state itself.
func StateWord(s eviction.State) string {
	switch s {
	case eviction.Requested:
		return "asked"
	case eviction.BudgetBlocked, eviction.MultipleBudgets:
		return "blocked"
	case eviction.BudgetSyncing:
		return "new budget"
	case eviction.WebhookWait:
		return "webhook"
	case eviction.NamespaceTerminating:
		return "ns ending"
	case eviction.Terminating:
		return "ending"
	case eviction.StuckTerminating:
		return "stuck"
	}
	return strings.ToLower(string(s))
}

// NodeWord is the state of a node of a run as screens and texts name it; nothing drains on a node of a run that
// works no longer.
func NodeWord(s drain.NodeState, working bool) string {
	if s == drain.NodeDraining && !working {
		return "not finished"
	}
	return strings.ToLower(string(s))
}

// LossOf is what the leaving of a pod costs, as its plan saw it; a workload that was to
// be down is no longer so when the replacement is Ready.
func LossOf(p *eviction.Record) plan.Loss {
	if p.Loss == plan.LossDown && p.Replacement.State == replacement.Ready {
		return ""
	}
	return p.Loss
}

// lossesOf counts the pods that have left their nodes by what that cost.
func lossesOf(s *drain.State) plan.Losses {
	var sum plan.Losses
	for _, p := range s.Pods {
		if p.State.Left() {
			sum.Add(LossOf(p))
		}
	}
	return sum
}
