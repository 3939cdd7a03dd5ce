package run

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// A surge is done when its workloads are through with it, not once its question is answered.
func TestSurgeIsNotDoneBeforeItsWorkloads(t *testing.T) {
	for name, c := range map[string]struct {
		states []surge.State
		evict  drain.PhaseStatus
		word   string
	}{
		"none has begun":   {[]surge.State{surge.Planned, surge.Planned}, drain.PhaseRuns, "▶ surge 0 of 2"},
		"one is over":      {[]surge.State{surge.Done, surge.Starting}, drain.PhaseRuns, "▶ surge 1 of 2"},
		"one was refused":  {[]surge.State{surge.Done, surge.Refused}, drain.PhaseRuns, "✔ surge 2 of 2"},
		"the pods are out": {[]surge.State{surge.Done, surge.Planned}, drain.PhaseDone, "✔ surge 1 of 2"},
	} {
		s := &drain.State{Phases: map[drain.Phase]drain.PhaseStatus{
			drain.PhaseSurge: drain.PhaseDone, drain.PhaseEvict: c.evict}}
		for _, state := range c.states {
			s.Surges = append(s.Surges, &surge.Record{State: state})
		}
		if got := phaseWord(s, eviction.Progress{}, "▶", drain.PhaseSurge).String(); got != c.word {
			t.Errorf("%s: %q, want %q", name, got, c.word)
		}
	}
}

// The page of a run that has ended shows no time that is left, neither of a grace period nor until the next try.
func TestNoCountdownAfterTheEnd(t *testing.T) {
	p := &eviction.Record{State: eviction.Terminating}
	p.Wait = &waits.Wait{For: waits.ForGrace, Until: time.Unix(60, 0)}
	blocked := &eviction.Record{State: eviction.BudgetBlocked}
	blocked.Wait = &waits.Wait{For: waits.ForBudget, Until: time.Unix(60, 0)}
	for ended, want := range map[bool]string{false: "next try in 20s", true: ""} {
		if got := nextTry(blocked, 20, time.Unix(40, 0), ended).String(); got != want {
			t.Errorf("ended %t: %q, want %q", ended, got, want)
		}
	}
	for outcome, want := range map[drain.Outcome]string{
		"": "its grace, 20s left", drain.OutcomePartly: "was ending when the run ended"} {
		m := &Page{s: &frame.Session{Now: time.Unix(40, 0)}}
		m.s.State = &drain.State{Outcome: outcome, Ended: time.Unix(40, 0)}
		if got := m.runCell(p, "", 60).String(); got != want {
			t.Errorf("outcome %q: %q, want %q", outcome, got, want)
		}
	}
}
