package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// addSurge lets the replacements start first in some worlds, or in all: some of them are slow,
// some are never Ready (SickHeirs), and others scale the same workloads meanwhile.
func (w *world) addSurge(rng *rand.Rand, all bool) {
	if !all && !chance(rng, 50) {
		return
	}
	refused := func(f string) bool { return f == "--disable-eviction" } // beside --surge
	w.Flags = slices.DeleteFunc(w.Flags, refused)
	w.Timeout += time.Duration(2+rng.IntN(8)) * time.Second
	w.Flags[0] = "--timeout=" + w.Timeout.String()
	w.Flags = append(w.Flags, "--surge="+pick(rng, "100%", "100%", "50%", "1", "2"),
		"--surge-timeout="+pick(rng, "1500ms", "3s", "10s", "10s"))
	if chance(rng, 20) {
		w.Flags = append(w.Flags, "--surge-fallback=leave")
	}
	for i := range w.Apps {
		w.Apps[i].letSurge(rng, all)
	}
	if chance(rng, 20) {
		w.Crowd = 300 + rng.IntN(300)
	}
	for _, a := range w.Apps {
		if a.Kind == "Deployment" && chance(rng, 35) {
			w.Happenings = append(w.Happenings, happening{After: time.Duration(rng.IntN(2500)) * time.Millisecond,
				What: pick(rng, "scale", "scale down"), Namespace: a.Namespace, Name: a.Name})
		}
	}
}

// letSurge makes the replacements of an app slow now and then, and others of its deletion costs;
// where all worlds surge, most apps are of a kind that can.
func (a *app) letSurge(rng *rand.Rand, all bool) {
	if all && a.Kind != "Deployment" && a.Kind != "ReplicaSet" && chance(rng, 75) {
		a.Kind = pick(rng, "Deployment", "Deployment", "ReplicaSet")
		a.SickHeirs = a.Kind == "ReplicaSet" && chance(rng, 30)
	}
	if chance(rng, 25) {
		a.StartsAfter = pick(rng, "50ms", "1500ms", "3s")
	}
	if chance(rng, 15) {
		a.Cost = pick(rng, "-5", "0", "7")
	}
}

// surges tells whether the replacements start first.
func (w world) surges() bool {
	return slices.ContainsFunc(w.Flags, func(f string) bool { return strings.HasPrefix(f, "--surge=") })
}

// canSurge tells whether the app is of a kind whose replicas may be raised.
func (a app) canSurge() bool { return a.Kind == "Deployment" || a.Kind == "ReplicaSet" }

// interestingSurges are lines around the writes of a surge.
var interestingSurges = []string{
	`"phase":"surge"`, `"verb":"surge"`, `"verb":"surge"`, `"state":"Raising"`, `"state":"Starting"`,
	`"verb":"deletion-cost"`, `"verb":"deletion-cost"`, `"state":"Lowering"`, `"verb":"end-surge"`,
	`"verb":"end-surge"`, `"state":"Verifying"`, `"state":"Done"`, `"state":"Undone"`,
}

// aimAtSurges lets processes end in the middle of a surge.
func (k *killing) aimAtSurges(rng *rand.Rand) {
	for i := range k.Moments {
		m := &k.Moments[i]
		if m.Early || !chance(rng, 60) {
			continue
		}
		m.Line, m.Nth = pick(rng, interestingSurges...), 1+rng.IntN(2)
		m.Latest += time.Second
	}
}
