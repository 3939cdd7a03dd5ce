package drain

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// books are what one look works out once and asks for often: which budgets a pod
// has, and what each of them still allows.
type books struct {
	tracker  *budget.Tracker
	budgets  map[kube.UID][]*kube.Budget       // by pod
	accounts map[kube.UID]*account             // by budget
	guards   map[kube.UID]*budget.GuardTracker // by workload
	queue    *volume.Queue                     // of pods with volumes
}

// account is a budget as the run sees it at this look.
type account struct {
	free     int         // tokens
	inFlight int         // of our evictions under it, not answered yet
	hold     *waits.Wait // what its Ready pods wait for, nil until asked for
}

func (st releaseStep) budgetsOf(live *kube.Pod) []*kube.Budget {
	if known, ok := st.books.budgets[live.UID]; ok {
		return known
	}
	if st.books.budgets == nil {
		st.books.budgets = map[kube.UID][]*kube.Budget{}
	}
	budgets := st.snap.BudgetsOf(live)
	st.books.budgets[live.UID] = budgets
	return budgets
}

// account opens the account of a budget: what it allows, minus our own evictions
// that it does not show yet.
func (st releaseStep) account(b *kube.Budget) *account {
	if known, ok := st.books.accounts[b.UID]; ok {
		return known
	}
	if st.books.accounts == nil {
		st.books.accounts = map[kube.UID]*account{}
	}
	a := &account{}
	var wake time.Time
	a.free, a.inFlight, wake = st.s.Assumed.Remaining(b, st.snap, st.now)
	st.wakeAt(wake)
	st.books.accounts[b.UID] = a
	return a
}

// budgetHold is what a pod waits for while its budget has no token for it: the
// budget's own limit, or our other evictions under it that are not over yet.
// Healthy pods wait for the same.
func (st releaseStep) budgetHold(p *PodRun, live *kube.Pod, b *kube.Budget) *waits.Wait {
	a := st.account(b)
	if live.Ready && a.hold != nil {
		return a.hold
	}
	wait := st.budgetWait(live)
	if wait == nil {
		numbers := budget.NumbersOf(b)
		wait = &waits.Wait{For: waits.ForBudget, Budget: &numbers, UnhealthyPod: budget.UnhealthyPodUnder(b, st.snap, p.UID, st.now)}
	}
	if live.Ready {
		a.hold = wait
	}
	return wait
}

// budgetWait is what the pod waits for, nil where no budget blocks it.
func (st releaseStep) budgetWait(live *kube.Pod) *waits.Wait {
	if st.books.tracker == nil {
		st.books.tracker = budget.NewTracker(st.snap, st.now)
	}
	return waits.UnderBudgets(st.books.tracker, live)
}

// charge takes a token for an eviction that was just released.
func (st releaseStep) charge(b *kube.Budget) {
	if b == nil {
		return
	}
	if a, open := st.books.accounts[b.UID]; open {
		a.free--
		a.inFlight++
	}
}

// pollDue reports whether a blocked pod is to be tried although nothing says that
// it would go: the safety net under the events, one try per budget and time. The
// first try waits as long. Where retries are counted, each pod has its own.
func (st releaseStep) pollDue(p *PodRun, live *kube.Pod, b *kube.Budget) bool {
	if p.retryNow {
		return true
	}
	if !p.State.Blocked() || !st.volumes().hasVolumeTurn(p, live) {
		return false
	}
	if st.proofDue(p) {
		return true
	}
	last := p.refusedAt
	if p.BlockedSince.After(last) {
		last = p.BlockedSince
	}
	if b != nil && st.s.Run.Options.MaxEvictRetries == 0 && st.s.tried[b.UID].After(last) {
		last = st.s.tried[b.UID]
	}
	due := last.Add(st.pollPause(p))
	st.wakeAt(due)
	return !st.now.Before(due)
}

// againDue reports whether a pod is to be tried again that was refused under budgets
// which the run does not see.
func (st releaseStep) againDue(p *PodRun) bool {
	return p.retryNow || st.proofDue(p) || st.past(p.refusedAt.Add(p.unseenPause()))
}

// unseenPause is how long after a refusal under a budget that the run does not see
// the next try is due: as long as kubectl waits while others of its namespace go,
// longer where nothing moves, and as long as the server asked for.
func (p *PodRun) unseenPause() time.Duration {
	pause := attempt.Doubled(unseenFirst, BudgetPoll, p.repeats)
	if p.Last != nil {
		pause = max(pause, plan.FromSeconds(p.Last.RetryAfterSeconds))
	}
	return pause
}

const (
	pollPart = 10               // of the time that a pod has been blocked: the pause between two tries
	pollMost = 10 * time.Minute // at most
)

// pollPause is how long after a try the next one is due that nothing calls for. The
// longer a pod is blocked the rarer, unless tries are counted.
func (st releaseStep) pollPause(p *PodRun) time.Duration {
	if st.s.Run.Options.MaxEvictRetries > 0 {
		return BudgetPoll
	}
	return min(max(BudgetPoll, p.BlockedFor(st.now)/pollPart), pollMost)
}

const (
	// saidEvery is how often at most the figures of what a blocked pod waits for are
	// told again: they change with every pod that comes and goes under the budget.
	saidEvery = time.Second
	// figuresPart is the part of the time that a pod has been blocked after which
	// figures that changed are written again: the longer it waits, the rarer, so that
	// the journal of a wait grows with its logarithm.
	figuresPart = 10
)

// onlyFigures reports whether a wait is the last one with other figures, or with
// another pod to blame.
func onlyFigures(p *PodRun, state PodState, wait *waits.Wait) bool {
	return p.State == state && state == PodBudgetBlocked && p.Wait != nil && wait != nil &&
		p.Wait.For == wait.For && p.Wait.Never == wait.Never && slices.Equal(p.Wait.Budgets, wait.Budgets)
}

// tooSoon reports whether what the pod waits for was told a moment ago.
func (st *stepper) tooSoon(p *PodRun) bool {
	every := cmp.Or(st.s.limits.figuresEvery, saidEvery)
	if every < 0 {
		return true
	}
	next := p.saidAt.Add(every)
	st.wakeAt(next)
	return st.now.Before(next)
}

// guarded is the guard's book for a pod that no budget covers, nil where there is
// no guard or it has nothing to say.
func (st releaseStep) guarded(live *kube.Pod) *budget.GuardTracker {
	guard := st.s.Run.Options.Guard
	if guard == "" {
		return nil
	}
	w := budget.GuardedBy(st.snap, live)
	if w == nil {
		return nil
	}
	if book, known := st.books.guards[w.UID]; known {
		return book
	}
	book := guard.Book(st.snap, w)
	if st.books.guards == nil {
		st.books.guards = map[kube.UID]*budget.GuardTracker{}
	}
	st.books.guards[w.UID] = book
	return book
}
