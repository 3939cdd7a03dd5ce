package main

import (
	"slices"
	"strings"
)

// checkRollReport compares what the last process of a roll said of it with the cluster, the traces and the exit code.
func (e *evidence) checkRollReport() {
	o, r := e.ordeal, e.ordeal.roll
	last := e.lastOfRoll()
	if last == nil {
		return
	}
	told, err := readRollReport(last.Result.Out)
	switch {
	case err != nil:
		e.accuse("%v", err)
		return
	case r.never || told == nil:
		e.checkNeverBegun(last)
		return
	case told.Outcome == "":
		return // suspended: judged when it was hung up
	}
	e.said.report = &report{Outcome: told.Outcome}
	if told.Outcome != r.journal.outcome() {
		e.accuse("the journal says that the roll ended %q, the report %q", r.journal.outcome(), told.Outcome)
	}
	want, known := codes[told.Outcome]
	if o.lostTerminal && last.Result.Code == hungUp {
		want = hungUp
	}
	if !known || last.Result.Code != want {
		e.accuse("the roll ended with code %d and outcome %q", last.Result.Code, told.Outcome)
	}
	states := map[string]int{}
	for _, n := range told.Nodes {
		states[n.State]++
		e.checkRollNode(n)
	}
	all := len(told.Nodes)
	switch {
	case all != len(e.world.Targets):
		e.accuse("the report names %d of %d nodes", all, len(e.world.Targets))
	case told.Outcome == "done" && states["Done"] != all, told.Outcome == "partly" && states["Failed"] == 0:
		e.accuse("the roll ended %q, and its nodes are %v", told.Outcome, states)
	case told.Outcome == "aborted" && !e.abortedByOperator():
		e.accuse("the roll was aborted, and nobody asked for that: %s", told.Message)
	case told.Outcome != "done" && r.journal.suspended():
		e.accuse("the roll ended %q and is suspended", told.Outcome)
	}
	e.checkNothingRuns(last)
}

// lastOfRoll is the last process that worked on the roll, nil where it was killed.
func (e *evidence) lastOfRoll() *call {
	calls := e.ordeal.calls
	for i := len(calls) - 1; i >= 0; i-- {
		switch args := calls[i].Args; {
		case args[0] == "roll", args[0] == "resume" && args[1] == e.ordeal.roll.journal.id:
			if calls[i].Result.Killed {
				return nil
			}
			return &calls[i]
		}
	}
	return nil
}

// checkNeverBegun: a roll that did not begin was refused, or failed, or was interrupted first.
func (e *evidence) checkNeverBegun(last *call) {
	switch code := last.Result.Code; {
	case len(e.ordeal.roll.works) > 0:
		e.accuse("the roll did not begin, and ran commands: %+v", e.ordeal.roll.works)
	case code == codes["refused"], e.ordeal.lostTerminal && (code == hungUp || code == -1):
	default:
		e.accuse("the roll did not begin, with code %d: %s", code, last.Result.Err)
	}
}

func (e *evidence) abortedByOperator() bool {
	return e.ordeal.roll.aborted || slices.ContainsFunc(e.steered, func(s spoken) bool {
		return s.Verb == "abort" && s.Code == 0
	})
}

// checkRollNode: a node is done once its last work has ended well, and takes pods again or says why not; one that
// failed says why; one that waits was left alone.
func (e *evidence) checkRollNode(n rollNode) {
	var last *work
	for _, w := range e.ordeal.roll.works {
		if w.Hook == "work" && w.Node == n.Name {
			last = &w
		}
	}
	frames := e.ordeal.roll.nodes[n.Name]
	cordoned := slices.ContainsFunc(frames, func(f nodeFrame) bool { return e.ofRoll(f.Run) })
	switch {
	case n.State == "Done" && (last == nil || !last.succeeded()):
		e.accuse("node %s is said to be done, and its work is %+v", n.Name, last)
	case n.State == "Done" && n.Message == "" && !e.tookPodsAgain(frames, *last):
		e.accuse("node %s is said to be done, and was not uncordoned after its work", n.Name)
	case n.State == "Failed" && n.Message == "":
		e.accuse("node %s is said to have failed, without a reason", n.Name)
	case n.State == "Failed" && strings.Contains(n.Message, "ended with exit code") && !e.commandFailed(n.Name):
		e.accuse("node %s is said to have failed (%s), and no command of it did", n.Name, n.Message)
	case n.State == "Waiting" && (last != nil || cordoned):
		e.accuse("node %s is said to wait, and was cordoned by the roll: %v, worked on: %+v", n.Name, cordoned, last)
	}
}

// tookPodsAgain tells whether the node was without a cordon at the end of its work, or at some time after it.
func (e *evidence) tookPodsAgain(frames []nodeFrame, w work) bool {
	if f, there := nodeAt(frames, w.Ended); there && !f.Cordoned {
		return true // somebody was faster
	}
	return slices.ContainsFunc(frames, func(f nodeFrame) bool { return f.At.After(w.Ended) && !f.Cordoned })
}

func (e *evidence) commandFailed(node string) bool {
	return slices.ContainsFunc(e.ordeal.roll.works, func(w work) bool { return w.Node == node && !w.succeeded() })
}

// checkNothingRuns: when the process of a roll has ended, its commands have.
func (e *evidence) checkNothingRuns(last *call) {
	for _, w := range e.ordeal.roll.works {
		if w.Began.After(last.Result.Began) && !w.over(last.Result.Ended) {
			e.accuse("the roll has ended, and its %s command of node %s at %s has not", w.Hook, w.Node, clock(w.Began))
		}
	}
}
