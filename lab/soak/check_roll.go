package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// checkRoll finds what is wrong with a roll, by the cluster and by what its commands noted.
func (e *evidence) checkRoll() {
	r := e.ordeal.roll
	e.ordeal.journal = r.journal.merged()
	all, err := e.ordeal.journal.said()
	if err != nil {
		e.accuse("the journal is not what the contract says: %v", err)
		return
	}
	for _, later := range r.later {
		e.ordeal.journal.events = append(e.ordeal.journal.events, later.events...)
		said, err := later.said()
		if err != nil {
			e.accuse("the journal is not what the contract says: %v", err)
			return
		}
		all = all.with(said)
	}
	for _, uid := range r.journal.nodes() { // the roll itself holds Leases before its runs do
		all.uids[uid] = true
	}
	e.said = all
	e.checkWrites()
	e.checkTokens()
	e.checkForced()
	e.checkTwice()
	e.checkSuspensions()
	e.checkNeverFewer()
	e.checkTemporary()
	e.checkWorkPlaces()
	e.checkWorkTwice()
	e.checkWorkTimes()
	e.checkOut()
	e.checkBatchPauses()
	e.checkDrainsOfOthers()
	e.said = all
	e.checkRollReport()
}

// lookTime is how old what a roll knows of a node may be when a command begins there: it looks, writes its journal, and
// starts a process.
const lookTime = time.Second

// checkWorkPlaces: work begins only on a node that is cordoned, by the roll or by somebody before it, that has no pod
// which the drain should have moved, and no volume of one that it has moved.
func (e *evidence) checkWorkPlaces() {
	for _, w := range e.ordeal.roll.works {
		if w.Hook != "work" {
			continue
		}
		since := w.Began.Add(-e.allowed(lookTime))
		if text := e.openBetween(w.Node, since, w.Began); text != "" {
			e.accuse("work began on node %s at %s, %s", w.Node, clock(w.Began), text)
		}
		for _, frames := range e.pods {
			f, there := podAt(frames, since)
			now, _ := podAt(frames, w.Began.Add(e.allowed(lag))) // the film may lie behind
			if there && f.Node == w.Node && !now.Gone && !e.mayStay(f, now) {
				e.accuse("work began on node %s at %s, and pod %s was on it", w.Node, clock(w.Began), f.Title())
			}
		}
		inTurn := e.world.volumesAtOnce() > 0 // else nobody waits for them, as with kubectl
		for _, a := range e.attachments {
			detached := !a.Gone.IsZero() && !a.Gone.After(w.Began.Add(e.allowed(lag)))
			if a.Node == w.Node && a.Since.Before(since) && !detached && !e.usedAt(a, w.Began) && inTurn {
				e.accuse("work began on node %s at %s, and volume %s was attached to it", w.Node, clock(w.Began),
					a.Volume)
			}
		}
	}
}

// openBetween is what speaks against work on a node all that time, "" for nothing.
func (e *evidence) openBetween(node string, from, to time.Time) string {
	frames := e.ordeal.roll.nodes[node]
	if len(frames) == 0 {
		return "which nobody knows"
	}
	first, there := nodeAt(frames, from)
	if !there {
		first = frames[0] // the film began later
	}
	against := func(f nodeFrame) string {
		switch {
		case f.Gone:
			return "which is gone"
		case !f.Cordoned:
			return "which was not cordoned"
		case f.Run != "" && !e.ofRoll(f.Run) && e.wasOurs(frames, f.At):
			return "which run " + f.Run + " had taken over"
		}
		return ""
	}
	text := against(first)
	for _, f := range frames {
		if f.At.After(from) && !f.At.After(to) && against(f) == "" {
			return ""
		}
	}
	return text
}

// ofRoll tells whether the run is one of a batch of the roll.
func (e *evidence) ofRoll(run string) bool {
	return strings.HasPrefix(run, e.ordeal.roll.journal.id+"-")
}

// wasOurs tells whether a run of the roll had the node before that moment.
func (e *evidence) wasOurs(frames []nodeFrame, moment time.Time) bool {
	return slices.ContainsFunc(frames, func(f nodeFrame) bool { return f.At.Before(moment) && e.ofRoll(f.Run) })
}

func nodeAt(frames []nodeFrame, moment time.Time) (nodeFrame, bool) {
	return at(frames, moment, func(f nodeFrame) time.Time { return f.At })
}

