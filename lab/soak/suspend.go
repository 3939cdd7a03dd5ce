package main

import "strings"

// hungUp is the exit code of a process that SIGHUP ended in order.
const hungUp = 128 + 1

// checkSuspended judges a process whose terminal went away, and tells whether it
// left its run to be resumed. takenUp is how often the run had been taken up
// before. A process that had ended by then left nothing.
func (o *ordeal) checkSuspended(takenUp int) bool {
	code := o.e.result.Code
	switch {
	case o.journal.outcome() != "":
		return false
	case o.journal.takenUp() == takenUp: // it came before its first event, or before its handler of signals
		return code == hungUp || code == -1
	}
	o.hangups++
	switch {
	case !o.journal.suspended():
		o.e.accuse("it was hung up, ended with code %d, and neither ended nor suspended the run: %s", code,
			o.e.result.Err)
	case code != hungUp:
		o.e.accuse("a process that was hung up ended with code %d: %s", code, o.e.result.Err)
	case o.journal.torn:
		o.e.accuse("a process that was hung up left a torn line in its journal")
	case !strings.Contains(o.e.result.Err, "is suspended, not ended"):
		o.e.accuse("a process that was hung up does not say that its run is suspended: %q", o.e.result.Err)
	}
	return true
}

// takenUp counts the processes that have worked on the run.
func (j journal) takenUp() int {
	count := 0
	for _, e := range j.events {
		if e.Kind == "RunStarted" || e.Kind == "Resumed" {
			count++
		}
	}
	return count
}

// suspended tells whether the last process of the run left it to be resumed.
func (j journal) suspended() bool {
	suspended := false
	for _, e := range j.events {
		switch {
		case e.Kind == "Control" && e.Control == "suspend":
			suspended = true
		case e.Kind == "Resumed", e.Kind == "RunEnded":
			suspended = false
		}
	}
	return suspended
}

// checkSuspensions: between the moment at which a run is suspended and that at
// which another process takes it up nothing more is sent.
func (e *evidence) checkSuspensions() {
	suspended := false
	for _, event := range e.events() {
		switch {
		case event.Kind == "Control" && event.Control == "suspend":
			suspended = true
		case event.Kind == "Resumed", event.Kind == "RunStarted": // or, without its journal, by a run of its own
			suspended = false
		case event.Kind == "Intent" && suspended && event.Action.Verb != "get":
			e.accuse("it was suspended, and sent %s %s/%s at %s", event.Action.Verb, event.Namespace, event.Pod,
				clock(event.Time))
		}
	}
}
