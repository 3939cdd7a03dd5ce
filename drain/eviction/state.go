package eviction

import (
	"cmp"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
)

// State is where a pod is in its run.
type State string

// The states of a pod. "Accepted" is not "gone": a pod whose eviction was
// accepted is Terminating until the cluster shows that it is not there.
const (
	Planned              State = "Planned"
	Surging              State = "Surging" // its replacement comes first
	Requested            State = "Requested"
	BudgetBlocked        State = "BudgetBlocked"
	BudgetSyncing        State = "BudgetSyncing"
	Throttled            State = "Throttled"
	WebhookWait          State = "WebhookWait"
	MultipleBudgets      State = "MultipleBudgets"
	NamespaceTerminating State = "NamespaceTerminating"
	Retrying             State = "Retrying"
	Terminating          State = "Terminating"
	StuckTerminating     State = "StuckTerminating"
	Gone                 State = "Gone"
	Replaced             State = "Replaced" // a namesake with another UID has its place
	Moved                State = "Moved"    // the same pod, bound to another node
	Skipped              State = "Skipped"
	Failed               State = "Failed"
)

// Final reports whether nothing more will happen to a pod in this state.
func (s State) Final() bool {
	switch s {
	case Gone, Replaced, Moved, Skipped, Failed:
		return true
	}
	return false
}

// Left reports whether the pod has left its node.
func (s State) Left() bool { return s == Gone || s == Replaced || s == Moved }

// Ends reports whether the pod is on its way to its end: that cannot be called back.
func (s State) Ends() bool { return s == Terminating || s == StuckTerminating }

// Blocked reports whether the pod waits for something that is not its own end.
func (s State) Blocked() bool {
	switch s {
	case BudgetBlocked, BudgetSyncing, Throttled, WebhookWait, MultipleBudgets, NamespaceTerminating, Retrying:
		return true
	}
	return false
}

// backsOff reports whether a blocked pod is left alone until a moment that no event of the
// cluster can overtake.
func (s State) backsOff() bool {
	switch s {
	case Retrying, Throttled, WebhookWait, NamespaceTerminating:
		return true
	}
	return false
}

// refusedStates are the states of pods whose eviction was refused; all others are tried again.
var refusedStates = map[attempt.Refusal]State{
	attempt.RefusedByBudget: BudgetBlocked, attempt.RefusedBySeveralBudgets: MultipleBudgets, attempt.RefusedByBudgetController: BudgetSyncing,
	attempt.RefusedByWebhook: WebhookWait, attempt.RefusedByThrottling: Throttled, attempt.RefusedByNamespace: NamespaceTerminating,
	attempt.RefusedByRights: Failed, attempt.RefusedAsInvalid: Failed,
}

// StateAfter is the state of a pod after that answer.
func StateAfter(m attempt.Meaning) State {
	switch {
	case m.Gone:
		return Gone
	case m.Refusal == attempt.NotRefused:
		return Terminating
	}
	return cmp.Or(refusedStates[m.Refusal], Retrying)
}
