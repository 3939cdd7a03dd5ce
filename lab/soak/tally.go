package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// tally counts over all runs.
type tally struct {
	outcomes                         map[string]int
	evictions, accepted, blocks      int
	kills, hangups, words, takeovers int
}

func (t *tally) add(e *evidence) {
	if t.outcomes == nil {
		t.outcomes = map[string]int{}
	}
	if e.said.report != nil {
		t.outcomes[e.said.report.Outcome]++
	}
	for _, s := range e.steered {
		if s.Code == 0 {
			t.words++
		}
	}
	if e.ordeal != nil {
		t.kills += e.ordeal.kills
		t.hangups += e.ordeal.hangups
		t.takeovers += e.ordeal.takeovers
		t.outcomes[e.ordeal.ended]++
	}
	for _, r := range e.requests {
		switch {
		case r.Kind() != audit.Eviction:
			continue
		case r.Accepted():
			t.accepted++
		case r.Refused():
			t.blocks++
		}
		t.evictions++
	}
}

func (t tally) String() string {
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(t.outcomes)) {
		parts = append(parts, fmt.Sprintf("%d %s", t.outcomes[outcome], outcome))
	}
	return fmt.Sprintf("%s; %d kills, %d hangups, %d take-overs, %d words of the operator taken; %d evictions sent, %d accepted, %d refused", strings.Join(parts, ", "), t.kills, t.hangups, t.takeovers, t.words, t.evictions, t.accepted, t.blocks)
}
