package report

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// working reports whether a process works on the run, as far as is known.
func working(r Report) bool {
	return r.Outcome == "" && r.Status != StatusSuspended && r.Status != StatusDead
}

func (r Report) count(which func(Pod) bool) int {
	count := 0
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if which(p) {
				count++
			}
		}
	}
	return count
}

// moves reports whether the run was to move the pod.
func moves(p Pod) bool { return isToGo(p.Action) }

func isToGo(a plan.Action) bool { return a == plan.ActionEvict || a == plan.ActionDelete }

// lastWords are the state of a pod that has not left, and why it is there.
func lastWords(p Pod) string {
	word := StateWord(p.State)
	switch {
	case p.Message != "":
		return word + ": " + p.Message
	case p.BlockedSeconds >= 1 && p.heldBy() != "" && word != "blocked":
		return word + ", blocked for " + spell(p.BlockedSeconds) + p.heldBy()
	case p.BlockedSeconds >= 1 && p.heldBy() != "":
		return word + " for " + spell(p.BlockedSeconds) + p.heldBy()
	case p.State.Blocked():
		return word + p.heldBy()
	case p.LastWords != "" && p.LastCode >= 300:
		return fmt.Sprintf("%s: %q", word, p.LastWords)
	}
	return word
}

// spell returns a duration in seconds as text.
func spell(seconds float64) string {
	return format.Duration(time.Duration(seconds * float64(time.Second)))
}
