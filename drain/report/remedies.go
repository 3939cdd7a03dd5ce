package report

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
)

// Remedy is a remedy that was taken in the run.
type Remedy struct {
	Kind    remedy.Kind  `json:"kind"`
	For     string       `json:"for"`   // namespace/name of the pod of the run
	What    string       `json:"what"`  // what it changed
	Call    string       `json:"call"`  // the request
	State   remedy.State `json:"state"` // what became of it
	By      string       `json:"by"`    // who confirmed it
	At      time.Time    `json:"at"`    // when
	Message string       `json:"message,omitempty"`
}

func reportRemedies(s *drain.State) []Remedy {
	var remedies []Remedy
	for _, r := range s.Remedies {
		remedies = append(remedies, Remedy{Kind: r.Kind, For: r.For, What: r.What(), Call: r.Request(), State: r.State,
			By: r.By, At: r.At.UTC(), Message: r.Message})
	}
	return remedies
}

func remedyFacts(remedies []Remedy) (facts []Fact) {
	for _, remedy := range remedies {
		facts = append(facts, Fact{Plain, remedy.For + ": " + remedy.What + ", " + remedy.words()})
	}
	return facts
}

func (r Remedy) words() string {
	text := r.State.Words()
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// remedyRequests counts the requests for remedies that are no evictions or deletions.
func (r Report) remedyRequests() int {
	count := 0
	for _, v := range []attempt.Verb{attempt.VerbRolloutRestart, attempt.VerbScale, attempt.VerbUnscale,
		attempt.VerbTaint, attempt.VerbUntaint, attempt.VerbSetFields, attempt.VerbResetFields, attempt.VerbDeleteNode} {
		count += r.Requests[v]
	}
	return count
}
