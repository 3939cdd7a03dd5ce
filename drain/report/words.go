package report

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
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

// nodeWord is the state of a node of a run as screens and texts name it; nothing drains on a node of a run that
// works no longer.
func nodeWord(s drain.NodeState, working bool) string {
	switch {
	case s == drain.NodeDraining && !working:
		return "not finished"
	case s == drain.NodeWaiting && !working:
		return "not begun"
	}
	return strings.ToLower(string(s))
}