// mayStay tells whether a drain leaves the pod on its node; now is its newest frame.
func (e *evidence) mayStay(f, now film.PodFrame) bool {
	a := e.appOf(f)
	planned, known := e.said.planned[f.UID]
	return a == nil || a.Kind == "DaemonSet" || e.leftOut(f) || known && planned.Action == "skip" ||
		now.Terminating() && e.world.has("--skip-wait-for-delete-timeout=1")
}

// checkWorkTwice: no command runs twice for a node, unless it was cut off and --rerun-work says that it may, and never
// two at a time.
func (e *evidence) checkWorkTwice() {
	last := map[string]work{}
	for _, w := range e.ordeal.roll.works {
		key := w.Hook + " " + w.Node
		before, twice := last[key]
		last[key] = w
		if !twice {
			continue
		}
		switch noted := e.endNoted(before); {
		case !before.over(w.Began):
			e.accuse("the %s command began on node %s at %s, and that of %s still ran there", w.Hook, w.Node,
				clock(w.Began), clock(before.Began))
		case !e.world.Roll.Rerun:
			e.accuse("the %s command began on node %s at %s, after one at %s, without --rerun-work", w.Hook, w.Node,
				clock(w.Began), clock(before.Began))
		case noted:
			e.accuse("the %s command began on node %s at %s, and the end of that of %s stands in the journal", w.Hook,
				w.Node, clock(w.Began), clock(before.Began))
		}
	}
}

// endNoted tells whether the journal had the end of a command before the next one of its kind began.
func (e *evidence) endNoted(w work) bool {
	for _, event := range e.ordeal.roll.journal.events {
		if event.Node == w.Node && event.Hook == w.Hook && event.Time.After(w.Began) &&
			slices.Contains([]string{"HookStarted", "HookEnded"}, event.Kind) {
			return event.Kind == "HookEnded"
		}
	}
	return false
}

// checkWorkTimes: no more commands run at a time than a batch has nodes, nor in two zones; none begins in a pause or
// after an abort; the work comes after the command before.
func (e *evidence) checkWorkTimes() {
	works := e.ordeal.roll.works
	for i, w := range works {
		e.checkTogether(works[:i], w)
		if e.world.Roll.Before && w.Hook == "work" && !slices.ContainsFunc(works[:i], func(b work) bool {
			return b.Hook == "before" && b.Node == w.Node && b.succeeded() && b.over(w.Began)
		}) {
			e.accuse("work began on node %s at %s, and no command before it had ended well", w.Node, clock(w.Began))
		}
		for _, quiet := range e.rollPauses() {
			if w.Began.After(quiet.from.Add(e.allowed(lag))) && w.Began.Before(quiet.to) {
				e.accuse("the %s command began on node %s at %s, and the roll was paused or aborted from %s to %s",
					w.Hook, w.Node, clock(w.Began), clock(quiet.from), clock(quiet.to))
			}
		}
	}
}

func (e *evidence) checkTogether(earlier []work, w work) {
	beside := map[string]bool{w.Node: true}
	for _, other := range earlier {
		if !other.over(w.Began) {
			beside[other.Node] = true
		}
	}
	e.checkNumber(beside, fmt.Sprintf("when the %s command began on %s at %s", w.Hook, w.Node, clock(w.Began)))
}

// checkNumber: these nodes may be out at a time. It tells whether they may.
func (e *evidence) checkNumber(nodes map[string]bool, when string) bool {
	zones := map[string]bool{}
	for name := range nodes {
		zones[zone(name)] = true
	}
	switch {
	case len(nodes) > e.world.Roll.Batch:
		e.accuse("%s, %d nodes were out of service: --batch=%d", when, len(nodes), e.world.Roll.Batch)
	case e.world.Roll.Zones && len(zones) > 1:
		e.accuse("%s, nodes of %d zones were out of service: --by", when, len(zones))
	default:
		return true
	}
	return false
}

