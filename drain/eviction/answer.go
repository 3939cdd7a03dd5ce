package eviction

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// After is the change that follows from the answer to an eviction or deletion. Asked for again is
// the pause before a right is asked for again that is missing only for a moment, zero for one
// that is missing for good.
func (v *View) After(r *Record, a kube.Answer, rightAgain time.Duration) Change {
	m := attempt.Interpret(a, r.Tries)
	state := StateAfter(m)
	if rightAgain > 0 {
		state, m.After = Retrying, rightAgain
	}
	if m.After > 0 {
		m.After = max(m.After, min(attempt.Doubled(attempt.RetryFirst, pollMost, r.Tries), r.patientPause(v.Now)))
	}
	switch state {
	case Terminating:
		return r.Ends(r.GraceSeconds, "", v.Now)
	case Gone:
		return v.left(r)
	case Failed:
		return Change{State: Failed, Message: m.Words}
	}
	return Change{State: state, Wait: v.waitAfter(r, m)}
}

// Ends is the change of a pod whose deletion was accepted, with so many seconds of grace.
func (r *Record) Ends(grace int64, how string, now time.Time) Change {
	return Change{State: Terminating, Message: how,
		Wait: &waits.Wait{For: waits.ForGrace, Until: now.Add(time.Duration(grace) * time.Second)}}
}

// waitAfter says what a refused pod waits for: who refused it tells the server,
// the facts come from the snapshot where that knows of it.
func (v *View) waitAfter(r *Record, m attempt.Meaning) *waits.Wait {
	wait, after := &waits.Wait{For: waits.After(m.Refusal)}, m.After
	if live := v.Snap.Pod(r.UID); live != nil && m.Refusal.UnderBudget() {
		way, budgets := v.accounts.WayOf(v.Snap, live)
		if shown := v.budgetWait(live); shown != nil && shown.For == wait.For {
			wait = shown
		} else if len(budgets) > 0 {
			numbers := budget.NumbersOf(budgets[0])
			wait.Budget = &numbers
		}
		if after = BudgetPoll; way != budget.WaySpends && way != budget.WaySeveral {
			after = r.unseenPause(v.Now)
		}
	}
	wait.Words = m.Words
	if after > 0 {
		wait.Until = v.Now.Add(after)
	}
	return wait
}

// AfterLook is the change that follows from the answer to "who has this name now?". Again tells that
// the pod is tried again: its state and its words may be those of before, the time of the next try is new.
func (v *View) AfterLook(r *Record, a kube.Answer) (c Change, again bool) {
	switch {
	case a.Class() == kube.AnswerGone:
		return Change{State: Gone}, false
	case a.OK() && a.UID != r.UID:
		return Change{State: Replaced}, false
	}
	why := attempt.AnswerWords(a) // the live read failed
	if a.OK() && r.Wait != nil {
		why = r.Wait.Words // still the same pod: why the eviction was refused
	}
	return Change{State: Retrying,
		Wait: &waits.Wait{For: waits.ForServer, Until: v.Now.Add(r.Pause(a.RetryAfter)), Words: why}}, true
}
