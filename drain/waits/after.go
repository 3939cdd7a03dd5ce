package waits

import "github.com/kdrain-tui/kdrain-tui/drain/attempt"

// After is what a pod waits for that was refused.
func After(r attempt.Refusal) For {
	switch r {
	case attempt.RefusedByBudget:
		return ForBudget
	case attempt.RefusedBySeveralBudgets:
		return ForOneBudget
	case attempt.RefusedByBudgetController:
		return ForObserved
	case attempt.RefusedByWebhook:
		return ForWebhook
	}
	return ForServer
}
