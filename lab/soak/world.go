package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// world is what one run drains and how; it follows from the seed and the number
// of the run alone.
type world struct {
	Run        int
	Targets    []string // nodes to drain
	Others     []string // nodes that are there from the start
	Late       []string // nodes that join once all pods run
	Namespaces []string
	Apps       []app
	Budgets    []budget
	Unsettled  bool // the drain begins before the budgets are counted
	Happenings []happening
	Flags      []string
	Timeout    time.Duration // per node
	Traces     []trace
	Words      []word // of the operator, by ctl
	As         string // the operator that the administrator impersonates, "" for none
	Webhook    *webhookRule
	Killing    *killing // nil where it may live
	Roll       *rolling // nil where the nodes are drained once
	Crowd      int      // further ReplicaSets, without pods: their list takes longer than that of the pods
}

// app is a workload.
type app struct {
	Namespace, Name string
	Kind            string // Deployment, ReplicaSet, StatefulSet, DaemonSet, Job or Pod
	Group           string // what budgets select; two apps can be of one group
	Pods            int
	StopsAfter      string // how long its pods take to end; "" is the lab's half second
	StartsAfter     string // how long they take to get Ready; "" is the lab's half second
	Cost            string // their deletion cost, "" for none
	Sick            string // why its pods never get ready
	SickHeirs       bool   // the pods that replace the first ones are sick
	EmptyDir        bool
	Held            int    // how many of its pods a finalizer holds
	Driver          string // of the CSI volume that each of its pods has, "" for none
}

// budget is a PodDisruptionBudget.
type budget struct {
	Namespace, Name string
	Group           string // "" selects every pod of the namespace
	Min, Max        string
	Policy          string // unhealthyPodEvictionPolicy
}

// happening is something that others do while the nodes are drained.
type happening struct {
	After           time.Duration
	What            string // see happen.go
	Namespace, Name string
}

// newWorld makes the world of a run.
func newWorld(seed uint64, run int, every kinds) world {
	rng := rand.New(rand.NewPCG(seed, uint64(run)))
	w := world{Run: run, Timeout: time.Duration(4+rng.IntN(4)) * time.Second, Unsettled: chance(rng, 10)}
	w.Targets = names(run, "target", 1+rng.IntN(3))
	w.Others = names(run, "other", rng.IntN(2))
	w.Late = names(run, "late", 1+rng.IntN(3))
	w.Namespaces = names(run, "soak", 1+rng.IntN(2))
	for i := range 1 + rng.IntN(5) {
		w.Apps = append(w.Apps, newApp(rng, &w, i))
	}
	for _, a := range w.Apps {
		if chance(rng, 60) && a.Kind != "DaemonSet" {
			w.addBudget(rng, a)
		}
		if chance(rng, 8) {
			w.addBudget(rng, a) // two budgets over one pod
		}
	}
	if chance(rng, 4) {
		w.addBudget(rng, app{Namespace: w.Namespaces[0]})
	}
	for range rng.IntN(3) {
		w.addHappening(rng)
	}
	w.Flags = newFlags(rng, &w)
	w.addSurge(rand.New(rand.NewPCG(seed, 7<<32|uint64(run))), every.surges)
	w.addVolumes(rand.New(rand.NewPCG(seed, 4<<32|uint64(run))))
	w.addWords(rand.New(rand.NewPCG(seed, 2<<32|uint64(run))))
	w.addAdversity(rand.New(rand.NewPCG(seed, 5<<32|uint64(run))))
	w.addRoll(rand.New(rand.NewPCG(seed, 9<<32|uint64(run))), every.rolls)
	if w.Roll != nil {
		w.Killing = &killing{} // never killed, but followed as those that are
	}
	return w
}

func names(run int, what string, count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("%s-%d-%d", what, run, i+1)
	}
	return all
}

func chance(rng *rand.Rand, percent int) bool { return rng.IntN(100) < percent }

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func newApp(rng *rand.Rand, w *world, number int) app {
	name := fmt.Sprintf("app-%d", number+1)
	a := app{
		Namespace: pick(rng, w.Namespaces...), Name: name, Group: name, Pods: 1 + rng.IntN(8),
		Kind: pick(rng, "Deployment", "Deployment", "Deployment", "ReplicaSet", "StatefulSet", "StatefulSet",
			"DaemonSet", "Job", "Pod"),
	}
	if chance(rng, 20) {
		a.StopsAfter = pick(rng, "100ms", "1500ms", "3s")
	}
	if number > 0 && chance(rng, 20) {
		// Some pods of the group are sick, or simply of another owner.
		a.Namespace, a.Group = w.Apps[0].Namespace, w.Apps[0].Group
		a.Pods = 1 + rng.IntN(2)
		a.Sick = pick(rng, "", "CrashLoopBackOff", "ImagePullBackOff", "Error")
	}
	if a.Kind == "Pod" {
		a.Pods = 1
	}
	a.SickHeirs = a.Kind == "ReplicaSet" && chance(rng, 30)
	a.EmptyDir = chance(rng, 15)
	if chance(rng, 10) {
		a.Held = 1 + rng.IntN(2)
	}
	return a
}

