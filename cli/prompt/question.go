package prompt

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// Ending ends a question with what is to be typed: a word, or y for "".
func Ending(word string) string {
	if word == "" {
		return " [y/N] "
	}
	return " Type " + word + " to continue: "
}

// Phase is the question before a phase of a run in words.
func Phase(q *drain.Question, s *drain.State, typed string) string {
	ending := Ending(typed)
	switch q.Phase {
	case drain.PhaseGuard:
		return fmt.Sprintf("Create temporary budgets (at most %s unavailable) for workloads that have none?",
			s.Run.Options.Guard) + ending
	case drain.PhaseSurge:
		return surges(s) + ending
	case drain.PhaseCordon:
		return "Cordon " + openNodes(s) + "?" + ending
	case drain.PhaseEvict:
		return fmt.Sprintf("Evict %s from %s?", format.Count(s.Progress("").Total, "pod"), openNodes(s)) + ending
	}
	return "Continue with " + string(q.Phase) + "?" + ending
}

// surges is the question whose replicas are raised, and by how many at a time.
func surges(s *drain.State) string {
	var all []string
	for _, r := range s.Surges {
		all = append(all, fmt.Sprintf("%s by %d", r.Title(), r.AtOnce))
	}
	return "Raise the replicas of " + format.List(all, format.NamesShown) + " until their pods have moved?"
}

func openNodes(s *drain.State) string {
	var names []string
	for _, n := range s.Nodes {
		if !n.State.Final() {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Accepts tells whether a line is the word that was to be typed, or a yes for "".
func Accepts(line, word string) bool {
	if word != "" {
		return line == word
	}
	return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes")
}

// IsNo tells whether a line says no.
func IsNo(line string) bool {
	return strings.EqualFold(line, "n") || strings.EqualFold(line, "no")
}
