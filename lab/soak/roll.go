package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// rolling is how the nodes of a world are maintained batch by batch, where they are.
type rolling struct {
	Batch        int
	Zones        bool          // never nodes of two zones at once
	Before       bool          // a command before the drain, too
	Takes        time.Duration // each command
	Fails        string        // the node on which the work fails, "" for none
	Rerun        bool          // a command that was cut off may run again
	PauseBetween time.Duration
	MaxFailed    int
	Strict       bool // the health gate closes at the first workload that is worse
	// Beside is whether a second operator, if there is one, takes all nodes of the roll; else those of its batch.
	Beside bool
}

// rollShare is how many of a hundred worlds are rolls.
const rollShare = 30

// addRoll makes some worlds rolls: more nodes, fewer things that nobody is there to end.
func (w *world) addRoll(rng *rand.Rand, all bool) {
	if !all && !chance(rng, rollShare) {
		return
	}
	w.Targets = names(w.Run, "target", 3+rng.IntN(2))
	r := &rolling{Batch: pick(rng, 1, 2, 2, 3), Zones: chance(rng, 30), Before: chance(rng, 30),
		Takes: time.Duration(rng.IntN(1500)) * time.Millisecond, Rerun: chance(rng, 40),
		MaxFailed: pick(rng, 0, 1, 2, 4), Strict: chance(rng, 25), Beside: chance(rng, 50)}
	if chance(rng, 20) {
		r.Fails = pick(rng, w.Targets...)
	}
	if chance(rng, 25) {
		r.PauseBetween = time.Duration(500+rng.IntN(1500)) * time.Millisecond
	}
	w.Roll, w.As, w.Unsettled = r, "", false
	w.Flags = slices.DeleteFunc(w.Flags, func(f string) bool {
		return f == "--all-or-nothing" || f == "--fail-on-blockers"
	})
	for _, f := range []string{"--ignore-daemonsets", "--delete-emptydir-data", "--force"} {
		if !w.has(f) && chance(rng, 90) {
			w.Flags = append(w.Flags, f)
		}
	}
	w.Happenings = slices.DeleteFunc(w.Happenings, func(h happening) bool { return h.What == "end namespace" })
	for range rng.IntN(3) {
		if chance(rng, 40) {
			w.Happenings = append(w.Happenings, happening{After: time.Duration(rng.IntN(4000)) * time.Millisecond,
				What: "uncordon", Name: pick(rng, w.Targets...)})
		}
	}
	w.addRollWords(rng)
}

// addRollWords lets the operator steer some rolls. Nothing is said of single pods.
func (w *world) addRollWords(rng *rand.Rand) {
	w.Words = nil
	if chance(rng, 35) {
		w.Words = append(w.Words,
			word{After: time.Duration(rng.IntN(5000)) * time.Millisecond, Verb: "pause"},
			word{After: time.Duration(200+rng.IntN(2500)) * time.Millisecond, Verb: "continue"})
	}
	if chance(rng, 20) {
		w.Words = append(w.Words, word{After: time.Duration(rng.IntN(9000)) * time.Millisecond, Verb: "abort"})
	}
}

// args are the flags of the roll, for commands that leave their traces in that file.
func (r rolling) args(w world, trace string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err) // of a program that runs
	}
	command := func(hook string) string {
		text := fmt.Sprintf("--%s=exec %s %s -file %s -hook %s -takes %s", hook, self, traceWord, trace, hook, r.Takes)
		if r.Fails != "" && hook == "work" {
			text += " -fails " + r.Fails
		}
		return text
	}
	args := []string{fmt.Sprintf("--batch=%d", r.Batch), command("work"), "--return-timeout=20s",
		fmt.Sprintf("--max-failed=%d", r.MaxFailed), "--pause-between=" + r.PauseBetween.String()}
	if r.Before {
		args = append(args, command("before"))
	}
	if r.Zones {
		args = append(args, "--by="+ofZone)
	}
	if r.Rerun {
		args = append(args, "--rerun-work")
	}
	if !r.Strict {
		args = append(args, fmt.Sprintf("--max-unhealthy=%d", len(w.Apps)+w.Crowd))
	}
	return args
}

func (r rolling) String() string {
	text := fmt.Sprintf("batches of %d", r.Batch)
	for _, also := range []struct {
		is   bool
		what string
	}{
		{r.Zones, " zones"}, {r.Before, " before"}, {r.Rerun, " rerun"}, {r.Strict, " strict"}, {r.Fails != "", " fails"},
	} {
		if also.is {
			text += also.what
		}
	}
	return text
}

// zone is the zone of a node of a world: those with odd numbers are in one, the others in another.
func zone(node string) string {
	if strings.HasSuffix(node, "1") || strings.HasSuffix(node, "3") {
		return "odd"
	}
	return "even"
}

// interestingRolls are lines at which a roll has just done something, or is about to.
var interestingRolls = []string{
	`"kind":"RollStarted"`, `"kind":"Baseline"`, `"kind":"BatchStarted"`, `"kind":"DrainStarted"`,
	`"kind":"DrainStarted"`, `"kind":"DrainEnded"`, `"kind":"DrainEnded"`, `"kind":"HookStarted"`,
	`"kind":"HookStarted"`, `"kind":"HookProcess"`, `"kind":"HookProcess"`, `"kind":"HookOutput"`,
	`"kind":"HookEnded"`, `"kind":"HookEnded"`, `"nodeState":"Working"`, `"nodeState":"Returning"`,
	`"nodeState":"Returning"`, `"nodeState":"Done"`, `"kind":"BatchEnded"`, `"kind":"RollEnded"`,
}

// aimAtRolls lets processes end in the middle of a roll, and says from where it is gone on with.
func (k *killing) aimAtRolls(rng *rand.Rand, w *world) {
	w.Roll.Takes += time.Duration(300+rng.IntN(1500)) * time.Millisecond
	for i := range k.Moments {
		m := &k.Moments[i]
		if m.Hangup = chance(rng, 20); m.Early {
			continue
		}
		if chance(rng, 75) {
			m.Line, m.Nth = pick(rng, interestingRolls[min(i, 1):]...), 1+rng.IntN(2) // it starts once
		}
		m.Latest += time.Duration(rng.IntN(4000)) * time.Millisecond
	}
	switch {
	case chance(rng, 25):
		k.Elsewhere = true
		w.Flags = append(w.Flags, withoutLeases)
	case chance(rng, 20):
		k.TakeOver, k.Rollback, k.Moments = true, false, k.Moments[:1]
		k.Moments[0].Early, k.Moments[0].Hangup, k.Dead = false, false, chance(rng, 50)
	}
	k.Uncordon = chance(rng, 40)
}
