package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// The managed benchmark drains pods that their controllers move: how soon is each pod's first eviction requested, on
// which the controller may wait, and how long does the drain take.

// managedName is its name for -only.
const managedName = "managed"

// managedDrain is a drain of the scene managed beside its controllers.
type managedDrain struct {
	began, ended time.Time
	calls        int // of the program: kubectl gives up a pod that a webhook denies with another code than 429
	evictions    []audit.Request
}

// mostCalls is how often a program may be called until it has drained the node.
const mostCalls = 5

// measureManaged lets each tool drain the scene, each time on a lab of its own. The run in the middle by time counts.
func measureManaged(ctx context.Context, settings settings, out, log io.Writer) error {
	drains := map[string]managedDrain{}
	for _, name := range []string{"kubectl", "kdrain-tui"} {
		if !listed(settings.tools, name) {
			continue
		}
		var all []managedDrain
		for range settings.rounds {
			d, err := drainManaged(ctx, settings, name, log)
			if err != nil {
				return err
			}
			fmt.Fprintf(log, "bench: %s by %s in %.2f s, %d calls\n", managedName, name, d.took(), d.calls)
			all = append(all, d)
		}
		slices.SortFunc(all, func(a, b managedDrain) int { return cmp.Compare(a.took(), b.took()) })
		drains[name] = all[(len(all)-1)/2]
		drains[name].print(out, "drain/"+managedName+"/"+name)
	}
	if kubectl, ours := drains["kubectl"], drains["kdrain-tui"]; len(drains) == 2 {
		fmt.Fprintf(out, "drain/%s/ratio %.2f x\n", managedName, kubectl.took()/ours.took())
		bar(out, "drain/"+managedName+"/first-eviction", ours.untilFirst()-kubectl.untilFirst() <= firstLater)
		bar(out, "drain/"+managedName+"/latest-first-eviction", ours.latestFirst()-kubectl.latestFirst() <= firstLater)
	}
	return nil
}

func drainManaged(ctx context.Context, settings settings, name string, log io.Writer) (d managedDrain, err error) {
	r, err := rig.Start(ctx, settings.lab, "", log)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	if err := r.Scene(ctx, managedName); err != nil {
		return d, err
	}
	stop, err := r.Operators(ctx)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if _, err := r.Call(ctx, r.Kubectl(), "get", "nodes"); err != nil {
		return d, err // kubectl keeps what it has learned of the server
	}
	offset, err := audit.End(r.AuditLog())
	if err != nil {
		return d, err
	}
	program, args := r.Kubectl(), []string{"drain", "worker-1", "--ignore-daemonsets", "--timeout=4m"}
	if name != "kubectl" {
		program, args = settings.kdrain, append(args, "--yes")
	}
	calling, cancel := context.WithTimeout(ctx, giveUp)
	defer cancel()
	for drained := false; !drained; {
		result, err := r.Call(calling, program, args...)
		if err != nil {
			return d, err
		}
		if d.calls++; d.calls == 1 {
			d.began = result.Began
		}
		d.ended, drained = result.Ended, result.Code == 0
		if d.calls == mostCalls && !drained {
			return d, fmt.Errorf("%s has not drained the node in %d calls: %s", name, d.calls, result.Err)
		}
	}
	requests, _, err := audit.Read(r.AuditLog(), offset)
	for _, request := range audit.Of(requests, name) {
		if request.Kind() == audit.Eviction {
			d.evictions = append(d.evictions, request)
		}
	}
	if err == nil && len(d.evictions) == 0 {
		err = fmt.Errorf("%s has requested no eviction", name)
	}
	return d, err
}

func (d managedDrain) took() float64 { return d.ended.Sub(d.began).Seconds() }

// untilFirst is the time in seconds from the start of the program to its first eviction request.
func (d managedDrain) untilFirst() float64 { return d.evictions[0].Received.Sub(d.began).Seconds() }

// latestFirst is the time in seconds from the first eviction request of the drain to the last one that is the first of
// its pod.
func (d managedDrain) latestFirst() float64 {
	latest, seen := d.evictions[0].Received, map[string]bool{}
	for _, r := range d.evictions { // in the order of their time
		if pod := r.Namespace + "/" + r.Name; !seen[pod] {
			seen[pod], latest = true, r.Received
		}
	}
	return latest.Sub(d.evictions[0].Received).Seconds()
}

func (d managedDrain) print(out io.Writer, prefix string) {
	for _, line := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"time", d.took(), "s"},
		{"calls", float64(d.calls), "calls"},
		{"first-eviction", d.untilFirst(), "s"},
		{"latest-first-eviction", d.latestFirst(), "s"},
		{"evictions", float64(len(d.evictions)), "requests"},
	} {
		fmt.Fprintf(out, "%s/%s %s %s\n", prefix, line.name, number(line.value), line.unit)
	}
}
