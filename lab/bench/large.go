package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// The benchmark of a large cluster asks what a drain of one node costs there, of both programs
// in turn, and how soon the dashboard shows the cluster, beside a plain list of its pods.

// largeName is its name for -only.
const largeName = "large"

// crowd is a cluster of many nodes and pods; no kubelet runs them.
type crowd struct {
	pods int
	most float64 // seconds that our first write may come after kubectl's
}

var crowds = []crowd{{30_000, 0.7}, {150_000, 1}}

const largeRounds = 3

// measureLarge makes the clusters one out of the other, in a lab that nothing else
// clears, and drains some of their nodes with each tool.
func measureLarge(ctx context.Context, settings settings, out, log io.Writer) (err error) {
	r, err := rig.Start(ctx, settings.lab, "", log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	m, err := startMeter(r)
	if err != nil {
		return err
	}
	defer m.relay.Close()
	s := stage{client: r.Client}
	both := slices.DeleteFunc(tools(r, settings.kdrain), func(t tool) bool { return !listed(settings.tools, t.name) })
	if _, err := r.Call(ctx, r.Kubectl(), "get", "nodes"); err != nil {
		return err // kubectl keeps what it has learned of the server
	}
	if err := s.buildCrowd(ctx); err != nil {
		return err
	}
	made, turn := 0, 0
	for _, c := range crowds {
		began := time.Now()
		if err := parallel(ctx, made, c.pods, func(i int) error { return s.makeCrowdPod(ctx, i) }); err != nil {
			return fmt.Errorf("make %d pods: %w", c.pods, err)
		}
		fmt.Fprintf(log, "bench: %d pods made in %.0f s\n", c.pods-made, time.Since(began).Seconds())
		made = c.pods
		drains := map[string][]largeDrain{}
		for range largeRounds {
			for _, t := range both {
				turn++
				d, err := m.drain(ctx, r, t, crowdNode(turn))
				if err != nil {
					return err
				}
				fmt.Fprintf(log, "bench: %s among %d pods: %v\n", t.name, c.pods, d)
				drains[t.name] = append(drains[t.name], d)
			}
			slices.Reverse(both)
		}
		c.print(out, drains)
		if err := m.screens(ctx, r, settings.kdrain, c, out, log); err != nil {
			return err
		}
	}
	return nil
}

// largeDrain is what the drain of a node took of everybody: figures by name and unit.
type largeDrain map[string]float64

// drain drains one node.
func (m *meter) drain(ctx context.Context, r *rig.Rig, t tool, node string) (largeDrain, error) {
	offset, err := audit.End(r.AuditLog())
	if err != nil {
		return nil, err
	}
	args := []string{"drain", node, "--force", "--grace-period=0", "--timeout=2m"}
	if t.agent != "kubectl" {
		args = append(args, "--yes")
	}
	since, err := m.begin()
	if err != nil {
		return nil, err
	}
	result, err := r.Call(ctx, t.program, args...)
	if err != nil {
		return nil, err
	}
	c, err := since()
	if err != nil {
		return nil, err
	}
	requests, _, err := audit.Read(r.AuditLog(), offset)
	d := drained{result: result, requests: audit.Of(requests, t.agent)}
	if result.Code != 0 || len(d.requests) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s ended with code %d: %s", t.name, result.Code, result.Err))
	}
	figures := largeDrain{
		"start s": d.firstWrite().Sub(result.Began).Seconds(), "time s": result.Took().Seconds(),
		"requests requests": float64(len(d.requests)), "cpu s": result.CPU.Seconds(), "memory MB": megabytes(result.Memory),
	}
	maps.Copy(figures, c.figures())
	return figures, err
}

func (c crowd) name(rest string) string { return fmt.Sprintf("large/%d-pods/%s", c.pods, rest) }

// print writes the median of each figure, and the bars.
func (c crowd) print(out io.Writer, drains map[string][]largeDrain) {
	middle := map[string]largeDrain{}
	for _, tool := range []string{"kubectl", "kdrain-tui"} {
		if len(drains[tool]) == 0 {
			continue
		}
		middle[tool] = largeDrain{}
		for figure := range drains[tool][0] {
			var all []float64
			for _, d := range drains[tool] {
				all = append(all, d[figure])
			}
			slices.Sort(all)
			middle[tool][figure] = all[(len(all)-1)/2]
		}
		printFigures(out, c.name("drain/"+tool), middle[tool])
	}
	if len(middle) == 2 {
		ours, theirs := middle["kdrain-tui"], middle["kubectl"]
		bar(out, c.name("drain/start"), ours["start s"]-theirs["start s"] <= c.most)
		bar(out, c.name("drain/time"), ours["time s"]-theirs["time s"] <= 1)
		bar(out, c.name("drain/read"), ours["read MB"] <= 10*theirs["read MB"]+2)
		bar(out, c.name("drain/memory"), ours["memory MB"] <= 90)
	}
}

// printFigures writes a line for each figure; its name ends with its unit.
func printFigures(out io.Writer, prefix string, figures map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		figure, unit, _ := strings.Cut(name, " ")
		fmt.Fprintf(out, "%s/%s %s %s\n", prefix, figure, number(figures[name]), unit)
	}
}
