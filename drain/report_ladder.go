package drain

import (
	"fmt"
	"strings"
	"time"
)

// RungReport is a rung of the ladder that was taken in the run.
type RungReport struct {
	Kind    RungKind  `json:"kind"`
	For     string    `json:"for"`   // namespace/name of the pod of the run
	What    string    `json:"what"`  // what it changed
	Call    string    `json:"call"`  // the request
	State   RungState `json:"state"` // what became of it
	By      string    `json:"by"`    // who confirmed it
	At      time.Time `json:"at"`    // when
	Message string    `json:"message,omitempty"`
}

func reportRungs(s *State) []RungReport {
	var rungs []RungReport
	for _, r := range s.Rungs {
		rungs = append(rungs, RungReport{Kind: r.Kind, For: r.For, What: r.What(), Call: r.call(), State: r.State,
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

func (r RungReport) words() string {
	text := r.State.Words()
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// rungRequests counts the requests for rungs that are no evictions or deletions.
func (r Report) rungRequests() int {
	count := 0
	for _, v := range []Verb{VerbRestart, VerbScale, VerbUnscale, VerbTaint, VerbUntaint} {
		count += r.Requests[v]
	}
	return count
}

// Words say the state in plain words.
func (s RungState) Words() string {
	return map[RungState]string{
		RungTaken: "asked for", RungRefused: "not done", RungInDoubt: "in doubt", RungDone: "done",
		RungUndone: "taken back", RungKept: "not taken back", RungLeft: "still there",
	}[s]
}
