package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// forceAfter is the --force-after of every world that has one.
const forceAfter = 1500 * time.Millisecond

// addAdversity makes some worlds harder: a webhook that refuses evictions, an
// operator who may not read budgets or not watch, and a pause that is longer than
// --force-after.
func (w *world) addAdversity(rng *rand.Rand) {
	forcing := []string{"--max-evict-retries=1", "--force-after=" + forceAfter.String()}
	switch kind := rng.IntN(100); {
	case kind < 20:
		w.Webhook = &webhookRule{Percent: 10, Code: pick(rng, 403, 400, 429, 500)}
		if chance(rng, 40) {
			w.Webhook.Always = pick(rng, w.Apps...).Name
		}
	case kind < 28:
		w.limit(withoutBudgets, 15*time.Second)
	case kind < 34:
		w.limit(withoutWatch, 30*time.Second)
	case kind < 50:
		w.pauseLong(rng)
	default:
		return
	}
	if !w.forces() && chance(rng, 40) {
		w.Flags = append(w.Flags, pick(rng, forcing...))
	}
}

// limit lets the drain run as an operator with fewer rights. What needs the
// missing right by flag would end before it begins, and what is seen late takes
// longer.
func (w *world) limit(user string, timeout time.Duration) {
	w.As = user
	if user == withoutBudgets {
		w.Flags = slices.DeleteFunc(w.Flags, func(f string) bool {
			return f == "--fail-on-blockers" || strings.HasPrefix(f, "--guard")
		})
	}
	w.Timeout = timeout
	w.Flags[0] = "--timeout=" + timeout.String()
}

// pauseLong pauses the run for longer than --force-after.
func (w *world) pauseLong(rng *rand.Rand) {
	pause := word{After: time.Duration(rng.IntN(900)) * time.Millisecond, Verb: "pause"}
	goOn := word{After: forceAfter + time.Duration(500+rng.IntN(1500))*time.Millisecond, Verb: "continue"}
	w.Words = append([]word{pause, goOn}, w.Words...)
}

// forcesLate tells whether pods are deleted after their budget has refused them for
// some time, or often enough.
func (w world) forcesLate() bool {
	return !w.has("--disable-eviction") && (w.has("--max-evict-retries=1") ||
		w.has("--force-after="+forceAfter.String()))
}

// stayAway makes some outages longer than --force-after.
func (k *killing) stayAway(rng *rand.Rand, w *world) {
	if k.Fault == nil || !chance(rng, 50) {
		return
	}
	k.Fault.For = forceAfter + time.Duration(1000+rng.IntN(2000))*time.Millisecond
	if !w.forces() {
		w.Flags = append(w.Flags, "--force-after="+forceAfter.String())
	}
}

// as are the arguments by which the administrator impersonates the operator.
func (w world) as() []string {
	if w.As == "" {
		return nil
	}
	return []string{"--as=" + w.As}
}

// adversity is what makes the world hard, for the line of its run.
func (w world) adversity() string {
	var parts []string
	if w.As != "" {
		parts = append(parts, ", as "+w.As)
	}
	if h := w.Webhook; h != nil {
		parts = append(parts, fmt.Sprintf(", webhook %d%% %d %s", h.Percent, h.Code, h.Always))
	}
	return strings.TrimSuffix(strings.Join(parts, ""), " ")
}
