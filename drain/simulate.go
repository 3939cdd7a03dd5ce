package drain

import (
	"math"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// limits bound what a run does and tells, for the sake of the server and the journal.
// The zero value has those of a run.
type limits struct {
	perBudget    int           // evictions in flight under one budget; zero is budgetAtOnce
	figuresEvery time.Duration // between two tellings of changed figures; zero is saidEvery, below it never
}

// Simulated is the state of a run that is only simulated: its server answers at once
// and nobody reads its events.
func Simulated(plan plan.Plan, now time.Time) *State {
	first := StartEvent(plan, RunFacts{ID: "forecast", Context: "forecast"})
	first.Seq, first.Time = 1, now
	s := Fold(nil, first)
	s.limits = limits{perBudget: math.MaxInt, figuresEvery: -1}
	return s
}
