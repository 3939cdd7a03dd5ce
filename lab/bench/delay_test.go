package main

import (
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// second is a moment so many seconds after the start of a drain.
func second(n int) time.Time { return time.Unix(1000, 0).Add(time.Duration(n) * time.Second) }

func TestWithout(t *testing.T) {
	got := without(
		[]span{{second(0), second(10)}, {second(20), second(30)}},
		[]span{{second(25), second(26)}, {second(0), second(2)}, {second(5), second(7)}, {second(9), second(21)}},
	)
	want := []span{{second(2), second(5)}, {second(7), second(9)}, {second(21), second(25)}, {second(26), second(30)}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A budget allows from 2 to 6 and from 10 on; evictions are out from 3 to 5 and
// from 12 to 13, which is the last one: 1 and 1 and 2 seconds were ours.
func TestOwnDelay(t *testing.T) {
	evict := func(name string, from, to, code int) audit.Request {
		return audit.Request{Resource: "pods", Subresource: "eviction", Name: name, Received: second(from), Answered: second(to), Code: code}
	}
	frame := func(n, allowed int) film.BudgetFrame {
		return film.BudgetFrame{At: second(n), Observed: true, Allowed: allowed}
	}
	d := drained{
		result: rig.Result{Began: second(0), Ended: second(20)},
		requests: []audit.Request{
			{Verb: "patch", Resource: "nodes", Received: second(0), Answered: second(1)},
			evict("a", 3, 5, 201), evict("free", 4, 5, 201), evict("b", 12, 13, 201), evict("b", 14, 15, 404),
		},
		guards: []guard{
			{group: "app", pods: map[podName]bool{"a": true, "b": true}, frames: []film.BudgetFrame{frame(2, 1), frame(6, 0), frame(10, 1)}},
			{group: "free", pods: map[podName]bool{"free": true}},
		},
	}
	chain := d.critical()
	if chain.group != "app" || chain.ownDelay() != 4*time.Second {
		t.Errorf("%s: %s of our own delay, want app with 4s", chain.group, chain.ownDelay())
	}
	if got := d.ownShare(); got != 0.2 {
		t.Errorf("share %v, want 0.2", got)
	}
}
