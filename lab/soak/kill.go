package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// killing is how a run is cut short, and what is done about it.
type killing struct {
	Moments  []moment      // of kill -9, one for each process after the other
	Away     time.Duration // how long the cluster goes on alone after each
	Rollback bool          // in the end; else it is resumed to its end
	Fault    *fault
	// Elsewhere tells that the end comes from a machine without the journal.
	Elsewhere bool
	// TakeOver lets a second operator take the nodes at the first moment, instead of
	// a kill: both processes go on to their ends.
	TakeOver bool
	Dead     bool // the run that is taken over was killed just before
	// Uncordon lets somebody uncordon a node of a roll while no process works on it.
	Uncordon bool
}

// moment is when a process is killed: some time after a line of its output, or
// after its first line of all where Line is empty. If the line does not come,
// Latest counts.
type moment struct {
	Line   string // part of it
	Nth    int    // of those lines, from 1
	After  time.Duration
	Latest time.Duration // since the first line
	Early  bool          // since the start of the process instead
	Hangup bool          // its terminal goes away instead: the run is to be suspended
}

// fault is an API server that is killed and comes back.
type fault struct {
	During int           // which process, from 0; the one after the last kill counts too
	After  time.Duration // since that process began
	For    time.Duration
}

// interesting are lines of what a process is about to do, and of what it has
// just done, in every phase.
var interesting = []string{
	`"kind":"RunStarted"`, `"phase":"cordon"`, `"verb":"cordon"`, `"verb":"cordon"`, `"nodeState":"Cordoned"`,
	`"kind":"Confirmed"`,
	`"verb":"evict"`, `"verb":"evict"`, `"verb":"evict"`, `"kind":"Answer"`, `"podState":"Terminating"`,
	`"podState":"BudgetBlocked"`,
	`"podState":"Gone"`, `"nodeState":"Drained"`, `"phase":"verify"`, `"phase":"close"`, `"kind":"RunEnded"`,
}

var interestingGuards = []string{
	`"phase":"guard"`, `"verb":"create-budget"`, `"verb":"create-budget"`, `"budgetState":"Created"`,
	`"budgetState":"Observed"`, `"verb":"delete-budget"`,
}

// newMoment is when the process of that number is killed.
func newMoment(rng *rand.Rand, number int, guards bool) moment {
	m := moment{Nth: 1, After: time.Duration(rng.IntN(12000)) * time.Microsecond,
		Latest: time.Duration(800+rng.IntN(1200)) * time.Millisecond}
	switch which := rng.IntN(10); {
	case which < 2:
		m.Latest, m.Early = time.Duration(rng.IntN(1200))*time.Millisecond, chance(rng, 25)
	case which < 4:
		m.Line, m.Nth = `"kind"`, 1+rng.IntN(30)
	case which < 5 && number > 0:
		m.Line = `"kind":"Resumed"`
	case which < 8 && guards:
		m.Line = pick(rng, interestingGuards...)
	default:
		m.Line = pick(rng, interesting...)
	}
	if chance(rng, 20) && m.Nth == 1 {
		m.Nth = 2
	}
	if chance(rng, 20) {
		m.After = time.Duration(rng.IntN(300)) * time.Millisecond
	}
	return m
}

// newKilledWorld is the world of a run that is killed, and how.
func newKilledWorld(seed uint64, run int, every kinds) world {
	w := newWorld(seed, run, every)
	rng := rand.New(rand.NewPCG(seed, 1<<32|uint64(run)))
	w.makeLonger(rng)
	k := &killing{Rollback: chance(rng, 45), Away: time.Duration(rng.IntN(2500)) * time.Millisecond}
	for more := true; more; more = chance(rng, 45) {
		k.Moments = append(k.Moments, newMoment(rng, len(k.Moments), w.has("--guard-write")))
	}
	if w.surges() {
		k.aimAtSurges(rand.New(rand.NewPCG(seed, 8<<32|uint64(run))))
	}
	if variety := rand.New(rand.NewPCG(seed, 3<<32|uint64(run))); w.Roll != nil {
		k.aimAtRolls(variety, &w)
	} else {
		k.addVariety(variety, &w)
	}
	// The player of the volumes would not live through the end of the server.
	if chance(rng, 15) && len(w.drivers()) == 0 && !k.Elsewhere && !k.TakeOver && w.Roll == nil {
		k.Fault = &fault{
			During: rng.IntN(len(k.Moments) + 1), After: time.Duration(rng.IntN(2500)) * time.Millisecond,
			For: time.Duration(200+rng.IntN(2500)) * time.Millisecond,
		}
	}
	k.stayAway(rand.New(rand.NewPCG(seed, 6<<32|uint64(run))), &w)
	w.Killing, w.Unsettled = k, false
	if k.Rollback {
		// What others change is theirs, and would be missed in the comparison.
		w.Happenings = slices.DeleteFunc(w.Happenings, func(h happening) bool {
			return h.What != "release" && h.What != "delete a pod"
		})
	}
	for _, name := range w.Targets {
		w.addTraces(rng, name)
	}
	return w
}

