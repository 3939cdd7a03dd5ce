package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
)

// median is the run in the middle by time; all figures of a tool come from it,
// so that they belong together.
func median(runs []drained) drained {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b drained) int {
		return int(a.result.Took() - b.result.Took())
	})
	return sorted[(len(sorted)-1)/2]
}

// print writes the results of one workload.
func print(out io.Writer, w workload, results map[string][]drained) {
	prefix := "drain/" + w.name
	for _, name := range slices.Sorted(maps.Keys(results)) {
		printRun(out, prefix+"/"+name, median(results[name]))
	}
	kubectl, both := results["kubectl"]
	ours, measured := results["kdrain-tui"]
	if !measured {
		return
	}
	d := median(ours)
	if both {
		ratio := median(kubectl).result.Took().Seconds() / d.result.Took().Seconds()
		fmt.Fprintf(out, "%s/ratio %.2f x\n", prefix, ratio)
		if w.faster > 0 {
			bar(out, prefix+"/ratio", d.failed == "" && ratio >= w.faster)
		}
		if !w.surges {
			bar(out, prefix+"/first-eviction", d.untilEviction()-median(kubectl).untilEviction() <= firstLater)
		}
	}
	bars(out, prefix, d)
}

func printRun(out io.Writer, prefix string, d drained) {
	line := func(name string, value float64, unit string) {
		fmt.Fprintf(out, "%s/%s %s %s\n", prefix, name, number(value), unit)
	}
	line("time", d.result.Took().Seconds(), "s")
	line("cpu", d.result.CPU.Seconds(), "s")
	printFigures(out, prefix, d.cost.figures())
	line("start", d.firstWrite().Sub(d.result.Began).Seconds(), "s")
	line("first-eviction", d.untilEviction(), "s")
	line("close", d.closing().Seconds(), "s")
	line("evictions", float64(d.count(audit.Eviction)), "requests")
	line("evictions-per-pod", d.perPod(), "requests/pod")
	line("refused", float64(d.refused()), "requests")
	line("other", float64(d.others()), "requests")
	for _, kind := range []audit.Kind{audit.Watch, audit.Heartbeat, audit.Lease} {
		line(plural[kind], float64(d.count(kind)), "requests")
	}
	if d.failed != "" {
		line("failed", 1, "run")
	}
	labels := map[string]int{}
	for _, r := range d.requests {
		labels[r.Label()]++
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		line("requests/"+label, float64(labels[label]), "requests")
	}
	critical := d.critical()
	line("own-delay", critical.ownDelay().Seconds(), "s")
	line("own-delay-share", 100*d.ownShare(), "%")
}

var plural = map[audit.Kind]string{audit.Watch: "watches", audit.Heartbeat: "heartbeats", audit.Lease: "leases"}

func number(value float64) string {
	if value == math.Trunc(value) {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

// firstLater is by how many seconds our first eviction may be later than kubectl's.
const firstLater = 0.1

// untilEviction is the time in seconds from the start of the program to its first eviction request.
func (d drained) untilEviction() float64 { return d.firstEviction().Sub(d.result.Began).Seconds() }

// perPod is how many evictions were sent for each pod that was drained.
func (d drained) perPod() float64 {
	return float64(d.count(audit.Eviction)) / float64(len(d.pods))
}

// others are the requests with a common limit: neither evictions nor what has a
// limit of its own.
func (d drained) others() int { return d.count(audit.Other) + d.count(audit.Deletion) }

// ownShare is the share of our own delay in the whole run, on the chain of
// evictions that decided how long it took.
func (d drained) ownShare() float64 {
	return d.critical().ownDelay().Seconds() / d.result.Took().Seconds()
}

// closing is the time from the end of the last pod to the end of the program.
func (d drained) closing() time.Duration {
	return d.result.Ended.Sub(later(d.lastGone, d.result.Began))
}

// bars are the limits of the design that concern the engine.
func bars(out io.Writer, prefix string, d drained) {
	if d.failed != "" {
		bar(out, prefix+"/drained", false)
	}
	if d.workload.guarded() {
		bar(out, prefix+"/own-delay-share", d.ownShare() <= 0.10)
	}
	bar(out, prefix+"/evictions-per-pod", d.perPod() <= 1.05)
	bar(out, prefix+"/other", d.others() <= 60+8*(d.workload.nodes-1))
	// One each per five seconds, and one to begin with; renewals for each node.
	steady := 1 + int(d.result.Took()/(5*time.Second))
	bar(out, prefix+"/heartbeats", d.count(audit.Heartbeat) <= steady)
	bar(out, prefix+"/leases", d.count(audit.Lease) <= steady*d.workload.nodes)
}

func bar(out io.Writer, name string, ok bool) {
	word := "missed"
	if ok {
		word = "ok"
	}
	fmt.Fprintf(out, "bar %s %s\n", name, word)
}
