package drain

import (
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// answerStep says what follows from an answer to a request.
type answerStep struct{ *stepper }

func (st *stepper) answers() answerStep { return answerStep{st} }

// send releases a write: its intent becomes an event, then the engine gets it.
func (st *stepper) send(w Write, e Event) {
	w.ID, w.At = st.s.nextAction+1, st.now
	e.Kind, e.Action.ID = EventIntent, w.ID
	st.emit(e)
	st.out.Writes = append(st.out.Writes, w)
	st.out.Sync = st.out.Sync || w.Request.Lasting()
}

// onAnswer notes what came back for a write and what it means.
func (st answerStep) onAnswer(in Answered) {
	w := in.Write
	e := Event{Kind: EventAnswer, Node: w.Node, Action: &attempt.ActionFacts{ID: w.ID, Verb: w.Verb}, Answer: attempt.AnswerFactsOf(in.Answer)}
	if w.Remedy != 0 {
		st.remedies().onRemedyAnswer(w, in.Answer, e)
		return
	}
	switch r := w.Request.(type) {
	case request.Cordon:
		if n := st.s.Node(w.Node); n != nil {
			class := st.classOf(in.Answer, n.Attempt)
			st.emit(e)
			st.cordoning().onCordonAnswer(st.s.Node(w.Node), in.Answer, class)
		}
	case request.WriteLease, request.DeleteLease:
		st.leases().onLeaseAnswer(w, in.Answer, e)
	case request.CreateBudget:
		st.tempBudgets().onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	case request.GetBudget:
		st.tempBudgets().onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	case request.BudgetRef:
		st.tempBudgets().onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	default:
		st.onPodAnswer(w, in.Answer, e)
	}
}

// onPodAnswer notes what came back for an eviction, a deletion or a look at a pod.
func (st answerStep) onPodAnswer(w Write, a kube.Answer, e Event) {
	p := st.s.Pod(w.pod())
	if p == nil {
		return
	}
	e.Namespace, e.Pod, e.UID = p.Namespace, p.Name, p.UID
	if w.Verb == attempt.VerbLook {
		e.Answer.Look = lookAgain(a)
	} else {
		e.Answer.Look = Interpret(a, 1).Look
	}
	st.emit(e)
	p = st.s.Pod(p.UID)
	if p.State.Final() {
		return // the cluster showed its end before the answer came
	}
	if w.Verb == attempt.VerbLook {
		st.onLook(p, a)
		return
	}
	st.takeEviction(p, a)
}

// pod is the UID of the pod that a write is about, "" if it is about none.
func (w Write) pod() kube.UID {
	switch r := w.Request.(type) {
	case request.Evict:
		return r.UID
	case request.Delete:
		return r.UID
	case request.GetPod:
		return r.UID
	}
	return ""
}

func (st answerStep) takeEviction(p *PodRun, a kube.Answer) {
	m := Interpret(a, p.Tries)
	if st.stillStarting(a) {
		m.State, m.After = PodRetrying, rightsRetry
	}
	switch m.State {
	case PodTerminating:
		grace := time.Duration(p.GraceSeconds) * time.Second
		st.setPod(p, PodTerminating, &waits.Wait{For: waits.ForGrace, Until: st.now.Add(grace)}, "")
	case PodGone:
		st.left(p)
	case PodFailed:
		st.setPod(p, PodFailed, nil, m.Words)
	default:
		st.setPod(p, m.State, st.waitAfter(p, m), "")
	}
}

// waitAfter says what a refused pod waits for: who refused it tells the server,
// the facts come from the snapshot where that knows of it.
func (st answerStep) waitAfter(p *PodRun, m Meaning) *waits.Wait {
	wait, after := &waits.Wait{For: waitFor(m.Refusal)}, m.After
	if live := st.snap.Pod(p.UID); live != nil && m.Refusal.UnderBudget() {
		way, budgets := st.releasing().wayOf(live)
		if shown := st.releasing().budgetWait(live); shown != nil && shown.For == wait.For {
			wait = shown
		} else if len(budgets) > 0 {
			numbers := budget.NumbersOf(budgets[0])
			wait.Budget = &numbers
		}
		if after = BudgetPoll; way != budget.WaySpends && way != budget.WaySeveral {
			after = p.unseenPause()
		}
	}
	wait.Words = m.Words
	if after > 0 {
		wait.Until = st.now.Add(after)
	}
	return wait
}

// waitFor is what a pod waits for that was refused.
func waitFor(r attempt.Refusal) waits.For {
	switch r {
	case attempt.RefusedByBudget:
		return waits.ForBudget
	case attempt.RefusedBySeveral:
		return waits.ForOneBudget
	case attempt.RefusedBySyncing:
		return waits.ForObserved
	case attempt.RefusedByWebhook:
		return waits.ForWebhook
	}
	return waits.ForServer
}

// onLook handles the answer to "who has this name now?".
func (st answerStep) onLook(p *PodRun, a kube.Answer) {
	switch {
	case attempt.PodGone(a):
		st.setPod(p, PodGone, nil, "")
	case a.OK() && a.UID != p.UID:
		st.setPod(p, PodReplaced, nil, "")
	default: // still the same pod, or not known: try again a little later
		st.setPod(p, PodRetrying, &waits.Wait{For: waits.ForServer, Until: st.now.Add(p.Pause(a)), Words: attempt.AnswerWords(a)}, "")
	}
}

// lookAgain reports whether the question who has a name is still open, and may be
// answered later. Where the pod must not be read it is not asked again: the
// precondition of the next eviction protects its namesake too.
func lookAgain(a kube.Answer) bool {
	return !a.OK() && attempt.RefusalOf(a) != attempt.NotRefused && attempt.RefusalOf(a).Passes()
}

// left notes that the pod is no longer on its node, and what has its name.
func (st *stepper) left(p *PodRun) {
	if namesake := st.snap.PodNamed(p.Namespace, p.Name); namesake != nil && namesake.UID != p.UID {
		st.setPod(p, PodReplaced, nil, "")
		return
	}
	st.setPod(p, PodGone, nil, "")
}

// The waits after answers. Where the cluster shows what the pod waits for, they
// are upper bounds: its change ends the wait at once.
const (
	throttleLeast = time.Second      // whatever Retry-After says, never a hot loop
	webhookWait   = 10 * time.Second // no event tells that a webhook would answer otherwise now
	BudgetPoll    = 30 * time.Second // safety net under the events of a budget
	NamespaceWait = 5 * time.Second
	// unseenFirst is the pause after the refusal of a budget that the run does not see,
	// which is kubectl's (EvictErrorRetryDelay); it doubles up to budgetPoll.
	unseenFirst = 5 * time.Second
)

// Meaning is what an answer to an eviction or delete says about its pod.
type Meaning struct {
	Refusal attempt.Refusal
	State   PodState
	// After is how long the answer itself asks to wait before the next try; zero
	// where there will be none or the pod's budgets decide.
	After time.Duration
	// Look tells that the server must be asked who has the name now.
	Look bool
	// Words are the server's, for the screen.
	Words string
}

// Interpret says what the server's answer to an eviction or delete means.
// Whatever is not known is Retrying, for a transient failure must never end a pod.
// failures counts the answers in a row, this one included, that no budget gave.
func Interpret(a kube.Answer, failures int) Meaning {
	m := Meaning{Refusal: attempt.RefusalOf(a), Words: attempt.AnswerWords(a)}
	switch m.Refusal {
	case attempt.NotRefused:
		m.State = PodTerminating
		if !a.OK() {
			m.State = PodGone
		}
	case attempt.RefusedByBudget:
		m.State = PodBudgetBlocked
	case attempt.RefusedBySeveral:
		m.State = PodMultipleBudgets
	case attempt.RefusedBySyncing:
		m.State, m.After = PodBudgetSyncing, a.RetryAfter
	case attempt.RefusedByWebhook:
		m.State, m.After = PodWebhookWait, max(webhookWait, a.RetryAfter)
		if a.Code >= http.StatusInternalServerError { // it may be back in a moment
			m.After = max(attempt.BackOff(failures), a.RetryAfter)
		}
	case attempt.RefusedByThrottle:
		m.State, m.After = PodThrottled, max(throttleLeast, a.RetryAfter)
	case attempt.RefusedByNamespace:
		m.State, m.After = PodNamespaceTerminating, NamespaceWait
	case attempt.RefusedByConflict:
		m.State, m.After = PodRetrying, max(attempt.BackOff(failures), a.RetryAfter)
		if a.Class() == kube.AnswerConflict {
			// Either the precondition (another pod has the name) or a write that
			// raced with ours; only the server knows which.
			m.After, m.Look = 0, true
		}
	case attempt.RefusedByRights, attempt.RefusedAsInvalid:
		m.State = PodFailed
	default:
		m.State, m.After = PodRetrying, max(attempt.BackOff(failures), a.RetryAfter)
		if a.Code == http.StatusForbidden || a.Code == http.StatusNotFound { // no failure of a moment
			m.After = max(attempt.RetryMost, a.RetryAfter)
		}
	}
	return m
}
