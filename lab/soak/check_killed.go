package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// lookAtJournal reads the journal with and without the program.
func (o *ordeal) lookAtJournal(ctx context.Context) error {
	var err error
	if o.journal, err = readJournal(o.rig.State); err != nil {
		return err
	}
	if o.journal.bad != "" {
		o.e.accuse("the journal is damaged: %s", o.journal.bad)
	}
	if o.journal.run == "" {
		return nil
	}
	told, err := o.rig.Call(ctx, o.kdrain, "report", o.journal.run)
	if err != nil {
		return err
	}
	if cut := strings.Contains(told.Err, "is incomplete"); told.Code != 0 || cut != o.journal.torn {
		o.e.accuse("report of a journal with a torn line: %v; it ended with code %d and said %q", o.journal.torn,
			told.Code, told.Err)
	}
	return nil
}

// checkLeases: a run that has ended holds no node.
func (o *ordeal) checkLeases(ctx context.Context) error {
	if _, err := o.serverBack(); err != nil {
		return err
	}
	left, err := o.builder.leases(ctx)
	if len(left) > 0 && o.journal.outcome() != "" {
		o.e.accuse("the run has ended and still holds %v", left)
	}
	return err
}

// checkListed makes sure that a dead run is listed as what it is.
func (o *ordeal) checkListed(ctx context.Context) error {
	listed, err := o.rig.Call(ctx, o.kdrain, "runs", "-o", "json")
	if err != nil {
		return err
	}
	var runs []struct {
		Run, Outcome    string
		Live, Suspended bool
	}
	if err := json.Unmarshal([]byte(listed.Out), &runs); err != nil {
		o.e.accuse("the list of runs is no JSON: %v", err)
		return nil
	}
	switch {
	case o.journal.run == "" && len(runs) == 0:
	case len(runs) != 1 || runs[0].Run != o.journal.run || runs[0].Live || runs[0].Outcome != o.journal.outcome() ||
		runs[0].Suspended != o.journal.suspended():
		o.e.accuse("the dead run %s is listed as %+v", o.journal.run, runs)
	case listed.Code != 0:
		o.e.accuse("the list of runs ended with code %d: %s", listed.Code, listed.Err)
	}
	return nil
}

// checkKilled finds what is wrong with a run that was killed.
func (e *evidence) checkKilled() {
	o := e.ordeal
	if o.roll != nil {
		e.checkRoll()
		return
	}
	said, err := o.journal.said()
	former, failed := o.former.said()
	if err != nil || failed != nil {
		e.accuse("the journal is not what the contract says: %v", errors.Join(err, failed))
		return
	}
	e.said = former.with(said)
	e.checkWrites()
	e.said = said
	e.checkTwice()
	e.checkSuspensions()
	e.checkNeverFewer()
	e.checkSteering()
	e.checkForced()
	e.checkBlind()
	if e.world.Killing.Fault == nil {
		e.checkTokens()
	}
	if strings.HasPrefix(o.ended, "never begun") || strings.HasPrefix(o.ended, "rolled back") {
		return
	}
	if e.world.Killing.TakeOver {
		e.checkTakenOver()
	}
	e.checkIntents()
	e.checkTemporary()
	if e.told != nil {
		e.said.report = e.told
	} else if last, err := readOutput(e.result.Out); err != nil {
		e.accuse("the output of resume is not what the contract says: %v", err)
		return
	} else {
		e.said.report = last.report
	}
	if o.journal.outcome() != e.said.report.Outcome {
		e.accuse("the journal says the run ended %q, the report %q", o.journal.outcome(), e.said.report.Outcome)
	}
	e.checkReport()
	e.checkExit()
	e.checkVolumes()
	if e.world.Killing.Fault == nil {
		e.checkWaits()
	}
}

// checkTwice: no pod whose eviction was accepted before a process died is asked
// for again by the next one.
func (e *evidence) checkTwice() {
	calls := e.ordeal.calls
	for i := 1; i < len(calls); i++ {
		began := calls[i].Result.Began
		for _, r := range e.requests {
			if r.Kind() != audit.Eviction && r.Kind() != audit.Deletion || !r.Accepted() || r.Answered.After(began) {
				continue
			}
			if frames, _ := e.victim(r); frames != nil {
				e.checkNotAgain(frames[0].Title(), string(frames[0].UID), r.Answered, began)
			}
		}
	}
}

func (e *evidence) checkNotAgain(title, uid string, accepted, began time.Time) {
	for _, event := range e.events() {
		asks := event.Action.Verb == "evict" || event.Action.Verb == "delete"
		if event.Kind == "Intent" && asks && string(event.UID) == uid && event.Time.After(began) {
			e.accuse("pod %s (%s) was evicted at %s, and asked for again at %s by the process that began at %s", title,
				uid,
				clock(accepted), clock(event.Time), clock(began))
			return
		}
	}
}

