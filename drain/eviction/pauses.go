package eviction

import (
	"cmp"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	BudgetPoll = 30 * time.Second // safety net under the events of a budget
	// unseenFirst is the pause after the refusal of a budget that the run does not see,
	// which is kubectl's (EvictErrorRetryDelay); it doubles up to BudgetPoll.
	unseenFirst = 5 * time.Second

	pollPart = 10               // of the time that a pod has been blocked: the pause between two tries
	pollMost = 10 * time.Minute // at most

	// saidEvery is how often at most the figures of what a blocked pod waits for are
	// told again: they change with every pod that comes and goes under the budget.
	saidEvery = time.Second
	// figuresPart is the part of the time that a pod has been blocked after which
	// figures that changed are written again: the longer it waits, the rarer, so that
	// the journal of a wait grows with its logarithm.
	figuresPart = 10
)

// pollDue reports whether a blocked pod is to be tried although nothing says that
// it would go: the safety net under the events, one try per budget and time. The
// first try waits as long. Where retries are counted, each pod has its own.
func (v *View) pollDue(r *Record, live *kube.Pod, b *kube.Budget) bool {
	if r.RetryNow {
		return true
	}
	if !r.State.Blocked() || !v.hasVolumeTurn(r, live) {
		return false
	}
	if v.proofDue(r) {
		return true
	}
	last := r.refusedAt
	if r.BlockedSince.After(last) {
		last = r.BlockedSince
	}
	if b != nil && v.Options.MaxEvictRetries == 0 && v.Tried[b.UID].After(last) {
		last = v.Tried[b.UID]
	}
	return v.past(last.Add(v.pollPause(r)))
}

// againDue reports whether a pod is to be tried again that was refused under budgets
// which the run does not see.
func (v *View) againDue(r *Record) bool {
	return r.RetryNow || v.proofDue(r) || v.past(r.refusedAt.Add(r.unseenPause(v.Now)))
}

// unseenPause is how long after a refusal under a budget that the run does not see
// the next try is due: as long as kubectl waits while others of its namespace go,
// longer where nothing moves, and as long as the server asked for.
func (r *Record) unseenPause(now time.Time) time.Duration {
	pause := min(attempt.Doubled(unseenFirst, pollMost, r.repeats), max(BudgetPoll, r.patientPause(now)))
	if r.Last != nil {
		pause = max(pause, plan.FromSeconds(r.Last.RetryAfterSeconds))
	}
	return pause
}

// pollPause is how long after a try the next one is due that nothing calls for. The
// longer a pod is blocked the rarer, unless tries are counted.
func (v *View) pollPause(r *Record) time.Duration {
	if v.Options.MaxEvictRetries > 0 {
		return BudgetPoll
	}
	return max(BudgetPoll, r.patientPause(v.Now))
}

// patientPause is the pause of a pod that nothing but time may help: a part of the time
// that it has been blocked. It makes a wait longer by that part at most, and keeps the
// journal of one that lasts for days small.
func (r *Record) patientPause(now time.Time) time.Duration {
	return min(r.BlockedFor(now)/pollPart, pollMost)
}

// Change is a state that a pod comes to, and what it waits for there.
type Change struct {
	State     State // "" for no change
	Wait      *waits.Wait
	Message   string
	DeletedAt time.Time // its deletionTimestamp, zero where it has none
	Forced    bool      // its next request deletes it past its budget
	Passing   bool      // only figures changed, and the journal can do without them
}

// Tell reports whether a change is worth an event now: what is new is, but figures only now and
// then. It marks those as Passing that the journal can do without.
func (v *View) Tell(r *Record, c *Change) bool {
	if c.State != r.State || c.Message != "" && c.Message != r.Message {
		return c.State != ""
	}
	if waits.Same(r.Wait, c.Wait) {
		return false
	}
	if c.State != BudgetBlocked || !r.Wait.OnlyFigures(c.Wait) {
		return true
	}
	c.Passing = v.Now.Before(r.writtenAt.Add(r.BlockedFor(v.Now) / figuresPart))
	return !v.tooSoon(r)
}

// tooSoon reports whether what the pod waits for was told a moment ago.
func (v *View) tooSoon(r *Record) bool {
	every := cmp.Or(v.Limits.FiguresEvery, saidEvery)
	return every < 0 || !v.past(r.saidAt.Add(every))
}
