package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// events are what the run told of itself: its journal, or its output.
func (e *evidence) events() []journalEvent {
	if e.ordeal != nil {
		return slices.Concat(e.ordeal.former.events, e.ordeal.journal.events)
	}
	var all []journalEvent
	for line := range strings.Lines(e.result.Out) {
		var event journalEvent
		if json.Unmarshal([]byte(line), &event) == nil && event.Kind != "" {
			all = append(all, event)
		}
	}
	return all
}

// checkSteering: what the run said that it took it did, and nothing else.
func (e *evidence) checkSteering() {
	taken, noted := map[string]int{}, map[string]int{}
	for _, s := range e.steered {
		switch {
		case s.Code == 0:
			taken[s.Verb]++
		case s.Code != 1 && s.Code != 2 || s.Err == "":
			e.accuse("%s was answered with code %d and %q", s, s.Code, s.Err)
		}
		if s.Code == 0 && s.Verb == "scale" && !e.world.has(allowScale) {
			e.accuse("it took %s without %s", s, allowScale)
		}
	}
	events := e.events()
	for _, event := range events {
		if event.Kind == "Control" {
			noted[event.Control]++
		}
	}
	for _, verb := range []string{"pause", "continue", "skip", "last"} {
		if noted[verb] < taken[verb] {
			e.accuse("it took %s %d times, and noted it %d times", verb, taken[verb], noted[verb])
		}
	}
	e.checkPauses(events)
	e.checkSkips(events)
	e.checkLast(events)
}

// moving are the verbs of what a pause or a skip holds back.
var moving = []string{"evict", "delete", "cordon", "create-budget", "scale", "surge", "end-surge",
	"deletion-cost"}

// checkPauses: nothing new is sent while the run is paused, by its own word and by
// the audit log.
func (e *evidence) checkPauses(events []journalEvent) {
	paused := false
	for _, event := range events {
		switch {
		case event.Kind == "Control" && event.Control == "pause":
			paused = true
		case event.Kind == "Control" && event.Control == "continue", event.Kind == "Resumed",
			event.Kind == "RunStarted":
			paused = false
		case event.Kind == "Intent" && paused && slices.Contains(moving, event.Action.Verb):
			e.accuse("it was paused, and began to %s %s%s/%s at %s", event.Action.Verb, event.Node, event.Namespace,
				event.Pod, clock(event.Time))
		}
	}
	for _, p := range e.pauses() {
		for _, r := range e.requests {
			if (r.Kind() == audit.Eviction || r.Kind() == audit.Deletion) &&
				r.Received.After(p.from.Add(e.allowed(lag))) && r.Received.Before(p.to) {
				e.accuse("it was paused from %s to %s, and %s %s came at %s", clock(p.from), clock(p.to), r.Verb,
					r.URI, clock(r.Received))
			}
		}
	}
}

type span struct{ from, to time.Time }

// pauses are the times in which the operator had an answer that nothing is sent.
func (e *evidence) pauses() []span {
	var all []span
	for i, s := range e.steered {
		if s.Verb != "pause" || s.Code != 0 {
			continue
		}
		p := span{s.Answered, s.Answered.Add(time.Hour)}
		for _, later := range e.steered[i+1:] {
			if later.Verb == "continue" && later.Asked.Before(p.to) {
				p.to = later.Asked // refused or not: by then it is not certain
			}
		}
		for _, c := range e.calls() {
			if c.Result.Began.After(p.from) && c.Result.Began.Before(p.to) {
				p.to = c.Result.Began // a process that takes the run up is not paused
			}
		}
		if began := e.takenOver(); !began.IsZero() && began.Before(p.to) {
			p.to = p.from // nor is one that takes the nodes from it
		}
		all = append(all, p)
	}
	return all
}

// pausedWithin tells whether the run may have been paused at some time within.
func (e *evidence) pausedWithin(from, to time.Time) bool {
	for i, s := range e.steered {
		if s.Verb != "pause" || s.Asked.After(to) {
			continue
		}
		ended := slices.ContainsFunc(e.steered[i+1:], func(c spoken) bool {
			return c.Verb == "continue" && c.Code == 0 && c.Answered.Before(from)
		})
		if !ended {
			return true
		}
	}
	return false
}

