package wording

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// BudgetSentence says what the budgets of a pod say, and which pod is the
// reason.
func BudgetSentence(p *plan.Pod, now time.Time) string {
	namespace, b := p.Namespace, p.Budget
	switch b.Verdict {
	case budget.VerdictMultiple:
		return "more than one budget selects it (" + format.List(b.Names, 3) +
			"): the server refuses every eviction until one is left"
	case budget.VerdictUnknown:
		return "its budgets cannot be seen: whether it may be evicted is not known before it is tried"
	case budget.VerdictSyncing:
		return "budget " + budgetNames(namespace, b) + " is new: the controller has not observed it yet"
	case budget.VerdictEvictable:
		switch {
		case len(b.Names) > 0:
		case b.Why != "":
			return p.BudgetWhy() // the run's own guard counts it
		default:
			return "no budget blocks it"
		}
		s := "budget " + budgetNames(namespace, b) + " allows it"
		if f := figures(b); f != "" {
			s += ": it" + f
		}
		return s
	}
	if b.Why != "" { // drain's own line has the whole story, but for the words of kubelet and container
		if b.UnhealthyPod == nil {
			return b.Why
		}
		if said := cmp.Or(b.UnhealthyPod.Message, b.UnhealthyPod.Termination); said != "" &&
			!strings.Contains(b.Why, said) {
			return b.Why + ", " + format.Quote(said)
		}
		return b.Why
	}
	s := "budget " + budgetNames(namespace, b) + figures(b)
	if b.UnhealthyPod != nil {
		return s + "; " + UnhealthyPodSentence(b.UnhealthyPod, now)
	}
	return s
}

func budgetNames(namespace string, b *budget.Judgement) string {
	if len(b.Names) == 0 {
		return "(unknown)"
	}
	return namespace + "/" + strings.Join(b.Names, ", ")
}

func figures(b *budget.Judgement) string {
	if len(b.Budgets) == 0 {
		return ""
	}
	n := b.Budgets[0]
	return fmt.Sprintf(" needs %d healthy and has %d", n.Needed, n.Present)
}

// UnhealthyPodSentence says which pod is in trouble, where, since when and why, in
// drain's words, then the kubelet's.
func UnhealthyPodSentence(s *budget.UnhealthyPod, now time.Time) string {
	text := s.Name
	if s.Node != "" {
		text += " on " + s.Node
	}
	text += " " + s.State(now)
	if s.Message != "" && !strings.Contains(text, s.Message) {
		text += ", " + format.Quote(s.Message)
	}
	return text
}