// rollPauses are the times in which the operator wanted nothing to begin.
func (e *evidence) rollPauses() []span {
	var all []span
	for _, s := range e.steered {
		switch {
		case s.Code != 0:
		case s.Verb == "abort":
			all = append(all, span{s.Answered, s.Answered.Add(time.Hour)})
		case s.Verb == "pause":
			all = append(all, span{s.Answered, s.Answered.Add(time.Hour)})
		case s.Verb == "continue":
			for i := range all {
				all[i].to = minTime(all[i].to, s.Asked)
			}
		}
	}
	return all
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// checkOut: no more nodes are cordoned by the roll at a time than a batch has, apart from those that have failed.
func (e *evidence) checkOut() {
	r := e.ordeal.roll
	var all []nodeFrame
	for _, frames := range r.nodes {
		all = append(all, frames...)
	}
	slices.SortFunc(all, func(a, b nodeFrame) int { return a.At.Compare(b.At) })
	out := map[string]bool{}
	for _, f := range all {
		if out[f.Name] = f.Cordoned && e.ofRoll(f.Run) && !f.Gone; !out[f.Name] {
			delete(out, f.Name)
			continue
		}
		failed := r.journal.failedBy(f.At)
		busy := map[string]bool{}
		for name := range out {
			if !failed[name] {
				busy[name] = true
			}
		}
		if !e.checkNumber(busy, fmt.Sprintf("when node %s changed at %s", f.Name, clock(f.At))) {
			return // what follows is the same
		}
	}
}

// checkBatchPauses: after the last work of a batch, --pause-between passes before the first node of the next is
// cordoned.
func (e *evidence) checkBatchPauses() {
	r, batch := e.ordeal.roll, e.batches()
	for name, frames := range r.nodes {
		i := slices.IndexFunc(frames, func(f nodeFrame) bool { return e.ofRoll(f.Run) })
		if i < 0 {
			continue
		}
		for _, w := range r.works {
			early := frames[i].At.Sub(w.Ended) < e.world.Roll.PauseBetween-lag
			if w.Hook == "work" && batch[w.Node] < batch[name] && w.Began.Before(frames[i].At) && early {
				e.accuse("node %s was cordoned at %s, and the work on node %s of the batch before ended at %s", name,
					clock(frames[i].At), w.Node, clock(w.Ended))
			}
		}
	}
}

// batches are the numbers of the batches of the nodes, as the journal has them.
func (e *evidence) batches() map[string]string {
	numbers := map[string]string{}
	for _, run := range e.ordeal.roll.journal.runs {
		said, err := run.said()
		for name := range said.nodes {
			if err == nil {
				numbers[name] = run.run
			}
		}
	}
	return numbers
}

// checkDrainsOfOthers judges the drains that another machine made of nodes of the roll, and the work on those nodes
// meanwhile.
func (e *evidence) checkDrainsOfOthers() {
	r, all, own := e.ordeal.roll, e.said, e.result
	for i, result := range r.drains {
		said, err := readOutput(result.Out)
		if err != nil {
			e.accuse("the output of a drain of nodes of the roll is not what the contract says: %v: %s", err,
				result.Err)
			continue
		}
		e.said, e.result = said, result
		e.checkReport()
		e.checkExit()
		if i < len(r.later) {
			e.checkNoWorkBeside(r.later[i], said.report.EndedAt)
		}
	}
	e.said, e.result = all, own
}

// checkNoWorkBeside: while another run drains a node that it has taken, no command of the roll begins there. It gives
// the node's Lease back once it is through with it.
func (e *evidence) checkNoWorkBeside(other journal, ended time.Time) {
	since, until := map[string]time.Time{}, map[string]time.Time{}
	for _, event := range other.events {
		// Drained may be followed by Stopped: somebody has uncordoned the node since.
		if _, known := until[event.Node]; !known && event.Kind == "Node" &&
			slices.Contains([]string{"Drained", "Failed", "Stopped"}, event.NodeState) {
			until[event.Node] = event.Time
		}
		if _, known := since[event.Node]; !known && event.Kind == "Intent" && event.Action.Verb == "cordon" {
			since[event.Node] = event.Time
		}
	}
	for _, w := range e.ordeal.roll.works {
		end, through := until[w.Node]
		if !through {
			end = ended
		}
		if from, taken := since[w.Node]; taken && w.Began.After(from.Add(e.allowed(noticed))) && w.Began.Before(end) {
			e.accuse("the %s command of the roll began on node %s at %s, which run %s was draining since %s", w.Hook,
				w.Node, clock(w.Began), other.run, clock(from))
		}
	}
}