// addVariety lets some processes lose their terminals instead of their lives, some
// runs be taken up by their marks alone, and some be taken over while they live.
func (k *killing) addVariety(rng *rand.Rand, w *world) {
	for i := range k.Moments {
		k.Moments[i].Hangup = chance(rng, 25)
	}
	switch {
	case chance(rng, 20):
		k.Elsewhere, w.As = true, ""
		w.Flags = append(w.Flags, withoutLeases)
		// Marks know nothing of replicas.
		w.Words = slices.DeleteFunc(w.Words, func(said word) bool { return said.Verb == "scale" })
	case chance(rng, 12) && !w.guards():
		k.TakeOver, k.Rollback, k.Moments, w.As = true, false, k.Moments[:1], ""
		k.Moments[0].Early = false
		k.Dead = chance(rng, 40)
	}
}

// makeLonger keeps a drain from ending before anybody can kill it: by a refusal,
// or because all its pods are gone at once.
func (w *world) makeLonger(rng *rand.Rand) {
	w.Flags = slices.DeleteFunc(w.Flags, func(f string) bool {
		return f == "--fail-on-blockers" || f == "--all-or-nothing"
	})
	for _, f := range []string{"--ignore-daemonsets", "--delete-emptydir-data", "--force"} {
		if !w.has(f) && chance(rng, 90) {
			w.Flags = append(w.Flags, f)
		}
	}
	if !w.guards() && w.As != withoutBudgets && chance(rng, 30) && !w.has("--disable-eviction") {
		w.Flags = append(w.Flags, "--guard=1", "--guard-write")
	}
	for i := range w.Apps {
		if chance(rng, 50) {
			w.Apps[i].StopsAfter = pick(rng, "1s", "2s")
		}
	}
}

// addTraces lets somebody have done something to a node before the drain.
func (w *world) addTraces(rng *rand.Rand, node string) {
	if chance(rng, 12) {
		w.Traces = append(w.Traces, trace{node, "cordon"})
	}
	if chance(rng, 8) {
		w.Traces = append(w.Traces, trace{node, "exclude from load balancers"})
	}
	if chance(rng, 15) {
		w.Traces = append(w.Traces, trace{node, "label and annotate"})
	}
}

// trace is what somebody did to a node before the drain.
type trace struct{ Node, What string }

func (m moment) String() string {
	if m.Hangup {
		m.Hangup = false
		return "hangup " + m.String()
	}
	switch m.Line {
	case "":
		return fmt.Sprintf("at %dms", m.Latest.Milliseconds())
	case `"kind"`:
		return fmt.Sprintf("line %d+%dms", m.Nth, m.After.Milliseconds())
	}
	what := strings.NewReplacer(`"`, "", "kind:", "").Replace(m.Line)
	return fmt.Sprintf("%s#%d+%dms", what, m.Nth, m.After.Milliseconds())
}

func (k killing) String() string {
	parts := make([]string, len(k.Moments))
	for i, m := range k.Moments {
		parts[i] = m.String()
	}
	text := "resume"
	if k.Rollback {
		text = "rollback"
	}
	if k.Elsewhere {
		text += " elsewhere"
	}
	if k.TakeOver {
		text = "take over, no"
	}
	if k.Dead {
		text = "take over"
	}
	text += " after kill [" + strings.Join(parts, "; ") + "]"
	if k.Uncordon {
		text += " and uncordon"
	}
	if k.Fault != nil {
		text += fmt.Sprintf(" server away in process %d at %dms for %dms", k.Fault.During,
			k.Fault.After.Milliseconds(), k.Fault.For.Milliseconds())
	}
	return text
}
