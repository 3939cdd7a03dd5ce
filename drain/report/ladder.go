package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Rung is a rung of the ladder that was taken in the run.
type Rung struct {
	Kind    drain.RungKind  `json:"kind"`
	For     string          `json:"for"`   // namespace/name of the pod of the run
	What    string          `json:"what"`  // what it changed
	Call    string          `json:"call"`  // the request
	State   drain.RungState `json:"state"` // what became of it
	By      string          `json:"by"`    // who confirmed it
	At      time.Time       `json:"at"`    // when
	Message string          `json:"message,omitempty"`
}

func reportRungs(s *drain.State) []Rung {
	var rungs []Rung
	for _, r := range s.Rungs {
		rungs = append(rungs, Rung{Kind: r.Kind, For: r.For, What: r.What(), Call: r.Request(), State: r.State,
			By: r.By, At: r.At.UTC(), Message: r.Message})
	}
	return rungs
}

// rungLines tell of the rungs in the report for a person.
func (r Report) rungLines() string {
	var b strings.Builder
	for _, rung := range r.Rungs {
		fmt.Fprintf(&b, "  ladder    %s: %s, %s\n", rung.For, rung.What, rung.words())
	}
	return b.String()
}

func (r Rung) words() string {
	text := r.State.Words()
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// rungRequests counts the requests for rungs that are no evictions or deletions.
func (r Report) rungRequests() int {
	count := 0
	for _, v := range []drain.Verb{drain.VerbRestart, drain.VerbScale, drain.VerbUnscale, drain.VerbTaint, drain.VerbUntaint} {
		count += r.Requests[v]
	}
	return count
}
