package drain

import (
	"fmt"
	"strings"
	"time"
)

// Sentence says what the pod waits for in words that an operator understands,
// without the age of the wait. now is our clock; Until is compared with it.
func (w *Wait) Sentence(now time.Time) string {
	if w == nil {
		return ""
	}
	if held := w.AttachedWords(); held != "" {
		return w.sentence(now) + "; " + held
	}
	return w.sentence(now)
}

func (w *Wait) sentence(now time.Time) string {
	switch w.For {
	case WaitForBudget:
		return w.budgetSentence()
	case WaitForGuard:
		return fmt.Sprintf("the guard over %s: needs %d Ready, has %d", w.Budget.Name, w.Budget.Needed, w.Budget.Present)
	case WaitForObserved:
		return "the controller to catch up with " + theBudget(w)
	case WaitForOneBudget:
		if len(w.Budgets) == 0 { // only the server has seen them
			return "more than one budget selects it"
		}
		return "more than one budget selects it: " + strings.Join(w.Budgets, ", ")
	case WaitForGrace:
		grace := "its grace period, " + left(w.Until, now)
		if w.PreStop {
			grace += ", its preStop hook within it"
		}
		return grace
	case WaitForFinalizers:
		return "finalizer " + strings.Join(w.Finalizers, ", ")
	case WaitForKubelet:
		return w.kubeletSentence()
	case WaitForEnd:
		return "grace is over, the kubelet has not removed it"
	case WaitForTurn:
		return "its turn"
	case WaitForAnswer:
		return "the API server's answer"
	case WaitForServer:
		return "next try in " + left(w.Until, now)
	case WaitForWebhook:
		return "an admission webhook"
	case WaitForCompletion:
		return "its own end: it is left to run"
	case WaitForTier:
		return "the pods that go first"
	case WaitForVolumeTurn:
		return w.turnSentence()
	case WaitForVolumes:
		return "claims, volumes and attachments to be read"
	case WaitForDetach:
		return "its volumes to be detached, " + left(w.Until, now)
	case WaitForConnection:
		return "the API server to come back"
	}
	return string(w.For)
}

// kubeletSentence says that a node is not well, and since when nothing was heard
// of its kubelet, if that is the trouble.
func (w *Wait) kubeletSentence() string {
	if w.Since.IsZero() {
		return "its node is not Ready, its kubelet has not removed it"
	}
	silent := "the kubelet is silent since " + w.Since.UTC().Format("15:04:05 MST") + ", nobody confirms that it ended"
	if len(w.Finalizers) > 0 {
		silent += "; then finalizer " + strings.Join(w.Finalizers, ", ")
	}
	return silent
}

func (w *Wait) budgetSentence() string {
	var b strings.Builder
	b.WriteString(theBudget(w))
	if w.Budget != nil {
		fmt.Fprintf(&b, " needs %d, has %d", w.Budget.Needed, w.Budget.Present)
	}
	if w.UnhealthyPod != nil {
		b.WriteString(": " + w.UnhealthyPod.Sentence())
	} else if w.Never {
		b.WriteString(": it allows no disruption at all")
	}
	return b.String()
}

// theBudget names the budget of a wait, as far as the run sees it.
func theBudget(w *Wait) string {
	if w.Budget == nil {
		return "its budget"
	}
	return "budget " + w.Budget.Name
}

func left(until, now time.Time) string {
	if d := until.Sub(now).Round(time.Second); d > 0 {
		return d.String() + " left"
	}
	return "over"
}
