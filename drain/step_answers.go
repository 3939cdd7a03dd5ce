package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
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
	e := Event{Kind: EventAnswer, Node: w.Node, Action: &attempt.ActionFacts{ID: w.ID, Verb: w.Verb},
		Answer: attempt.AnswerFactsOf(in.Answer)}
	if w.Remedy != 0 {
		st.remedies().onRemedyAnswer(w, in.Answer, e)
		return
	}
	switch r := w.Request.(type) {
	case request.Cordon:
		if n := st.s.Node(w.Node); n != nil {
			class := st.classOf(in.Answer)
			st.emit(e)
			st.cordoning().onCordonAnswer(st.s.Node(w.Node), in.Answer, class)
		}
	case request.Raise, request.Lower, request.SetCost:
		st.surges().onAnswer(w, in.Answer, e)
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
	if w.Verb == attempt.VerbGet {
		e.Answer.Look = attempt.LookAgain(a)
	} else {
		e.Answer.Look = attempt.Interpret(a, 1).Look
	}
	st.emit(e)
	p = st.s.Pod(p.UID)
	if p.State.Final() {
		return // the cluster showed its end before the answer came
	}
	if w.Verb == attempt.VerbGet {
		if c, again := st.pods().AfterLook(p, a); again {
			st.tellPod(p, c)
		} else {
			st.setPod(p, c)
		}
		return
	}
	rightAgain := time.Duration(0)
	if st.stillStarting(a) {
		rightAgain = rightsRetry
	}
	st.setPod(p, st.pods().After(p, a, rightAgain))
}

// pod is the UID of the pod that a write is about, "" if it is about none.
func (w Write) pod() kube.UID { return request.PodOf(w.Request) }
