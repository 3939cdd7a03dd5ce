package main

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// evidence is everything that is known of a run, and what is wrong with it.
type evidence struct {
	world    world
	result   rig.Result
	said     said
	requests []audit.Request
	pods     map[types.UID][]film.PodFrame
	budgets  map[types.UID][]film.BudgetFrame
	ordeal   *ordeal // of a run that was killed
	told     *report // of the journal, where the run's own is lost
	steered  []spoken

	attachments []attachment  // in worlds with volumes
	before      dump          // what the cluster was before the run
	stall       time.Duration // the longest that the machine made anybody wait

	wrong []string
}

func (e *evidence) accuse(format string, args ...any) {
	e.wrong = append(e.wrong, fmt.Sprintf(format, args...))
}

// check finds what is wrong with the run.
func (e *evidence) check() {
	if e.ordeal != nil {
		e.checkKilled()
		return
	}
	var err error
	if e.said, err = readOutput(e.result.Out); err != nil {
		e.accuse("the output is not what the contract says: %v", err)
		return
	}
	e.checkWrites()
	e.checkTokens()
	e.checkForced()
	e.checkBlind()
	e.checkReport()
	e.checkExit()
	e.checkSteering()
	e.checkVolumes()
	e.checkWaits()
	e.checkNeverFewer()
}

// victim is the pod that an accepted eviction or deletion has met: the one of
// that name whose deletion was seen first after the request came in.
func (e *evidence) victim(r audit.Request) ([]film.PodFrame, int) {
	var found []film.PodFrame
	place := 0
	for _, frames := range e.pods {
		if frames[0].Namespace != r.Namespace || frames[0].Name != r.Name {
			continue
		}
		for i, frame := range frames {
			if frame.Deleted.IsZero() && !frame.Gone {
				continue
			}
			// The film may see it a moment before the answer is noted, never
			// before the question.
			if !frame.At.Before(r.Received) && (found == nil || frame.At.Before(found[place].At)) {
				found, place = frames, i
			}
			break
		}
	}
	return found, place
}

// named are the pods that have had that name, in the order in which they came.
func (e *evidence) named(namespace, name string) [][]film.PodFrame {
	var all [][]film.PodFrame
	for _, frames := range e.pods {
		if frames[0].Namespace == namespace && frames[0].Name == name {
			all = append(all, frames)
		}
	}
	slices.SortFunc(all, func(a, b []film.PodFrame) int { return a[0].At.Compare(b[0].At) })
	return all
}

// at is the frame that was true at that moment, false if there was none yet.
func at[F any](frames []F, moment time.Time, seen func(F) time.Time) (F, bool) {
	var last F
	found := false
	for _, frame := range frames {
		if seen(frame).After(moment) {
			break
		}
		last, found = frame, true
	}
	return last, found
}

func podAt(frames []film.PodFrame, moment time.Time) (film.PodFrame, bool) {
	return at(frames, moment, func(f film.PodFrame) time.Time { return f.At })
}

func budgetAt(frames []film.BudgetFrame, moment time.Time) (film.BudgetFrame, bool) {
	return at(frames, moment, func(f film.BudgetFrame) time.Time { return f.At })
}
