package main

import (
	"context"
	"time"
)

// step is a part of the whole that can be run alone.
type step struct {
	name     string
	about    string
	calls    []call
	prepare  func(ctx context.Context, s *session) error
	patience time.Duration // for everything in it
	// lane names the steps that run one after another, beside those of other lanes. Those
	// that mostly wait for a cluster have one.
	lane string
}

// call is one `go test`.
type call struct {
	module string // folder
	args   []string
	// taggedOnly leaves out the tests that are there without the build tag: an
	// earlier step ran them.
	taggedOnly string
	// program is run instead of go test, from the checkout; it counts as one test.
	program []string
}

var steps = []step{
	{
		name: "unit", about: "the main module, with the race detector",
		calls:   []call{{module: ".", args: []string{"-race", "-timeout=10m", "./..."}}},
		prepare: needs(raceDetector), patience: 40 * time.Minute, // without a build cache half of it is the build
	},
	{
		name: "tools", about: "lab and tools modules",
		calls: []call{
			{module: "lab", args: []string{"-timeout=5m", "./..."}},
			{module: "tools", args: []string{"-timeout=5m", "./..."}},
			{module: "tools/image", args: []string{"-timeout=5m", "./..."}},
			{module: "tools/man", args: []string{"-timeout=5m", "./..."}},
		},
		prepare: needs(), patience: 10 * time.Minute,
	},
	{
		name: "oracle", about: "random pods and flags, against kubectl's own drain package",
		calls:   []call{{module: "lab/oracle", args: []string{"-timeout=5m", "./..."}}},
		prepare: needs(), patience: 12 * time.Minute,
	},
	{
		name: "lab", about: "integration tests on a control plane (built first where it is missing)",
		calls: []call{
			{module: ".", args: labArgs("lab"), taggedOnly: "lab"},
			{module: "lab", args: labArgs("lab"), taggedOnly: "lab"},
			{module: "lab/oracle", args: labArgs("lab"), taggedOnly: "lab"},
		},
		prepare: needs(programs, runningLab), patience: 40 * time.Minute, lane: "lab",
	},
	{
		name: "e2e", about: "the dashboard in tmux and the commands, on labs of their own",
		calls:   []call{{module: "lab", args: append(labArgs("e2e"), "./e2e/...")}},
		prepare: needs(programs, tmux), patience: 40 * time.Minute, lane: "e2e",
	},
	{
		name: "landing", about: "where pods land, against the real scheduler",
		calls:   []call{{module: "lab", args: append(labArgs("landing"), "./landing")}},
		prepare: needs(programs), patience: 15 * time.Minute, lane: "lab",
	},
	{
		name: "soak", about: "a few drains of random worlds, the same ones each time, and a few that are killed; make soak does many others",
		calls:   []call{{program: []string{"bin/soak", "-seed=1", "-n=4", "-kills=6"}}},
		prepare: needs(programs, soak), patience: 10 * time.Minute, lane: "lab",
	},
}

// labArgs: packages one after another, as they share a lab or the machine's
// attention, and never from the cache, which knows nothing of the lab.
func labArgs(tag string) []string {
	return []string{"-tags=" + tag, "-p=1", "-count=1", "-timeout=38m"}
}

// waves gives the lanes of steps that run beside each other, wave after wave: first the
// steps that keep the machine busy, in one lane, then those that wait for clusters.
func waves(chosen []step) [][][]step {
	var busy []step
	var waiting [][]step
	at := map[string]int{}
	for _, step := range chosen {
		if step.lane == "" {
			busy = append(busy, step)
			continue
		}
		if _, known := at[step.lane]; !known {
			at[step.lane] = len(waiting)
			waiting = append(waiting, nil)
		}
		waiting[at[step.lane]] = append(waiting[at[step.lane]], step)
	}
	return [][][]step{{busy}, waiting}
}

func stepNames() []string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.name
	}
	return names
}

func needs(things ...func(context.Context, *session) error) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		for _, thing := range things {
			if err := thing(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
}
