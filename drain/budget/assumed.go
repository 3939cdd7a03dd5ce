package budget

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// AssumedFor is how long an accepted eviction is assumed at most: what the controller makes
// of it may not show, and a token only saves requests.
const AssumedFor = 15 * time.Second

// assumed is an eviction of ours that its budget may not show yet, as the scheduler's cache
// assumes a pod before the server shows it.
type assumed struct {
	action   uint64
	pod      kube.UID
	name     string    // of the pod
	at       time.Time // when it was sent, then when it was answered
	version  string    // the budget's resourceVersion when it was sent
	answered bool      // it is or may be done, and no further answer comes
}

// Assumed are the evictions of a run that their budgets may not show yet, by budget. A map of
// its own is made by Clone.
type Assumed map[kube.UID][]assumed

// Clone is a copy that can be changed.
func (a Assumed) Clone() Assumed {
	c := make(Assumed, len(a))
	for budget, list := range a {
		c[budget] = slices.Clone(list)
	}
	return c
}

// Assume notes that an eviction under the budget was sent, "" for none. It is the same disruption as an earlier
// one of the pod, whatever became of that; one that costs nothing gives back nothing.
func (a Assumed) Assume(budget kube.UID, version string, action uint64, pod kube.UID, name string, at time.Time) {
	for of, list := range a {
		if budget != "" || of == "" {
			a[of] = slices.DeleteFunc(list, func(e assumed) bool { return e.pod == pod })
		}
	}
	a[budget] = append(a[budget], assumed{action: action, pod: pod, name: name, at: at, version: version})
}

// Answered keeps an eviction that is done, or may be as its answer was lost, until its budget
// shows it, and forgets one that was refused. A pod that is gone by the answer is kept without its budget: that
// was told by others, and the snapshot may still show the pod.
func (a Assumed) Answered(action uint64, mayBeDone, gone bool, at time.Time) {
	for budget, list := range a {
		i := slices.IndexFunc(list, func(e assumed) bool { return e.action == action })
		if i < 0 {
			continue
		}
		e := &list[i]
		if e.answered, e.at = true, at; mayBeDone {
			return
		}
		left := *e
		a[budget] = slices.Delete(list, i, i+1)
		if gone {
			a[""] = append(a[""], left)
		}
		return
	}
}

// Expire forgets what was answered too long ago. A request still in flight stays assumed.
func (a Assumed) Expire(now time.Time) {
	for budget, list := range a {
		if list = slices.DeleteFunc(list, func(e assumed) bool { return e.expired(now) }); len(list) == 0 {
			delete(a, budget)
			continue
		}
		a[budget] = list
	}
}

// Resume lets expire what another process sent and was not answered: its answer never comes.
func (a Assumed) Resume(at time.Time) {
	for _, list := range a {
		for i := range list {
			if !list[i].answered {
				list[i].answered, list[i].at = true, at
			}
		}
	}
}

func (e *assumed) expired(now time.Time) bool { return e.answered && now.Sub(e.at) >= AssumedFor }

// account is what a budget still allows: what it reports, minus our evictions that its figures
// do not contain yet. Wake is when one expires, zero for never.
func (a Assumed) account(b *kube.Budget, s *kube.Snapshot, now time.Time) (account *Account, wake time.Time) {
	account = &Account{free: int(b.DisruptionsAllowed)}
	for i := range a[b.UID] {
		e := &a[b.UID][i]
		if !e.answered {
			account.InFlight++
		}
		_, listed := b.DisruptedPods[e.name]
		listed = listed && b.ResourceVersion != e.version // else by an earlier eviction, of somebody else
		if e.answered && !listed && !e.expired(now) {
			wake = earliest(wake, e.at.Add(AssumedFor))
		}
		if !listed && !e.confirmed(b, s, now) {
			account.free--
			account.assumed = append(account.assumed, e.pod)
		}
	}
	return account, wake
}

// confirmed reports whether the figures of the budget contain the eviction already, though they
// do not list its pod as disrupted: it is terminating, and the budget has changed since the
// eviction was sent. (Since the answer would be too late: the controller may have dealt with the pod before
// the answer is here, and the budget then stays as it is.) A change in between that was not
// ours makes it say so a moment too early, which costs a refused request.
func (e *assumed) confirmed(b *kube.Budget, s *kube.Snapshot, now time.Time) bool {
	if !e.answered || e.expired(now) {
		return e.answered
	}
	live := s.Pod(e.pod)
	return b.ResourceVersion != e.version && (live == nil || live.Terminating())
}

// RemainingUnderGuard is how many evictions the guard lets pass now for a pod: our evictions of others
// that the snapshot does not show yet are taken off, also those that drew on a budget that is gone by now or that
// cost nothing, as their pods were not Ready. One that left no trace for so long was not done.
func (a Assumed) RemainingUnderGuard(g *GuardTracker, pod kube.UID, now time.Time) (remaining int, wake time.Time) {
	away := map[kube.UID]bool{}
	for _, list := range a {
		for i := range list {
			e := &list[i]
			if e.pod == pod || !g.present[e.pod] || e.expired(now) {
				continue
			}
			if e.answered {
				wake = earliest(wake, e.at.Add(AssumedFor))
			}
			away[e.pod] = true
		}
	}
	return g.Free - len(away), wake
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
