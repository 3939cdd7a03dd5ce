package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// send releases a write: its intent becomes an event, then the engine gets it.
func (st *stepper) send(w Write, e Event) {
	w.ID, w.At = st.s.nextAction+1, st.now
	e.Kind, e.Action.ID = EventIntent, w.ID
	st.emit(e)
	st.out.Writes = append(st.out.Writes, w)
	st.out.Sync = st.out.Sync || w.Request.Lasting()
}

// onAnswer notes what came back for a write and what it means.
func (st *stepper) onAnswer(in Answered) {
	w := in.Write
	e := Event{Kind: EventAnswer, Node: w.Node, Action: &attempt.ActionFacts{ID: w.ID, Verb: w.Verb}, Answer: attempt.AnswerFactsOf(in.Answer)}
	if w.Remedy != 0 {
		st.onRemedyAnswer(w, in.Answer, e)
		return
	}
	switch r := w.Request.(type) {
	case kube.CordonRequest:
		if n := st.s.Node(w.Node); n != nil {
			class := st.classOf(in.Answer, n.Attempt)
			st.emit(e)
			st.onCordonAnswer(st.s.Node(w.Node), in.Answer, class)
		}
	case kube.LeaseWrite, kube.LeaseRef:
		st.onLeaseAnswer(w, in.Answer, e)
	case kube.BudgetRequest:
		st.onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	case kube.BudgetLook:
		st.onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	case kube.BudgetRef:
		st.onBudgetAnswer(tempbudget.Facts{Namespace: r.Namespace, Name: r.Name}, w, in.Answer, e)
	default:
		st.onPodAnswer(w, in.Answer, e)
	}
}

// onPodAnswer notes what came back for an eviction, a deletion or a look at a pod.
func (st *stepper) onPodAnswer(w Write, a kube.Answer, e Event) {
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
	case kube.EvictRequest:
		return r.UID
	case kube.DeleteRequest:
		return r.UID
	case kube.PodLook:
		return r.UID
	}
	return ""
}

func (st *stepper) takeEviction(p *PodRun, a kube.Answer) {
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
func (st *stepper) waitAfter(p *PodRun, m Meaning) *waits.Wait {
	wait, after := &waits.Wait{For: waitFor(m.Refusal)}, m.After
	if live := st.snap.Pod(p.UID); live != nil && m.Refusal.UnderBudget() {
		way, budgets := st.wayOf(live)
		if shown := st.budgetWait(live); shown != nil && shown.For == wait.For {
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
func (st *stepper) onLook(p *PodRun, a kube.Answer) {
	switch {
	case attempt.PodGone(a):
		st.setPod(p, PodGone, nil, "")
	case a.OK() && a.UID != p.UID:
		st.setPod(p, PodReplaced, nil, "")
	default: // still the same pod, or nobody could say: try again a little later
		st.setPod(p, PodRetrying, &waits.Wait{For: waits.ForServer, Until: st.now.Add(p.Pause(a)), Words: attempt.AnswerWords(a)}, "")
	}
}

// lookAgain tells whether the question who has a name is still open, and may be
// answered later. Where the pod must not be read it is not asked again: the
// precondition of the next eviction protects its namesake too.
func lookAgain(a kube.Answer) bool {
	return !a.OK() && attempt.RefusalOf(a) != attempt.NotRefused && attempt.RefusalOf(a).Passes()
}

// left notes that the pod is not on its node any more, and what has its name.
func (st *stepper) left(p *PodRun) {
	if namesake := st.snap.PodNamed(p.Namespace, p.Name); namesake != nil && namesake.UID != p.UID {
		st.setPod(p, PodReplaced, nil, "")
		return
	}
	st.setPod(p, PodGone, nil, "")
}