func (w *world) addBudget(rng *rand.Rand, a app) {
	b := budget{
		Namespace: a.Namespace, Name: fmt.Sprintf("budget-%d", len(w.Budgets)+1), Group: a.Group,
		Policy: pick(rng, "", "", "IfHealthyBudget", "AlwaysAllow"),
	}
	switch rng.IntN(4) {
	case 0:
		b.Min = fmt.Sprint(rng.IntN(a.Pods + 2))
	case 1:
		b.Min = pick(rng, "1%", "34%", "50%", "90%", "100%")
	case 2:
		b.Max = pick(rng, "0", "1", "1", "2", "3")
	case 3:
		b.Max = pick(rng, "0%", "10%", "30%", "50%", "100%")
	}
	w.Budgets = append(w.Budgets, b)
}

func (w *world) addHappening(rng *rand.Rand) {
	h := happening{After: time.Duration(rng.IntN(3000)) * time.Millisecond}
	a := pick(rng, w.Apps...)
	h.Namespace, h.Name = a.Namespace, a.Name
	h.What = pick(rng, "release", "release", "loosen", "tighten", "unguard", "delete a pod", "scale", "uncordon",
		"end namespace")
	switch h.What {
	case "loosen", "tighten", "unguard":
		if len(w.Budgets) == 0 {
			return
		}
		b := pick(rng, w.Budgets...)
		h.Namespace, h.Name = b.Namespace, b.Name
	case "scale":
		if a.Kind != "Deployment" && a.Kind != "StatefulSet" {
			return
		}
	case "uncordon":
		h.Namespace, h.Name = "", pick(rng, w.Targets...)
	case "end namespace":
		h.Name = ""
	}
	w.Happenings = append(w.Happenings, h)
}

func newFlags(rng *rand.Rand, w *world) []string {
	flags := []string{"--timeout=" + w.Timeout.String()}
	for _, f := range []struct {
		percent int
		values  []string
	}{
		{85, []string{"--ignore-daemonsets"}},
		{85, []string{"--delete-emptydir-data"}},
		{90, []string{"--force"}},
		{15, []string{"--grace-period=0", "--grace-period=1", "--grace-period=2"}},
		{10, []string{"--pod-selector=own!=app-1", "--pod-selector=own in (app-1,app-2)"}},
		{5, []string{"--disable-eviction"}},
		{15, []string{"--skip-wait-for-delete-timeout=1"}},
		{60, []string{"--max-parallel-nodes=2", "--max-parallel-nodes=3"}},
		{40, []string{"--max-parallel-evictions=1", "--max-parallel-evictions=3"}},
		{10, []string{"--all-or-nothing"}},
		{10, []string{"--fail-fast"}},
		{10, []string{"--fail-on-blockers"}},
		{15, []string{"--order=tiers"}},
		{5, []string{"--wait-jobs"}},
		{15, []string{"--exclude-from-lb=1ms", "--exclude-from-lb=700ms"}},
		{6, []string{"--max-evict-retries=1", "--force-after=" + forceAfter.String()}},
	} {
		if chance(rng, f.percent) {
			flags = append(flags, pick(rng, f.values...))
		}
	}
	if chance(rng, 25) {
		flags = append(flags, pick(rng, "--guard=1", "--guard=25%", "--guard=50%"))
		if chance(rng, 60) {
			flags = append(flags, "--guard-write")
		}
	}
	if slices.Contains(flags, "--disable-eviction") {
		flags = slices.DeleteFunc(flags, refusedByDisableEviction)
	}
	return flags
}

// refusedByDisableEviction tells whether a drain refuses the flag beside --disable-eviction.
func refusedByDisableEviction(flag string) bool {
	return slices.ContainsFunc([]string{"--guard", "--max-evict-retries", "--force-after"}, func(refused string) bool {
		return strings.HasPrefix(flag, refused)
	})
}

// guards tells whether the run keeps budgets of its own.
func (w world) guards() bool {
	return slices.ContainsFunc(w.Flags, func(f string) bool { return strings.HasPrefix(f, "--guard=") })
}

// forces tells whether pods may be deleted past their budgets in the end.
func (w world) forces() bool {
	return w.has("--disable-eviction") || w.has("--max-evict-retries=1") || w.has("--force-after="+forceAfter.String())
}

// has tells whether the drain is given that flag.
func (w world) has(flag string) bool {
	for _, f := range w.Flags {
		if f == flag {
			return true
		}
	}
	return false
}
