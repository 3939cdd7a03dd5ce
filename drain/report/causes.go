package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// Cause is one of the things that held a pod, or the pods under one budget, and its
// part of the time.
type Cause struct {
	State        eviction.State       `json:"state"`
	For          waits.For            `json:"for,omitempty"`
	Budget       string               `json:"budget,omitempty"`
	UnhealthyPod *budget.UnhealthyPod `json:"unhealthyPod,omitempty"`
	Why          string               `json:"why"`
	Seconds      float64              `json:"seconds"` // summed over the pods
	Share        float64              `json:"share"`   // of the time of all causes together, 0 to 1
}

// part is the part of a span in which one cause held its pod.
type part struct {
	from time.Time
	Cause
}

func partOf(s Span) part {
	return part{from: s.From, Cause: Cause{State: s.State, For: s.For, Budget: s.Budget, UnhealthyPod: s.UnhealthyPod,
		Why: s.Why}}
}

// same reports whether two causes are one: the figures of a budget and the words of an
// answer change while it lasts.
func (c Cause) same(other Cause) bool {
	a, b := cmp.Or(c.UnhealthyPod, &budget.UnhealthyPod{}), cmp.Or(other.UnhealthyPod, &budget.UnhealthyPod{})
	return c.State == other.State && c.For == other.For && c.Budget == other.Budget &&
		a.Namespace == b.Namespace && a.Name == b.Name && a.Reason == b.Reason
}

// goesOn adds what is told of a span that continues.
func (s *Span) goesOn(next Span) {
	p, last := partOf(next), &s.parts[len(s.parts)-1]
	if last.same(p.Cause) {
		last.Why, last.UnhealthyPod = p.Why, p.UnhealthyPod
		return
	}
	last.Seconds = seconds(last.from, p.from)
	s.parts = append(s.parts, p)
}

// finish ends a span, and lets it be about what held it longest.
func (s *Span) finish(at time.Time) {
	last := &s.parts[len(s.parts)-1]
	s.Seconds, last.Seconds = seconds(s.From, at), seconds(last.from, at)
	if all := causes([]Span{*s}); len(s.parts) > 1 && len(all) > 0 {
		s.UnhealthyPod, s.Why = all[0].UnhealthyPod, all[0].Why
	}
}

// interrupt ends the spans of blocked pods where the events before a process took the run up end, and
// begins them again with that: nobody was blocked while nobody worked on the run.
func (h *history) interrupt(before []drain.Event, e drain.Event) {
	if e.Kind != drain.EventResumed || len(before) == 0 {
		return
	}
	for pod, spans := range h.spans {
		if again := spans[len(spans)-1]; again.State.Blocked() {
			h.end(spans, before[len(before)-1].Time.UTC())
			again.From, again.Tries = e.Time.UTC(), 0
			again.parts = []part{partOf(again)}
			h.spans[pod] = append(spans, again)
		}
	}
}

// causes are what held the pods of the spans, the longest first.
func causes(spans []Span) []Cause {
	var all []Cause
	total := 0.0
	for _, s := range spans {
		if !s.held() {
			continue
		}
		for _, p := range s.parts {
			total += p.Seconds
			i := slices.IndexFunc(all, p.same)
			if i < 0 {
				all = append(all, p.Cause)
				continue
			}
			all[i].Seconds += p.Seconds
			all[i].Why, all[i].UnhealthyPod = p.Why, p.UnhealthyPod
		}
	}
	for i := range all {
		if total > 0 {
			all[i].Share = float64(int(1000*all[i].Seconds/total+0.5)) / 1000
		}
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return all
}

// causesShown is how many causes are told one by one.
const causesShown = 4

// causeWords are the causes with their shares, where there is more than one.
func causeWords(all []Cause) []string {
	if len(all) < 2 {
		return nil
	}
	var words []string
	for i, c := range all {
		if i == causesShown {
			return append(words, format.Count(len(all)-i, "other cause"))
		}
		words = append(words, share(c.Share)+" "+c.Why)
	}
	return words
}

func share(part float64) string {
	if part < 0.01 {
		return "under 1%"
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}

// mainCause says what held a pod longest, "" where nothing did.
func (p Pod) mainCause() string {
	if len(p.Causes) == 0 {
		return ""
	}
	words := strings.TrimSpace(cmp.Or(p.Causes[0].Why, string(p.Causes[0].State)))
	if len(p.Causes) > 1 {
		words += " (" + share(p.Causes[0].Share) + " of it)"
	}
	return words
}

// Outage is a time in which the API server was unreachable.
type Outage struct {
	From    time.Time `json:"from"`
	Until   time.Time `json:"until,omitzero"` // zero where it was still away at the end
	Seconds float64   `json:"seconds"`
	Why     string    `json:"why"`
}

// words say when the server was unreachable, and why.
func (o Outage) words() string {
	until := "until the end"
	if !o.Until.IsZero() {
		until = "until " + o.Until.Format("15:04:05")
	}
	return o.From.Format("15:04:05") + " " + until + ", " + spell(o.Seconds) + ": " + o.Why
}

// lastKnown warns that the end of the report is what was known before the server
// went away, "" where it is not so.
func (r Report) lastKnown() string {
	from := r.down
	if n := len(r.Outages); n > 0 && r.Outages[n-1].Until.IsZero() {
		from = r.Outages[n-1].From // with all that was told of it
	}
	if from.IsZero() {
		return ""
	}
	return "the API server became unreachable at " + from.Format("15:04:05 MST") +
		" and did not come back: this is the last known state, not the current one"
}
