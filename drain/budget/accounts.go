package budget

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Account is a budget as a run sees it at one look: what it allows, minus the evictions of the
// run that it does not show yet.
type Account struct {
	InFlight int // evictions under it, not answered yet

	free    int        // disruptions that are left
	assumed []kube.UID // the pods of the evictions that were taken off it
}

// FreeFor is how many disruptions are left for a pod: an earlier eviction of its own that may be
// done is the same one.
func (a *Account) FreeFor(pod kube.UID) int {
	if a.Assumes(pod) {
		return a.free + 1
	}
	return a.free
}

// Assumes reports whether an eviction of the pod may be done that the status of the budget does not show.
func (a *Account) Assumes(pod kube.UID) bool { return slices.Contains(a.assumed, pod) }

// Accounts keep which budgets select a pod, and their Accounts, for one look at a snapshot. The
// zero value has none yet.
type Accounts struct {
	budgets map[kube.UID][]*kube.Budget // by pod
	open    map[kube.UID]*Account       // by budget
}

// WayUnseen is the branch of the eviction handler where budgets cannot be read.
const WayUnseen PredictedWay = "unseen"

// WayOf is the branch of the eviction handler that the eviction of the pod would
// take, and the budgets that select the pod, as far as the snapshot knows.
func (a *Accounts) WayOf(s *kube.Snapshot, live *kube.Pod) (PredictedWay, []*kube.Budget) {
	if s.In(live.Namespace).Sync(kube.KindBudgets).Phase == kube.Denied {
		return WayUnseen, nil
	}
	budgets, known := a.budgets[live.UID]
	if !known {
		if a.budgets == nil {
			a.budgets = map[kube.UID][]*kube.Budget{}
		}
		budgets = s.BudgetsOf(live)
		a.budgets[live.UID] = budgets
	}
	return Predict(live, budgets, live.UID).Way, budgets
}

// Of is the account of a budget. Wake is when an assumed eviction expires, zero for never.
func (a *Accounts) Of(b *kube.Budget, assumed Assumed, s *kube.Snapshot,
	now time.Time) (account *Account, wake time.Time) {
	if known, ok := a.open[b.UID]; ok {
		return known, time.Time{}
	}
	if a.open == nil {
		a.open = map[kube.UID]*Account{}
	}
	account, wake = assumed.account(b, s, now)
	a.open[b.UID] = account
	return account, wake
}

// Charge takes an eviction of the pod under the budget that is sent off its account.
func (a *Accounts) Charge(budget, pod kube.UID) {
	if account, open := a.open[budget]; open {
		account.free, account.InFlight = account.FreeFor(pod)-1, account.InFlight+1
		account.assumed = append(account.assumed, pod)
	}
}