func clock(t time.Time) string { return t.Local().Format("15:04:05.000") }

// checkIntents: whatever was sent stands in the journal.
func (e *evidence) checkIntents() {
	intents := map[string]int{}
	for _, event := range e.events() {
		if event.Kind != "Intent" {
			continue
		}
		name := event.Pod
		switch event.Action.Verb {
		case "create-budget", "delete-budget":
			name = event.Budget.Name
		case "cordon":
			name = event.Node
		case "surge", "end-surge":
			name, event.Action.Verb = event.Surge.Name, "surge"
		}
		intents[event.Action.Verb+" "+name]++
	}
	sent := map[string]int{}
	for _, r := range e.requests {
		if verb := verbOf(r); verb != "" && !e.clearedFirst(r) {
			sent[verb+" "+e.intentName(r)]++
		}
	}
	for what, count := range sent {
		if intents[what] < count {
			e.accuse("%s was sent %d times, and stands in the journal %d times", what, count, intents[what])
		}
	}
}

// clearedFirst tells whether the request removed a temporary budget, or took back a surge, of
// the run that a new one takes up by its marks, or takes nodes over from that died: that comes before the new one has a
// journal, and is said on standard error.
func (e *evidence) clearedFirst(r audit.Request) bool {
	switch {
	case e.ordeal.ended != "resumed elsewhere" && e.ordeal.ended != "taken over":
		return false
	case surgeWrite(r):
		former, next := e.ordeal.former.events, e.ordeal.journal.events
		since := time.Time{}
		switch {
		case e.ordeal.ended == "taken over": // the former run may live, and end its surges at the same time
			since = e.ordeal.calls[1].Result.Began
		case len(former) > 0:
			since = former[len(former)-1].Time
		}
		return !since.IsZero() && r.Received.After(since) && (len(next) == 0 || r.Received.Before(next[0].Time))
	}
	return verbOf(r) == "delete-budget" && strings.Contains(e.result.Err, r.Namespace+"/"+r.Name)
}

// verbOf is the word of the journal for a request that changes something.
func verbOf(r audit.Request) string {
	switch {
	case r.Kind() == audit.Eviction:
		return "evict"
	case r.Kind() == audit.Deletion:
		return "delete"
	case r.Resource == "nodes" && r.Verb == "patch":
		return "cordon"
	case r.Resource == "poddisruptionbudgets" && r.Verb == "delete":
		return "delete-budget"
	case surgeWrite(r) && r.Resource == "pods":
		return "deletion-cost"
	case surgeWrite(r):
		return "surge"
	}
	return "" // the name of a new budget is not in the audit log
}

// checkTemporary: no temporary budget outlives its run.
func (e *evidence) checkTemporary() {
	for _, frames := range e.budgets {
		last := frames[len(frames)-1]
		if strings.HasPrefix(last.Name, temporary) && !last.Gone {
			e.accuse("the temporary budget %s/%s is still there", last.Namespace, last.Name)
		}
	}
}

// temporary is how the names of temporary budgets begin.
const temporary = "kdrain-"

// checkBudgetWrite: only budgets of the run itself come and go.
func (e *evidence) checkBudgetWrite(r audit.Request) {
	switch {
	case !e.world.has("--guard-write"):
		e.accuse("it sent %s %s without --guard-write", r.Verb, r.URI)
	case r.Verb == "delete" && !strings.HasPrefix(r.Name, temporary):
		e.accuse("it deleted budget %s/%s, which is not its own", r.Namespace, r.Name)
	}
}

// summaryKilled is the line of a run that was killed.
func (e *evidence) summaryKilled(verdict string, seed uint64) string {
	o, took := e.ordeal, time.Duration(0)
	for _, c := range o.calls {
		took += c.Result.Took()
	}
	outcome, what, how := o.journal.outcome(), "kill", e.world.Killing.String()
	if o.roll != nil {
		outcome, how = o.roll.journal.outcome(), e.world.Roll.String()+", "+how
	}
	if len(e.world.Killing.Moments) == 0 {
		what = "roll"
	}
	if outcome == "" {
		outcome = "-"
	}
	return fmt.Sprintf("%s %3d of seed %d %-5s %d kills, %s, %s, %.1f s, %d nodes, %d pods, %d words%s  %s  %s",
		what, e.world.Run, seed, verdict, o.kills, o.ended,
		outcome, took.Seconds(), len(e.world.Targets), len(e.said.planned), len(e.steered), e.world.adversity(),
		how, strings.Join(e.world.Flags, " "))
}
