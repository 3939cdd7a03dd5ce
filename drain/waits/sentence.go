package waits

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
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
	case ForBudget:
		return w.budgetSentence()
	case ForTemporaryBudget:
		return fmt.Sprintf("the temporary budget for %s: needs %d Ready, has %d", w.Budget.Name, w.Budget.Needed,
			w.Budget.Present)
	case ForObserved:
		return "the controller to catch up with " + theBudget(w)
	case ForOneBudget:
		if len(w.Budgets) == 0 { // only the server has seen them
			return "more than one budget selects it"
		}
		return "more than one budget selects it: " + strings.Join(w.Budgets, ", ")
	case ForGrace:
		return "its grace period, " + format.Remaining(w.Until, now) +
			map[bool]string{true: ", its preStop hook within it"}[w.PreStop]
	case ForFinalizers:
		return "finalizer " + strings.Join(w.Finalizers, ", ")
	case ForKubelet:
		return w.kubeletSentence()
	case ForEnd:
		return "its grace period has expired, the kubelet has not removed it"
	case ForServer:
		return "next try in " + format.Remaining(w.Until, now)
	case ForOthers, ForTheirDetach:
		return w.othersSentence()
	case ForVolumeQueue:
		return w.turnSentence()
	case ForReplacement:
		if w.Replacement != nil {
			return "its replacement " + w.Replacement.String()
		}
		return "its replacement, which starts first"
	case ForRemoval:
		if w.Replacement != nil {
			return "its owner to remove it: " + w.Replacement.String()
		}
		return "its owner to remove it: its replacement is Ready"
	case ForOwners:
		return w.Words + " to be readable, without which --guard counts no pods"
	case ForDetach:
		return "its volumes to be detached, " + format.Remaining(w.Until, now)
	}
	if plain, known := sentences[w.For]; known {
		return plain
	}
	return string(w.For)
}

// sentences are those without figures or names.
var sentences = map[For]string{
	ForSlot:       "its turn",
	ForAnswer:     "the API server's answer",
	ForWebhook:    "an admission webhook",
	ForCompletion: "its completion: it is left to run",
	ForTier:       "the pods of earlier tiers",
	ForOrder:      "pods of a lower order (MachineDrainRule) to leave its node",
	ForSurge:      "the surge of its workload, which is under way",
	ForSurplus:    "the end of a surge: its budget counts pods that are removed then",
	ForVolumes:    "claims, volumes and attachments to be read",
	ForController: "a controller to adopt it: it has none, and would not be recreated",
	ForConnection: "the API server to answer again",
}

// kubeletSentence says that a node is not well, and since when nothing was heard
// of its kubelet, if that is the trouble.
func (w *Wait) kubeletSentence() string {
	if w.Since.IsZero() {
		return "its node is not Ready, its kubelet has not removed it"
	}
	silent := "the kubelet is silent, its last status is of " + w.Since.UTC().Format("15:04:05 MST") +
		": nothing confirms that it ended"
	if len(w.Finalizers) > 0 {
		silent += "; then finalizer " + strings.Join(w.Finalizers, ", ")
	}
	return silent
}

func (w *Wait) budgetSentence() string {
	if w.Managed != "" {
		return w.Managed
	}
	var b strings.Builder
	b.WriteString(theBudget(w))
	if w.Budget != nil {
		fmt.Fprintf(&b, " needs %d, has %d", w.Budget.Needed, w.Budget.Present)
		switch more := w.Budget.Present > w.Budget.Needed; { // or there would be no reason to wait
		case more && w.Budget.Allowed == 0:
			b.WriteString(", allows 0")
		case more && w.UnhealthyPod == nil && !w.Never: // which its status does not show yet
			b.WriteString(", minus evictions under way")
		}
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

// othersSentence says what a pod that leaves its node last waits for.
func (w *Wait) othersSentence() string {
	if w.For == ForTheirDetach {
		return "the volumes of the pods that left its node to be detached"
	}
	return "all other pods of its node to leave"
}

// turnSentence says which pod with volumes goes first, how far it is, and whose
// turns they are: those of a CSI driver on the pod's node.
func (w *Wait) turnSentence() string {
	whose := " (driver " + w.Driver + ")"
	switch {
	case w.Ahead == nil:
		return "its turn: other pods with volumes are evicted first on its node" + whose
	case len(w.Ahead.Volumes) > 0:
		return "its turn: " + w.Ahead.Namespace + "/" + w.Ahead.Pod + " is detaching from " + w.Ahead.Node +
			" (" + format.List(w.Ahead.Volumes, format.NamesShown) + ", driver " + w.Driver + ")"
	}
	return "its turn: " + w.Ahead.Namespace + "/" + w.Ahead.Pod + " is ending on " + w.Ahead.Node + whose
}

// AttachedWords say which volumes a pod that does not end still has on its node, ""
// where none is known.
func (w *Wait) AttachedWords() string {
	if w == nil || len(w.Volumes) == 0 {
		return ""
	}
	return format.VolumeNames(w.Volumes) + format.BeVerb(w.Volumes) + " still attached to its node"
}
