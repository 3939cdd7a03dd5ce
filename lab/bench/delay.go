package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// span is a stretch of time.
type span struct{ from, to time.Time }

func (s span) length() time.Duration { return max(0, s.to.Sub(s.from)) }

// chain is how the evictions of one group followed each other.
type chain struct {
	group    string
	begins   time.Time // evictions may begin: the nodes are cordoned
	ends     time.Time // its last eviction was accepted
	allowed  []span    // its budget lets a pod go
	requests []span    // an eviction of it is in flight
	idle     []span    // allowed, a pod waits, none in flight: our own delay
}

// chains follows every group from the cordon to its last accepted eviction.
func (d drained) chains() []chain {
	var all []chain
	begins := d.cordoned()
	for _, g := range d.guards {
		c := chain{group: g.group, begins: begins, ends: begins}
		for _, r := range d.requests {
			if r.Kind() != audit.Eviction || !g.pods[podName(r.Name)] {
				continue
			}
			c.requests = append(c.requests, span{r.Received, r.Answered})
			if r.Accepted() && r.Received.After(c.ends) {
				c.ends = r.Received
			}
		}
		c.allowed = g.allowed(c.begins, c.ends)
		c.idle = without(c.allowed, c.requests)
		all = append(all, c)
	}
	return all
}

// critical is the chain that ended last: it decided how long the drain took.
func (d drained) critical() chain {
	return slices.MaxFunc(d.chains(), func(a, b chain) int { return a.ends.Compare(b.ends) })
}

func (c chain) ownDelay() time.Duration {
	var sum time.Duration
	for _, s := range c.idle {
		sum += s.length()
	}
	return sum
}

// cordoned is when the last node was cordoned before the first eviction.
func (d drained) cordoned() time.Time {
	at := d.result.Began
	for _, r := range d.requests {
		if r.Kind() == audit.Eviction {
			break
		}
		if r.Verb == "patch" && r.Resource == "nodes" {
			at = r.Answered
		}
	}
	return at
}

// allowed are the stretches in which the budget lets a pod go; without a budget
// that is always.
func (g guard) allowed(from, to time.Time) []span {
	if len(g.frames) == 0 {
		return []span{{from, to}}
	}
	var spans []span
	for i, frame := range g.frames {
		if !frame.Allows() {
			continue
		}
		s := span{later(from, frame.At), to}
		if i+1 < len(g.frames) && g.frames[i+1].At.Before(to) {
			s.to = g.frames[i+1].At
		}
		if s.length() > 0 {
			spans = append(spans, s)
		}
	}
	return spans
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// without cuts the second spans out of the first.
func without(spans, cuts []span) []span {
	cuts = slices.SortedFunc(slices.Values(cuts), func(a, b span) int {
		return cmp.Compare(a.from.UnixNano(), b.from.UnixNano())
	})
	var left []span
	for _, s := range spans {
		for _, cut := range cuts {
			if !cut.to.After(s.from) || !cut.from.Before(s.to) {
				continue
			}
			if cut.from.After(s.from) {
				left = append(left, span{s.from, cut.from})
			}
			s.from = cut.to
		}
		if s.length() > 0 {
			left = append(left, s)
		}
	}
	return left
}