// checkSkips: a pod that is to be left is never asked for again, and the report
// says that it was left.
func (e *evidence) checkSkips(events []journalEvent) {
	for i, skip := range events {
		if skip.Kind != "Control" || skip.Control != "skip" {
			continue
		}
		for _, event := range events[i:] {
			if event.Kind == "RunStarted" {
				break // a run that takes over was told nothing
			}
			if event.moves() && event.UID == skip.UID {
				e.accuse("pod %s/%s was to be left, and it began to %s it at %s", skip.Namespace, skip.Pod,
					event.Action.Verb, clock(event.Time))
			}
		}
		another := slices.ContainsFunc(events[i:], func(e journalEvent) bool { return e.Kind == "RunStarted" })
		if e.said.report == nil || another {
			continue
		}
		for _, n := range e.said.report.Nodes {
			for _, p := range n.Pods {
				if p.UID == skip.UID && p.State != "Skipped" {
					e.accuse("pod %s/%s was to be left, and the report says %s", p.Namespace, p.Name, p.State)
				}
			}
		}
	}
}

// moves reports whether the run asks for something that makes a pod leave. To give a deletion
// cost back does not.
func (e journalEvent) moves() bool {
	givesBack := e.Cost != nil && e.Cost.To == e.Cost.Was
	return e.Kind == "Intent" && slices.Contains(moving, e.Action.Verb) && !givesBack
}

// checkLast: of pods that are asked for at the same moment, one that is to go last
// comes after those that are not.
func (e *evidence) checkLast(events []journalEvent) {
	late := map[types.UID]bool{}
	for i, event := range events {
		if event.Kind == "RunStarted" {
			clear(late) // a run that takes over was told nothing
		}
		if event.Kind == "Control" && event.Control == "last" {
			late[event.UID] = true
		}
		if !event.moves() || !late[event.UID] {
			continue
		}
		for _, next := range events[i+1:] {
			if !next.Time.Equal(event.Time) {
				break
			}
			if next.moves() && next.UID != "" && !late[next.UID] {
				e.accuse("pod %s/%s was to go last, and was asked for before %s/%s", event.Namespace, event.Pod,
					next.Namespace, next.Pod)
			}
		}
	}
}

// checkScaleWrite: replicas change only as the operator asked, by flag and by word.
func (e *evidence) checkScaleWrite(r audit.Request) {
	said := slices.ContainsFunc(e.steered, func(s spoken) bool {
		return s.Verb == "scale" && s.Namespace == r.Namespace && s.App == r.Name
	})
	if !said || !e.world.has(allowScale) {
		e.accuse("it sent %s %s, which was not asked for", r.Verb, r.URI)
	}
}

// checkScales: a run that has ended has taken back the replicas that it added,
// unless others have changed them too.
func (e *evidence) checkScales(ctx context.Context, b builder, before dump) error {
	ends := func(h happening) bool { return h.What == "end namespace" }
	if e.said.report == nil || slices.ContainsFunc(e.world.Happenings, ends) {
		return nil
	}
	theirs := e.foreignNumbers()
	different, err := b.compare(ctx, e.world, before, func(d dump) dump { return d.scales(theirs) })
	for _, text := range different {
		e.accuse("after the run had ended: %s", text)
	}
	if len(theirs) == 0 || err != nil {
		return err
	}
	after, err := b.dump(ctx, e.world)
	e.checkForeignScales(before, after)
	return err
}

// scales is the part of it that remedies and surges change, without what others scale.
func (d dump) scales(theirs map[string]int) dump {
	some := dump{}
	for name, text := range d {
		kind, named, _ := strings.Cut(name, " ")
		scaled := slices.ContainsFunc(slices.Collect(maps.Keys(theirs)), func(other string) bool {
			_, app, _ := strings.Cut(other, " ")
			return named == app || kind == "replicaset" && strings.HasPrefix(named, app+"-")
		})
		if !scaled && slices.Contains([]string{"deployment", "replicaset", "statefulset", "annotations", "cost"},
			kind) {
			some[name] = text
		}
	}
	return some
}
