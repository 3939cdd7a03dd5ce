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
	outcomes                    map[string]int
	evictions, accepted, blocks int
	kills                       int
}

func (t *tally) add(e *evidence) {
	if t.outcomes == nil {
		t.outcomes = map[string]int{}
	}
	if e.said.report != nil {
		t.outcomes[e.said.report.Outcome]++
	}
	if e.ordeal != nil {
		t.kills += e.ordeal.kills
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
	return fmt.Sprintf("%s; %d kills; %d evictions sent, %d accepted, %d refused", strings.Join(parts, ", "), t.kills, t.evictions, t.accepted, t.blocks)
}
