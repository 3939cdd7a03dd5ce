package main

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// namespace is where the pods of all workloads run.
const namespace = "bench"

// workload is what both programs have to drain.
type workload struct {
	name   string
	nodes  int // to drain
	groups []group
	flags  []string // of kdrain-tui alone
	faster float64  // the bar: how many times faster than kubectl, 0 for none
	surges bool     // the new pods come before the first eviction
}

// group is a Deployment, with a budget if it has maxUnavailable.
type group struct {
	name           string
	pods           int
	maxUnavailable string
	stopsAfter     int // seconds that its pods take to end; zero is the lab's pace
}

// workloads are those of the bars: pods end and start within half a second
// unless they say otherwise.
var workloads = []workload{
	{
		name: "one-node-budget", nodes: 1, faster: 3,
		groups: []group{{name: "free", pods: 100}, {name: "guarded", pods: 20, maxUnavailable: "1"}},
	},
	{
		name: "ten-nodes", nodes: 10, faster: 6, groups: sixGroups(), flags: []string{"--max-parallel-nodes=10"},
	},
	{
		name: "surge", nodes: 1, faster: 8, surges: true, flags: []string{"--surge=100%"},
		groups: []group{{name: "guarded", pods: 20, maxUnavailable: "1"}},
	},
	{name: "free-pods", nodes: 1, groups: []group{{name: "free", pods: 100}}},
	{name: "long-grace", nodes: 1, groups: []group{{name: "slow", pods: 30, stopsAfter: 5}}},
}

func sixGroups() []group {
	var groups []group
	for i := range 6 {
		groups = append(groups, group{name: fmt.Sprintf("app-%d", i+1), pods: 50, maxUnavailable: "10%"})
	}
	return groups
}

func (w workload) pods() int {
	sum := 0
	for _, g := range w.groups {
		sum += g.pods
	}
	return sum
}

func (w workload) guarded() bool {
	return slices.ContainsFunc(w.groups, func(g group) bool { return g.maxUnavailable != "" })
}

// drained and spare name the nodes. The spare ones join when all pods run, so
// that they are empty, and take the replacements.
func (w workload) drained() []string { return names("old", w.nodes) }
func (w workload) spare() []string   { return names("new", max(2, w.nodes)) }

func names(prefix string, count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("%s-%d", prefix, i+1)
	}
	return all
}

func (g group) limit() *intstr.IntOrString {
	limit := intstr.Parse(g.maxUnavailable)
	return &limit
}
