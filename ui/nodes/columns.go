package nodes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// nodeColumns are the columns of the nodes page; the widest name, zone and
// roles are measured by the caller, over all rows, so that scrolling moves no
// column.
func nodeColumns(width, name, zone, roles int, running, usage bool) []table.Column {
	state := 12
	if running {
		state = 17
	}
	share := 4 // the number alone
	if width >= wording.BarsFrom {
		share = wording.LeastBar
	}
	columns := []table.Column{
		{ID: "node", Title: "NODE", Width: min(max(name, 4), 40), Min: min(max(name, 4), 14), Grow: true, Max: max(name, 4)},
		{ID: "state", Title: "STATE", Width: state, Min: 11},
		{ID: "roles", Title: "ROLES", Width: min(max(roles, 5), 16), Drop: 8},
		{ID: "zone", Title: "ZONE", Width: min(max(zone, 4), 16), Min: min(max(zone, 4), 8), Drop: 6},
		{ID: "pods", Title: "PODS", Width: 4, Right: true, Drop: 2},
		{ID: "would", Title: "A DRAIN WOULD", Width: 32, Min: 25},
		{ID: "cpu", Title: "CPU REQUESTED", Width: 13, Min: share, Drop: 4},
		{ID: "memory", Title: "MEMORY REQ", Width: 13, Min: share, Drop: 5},
		{ID: "cpuused", Title: "CPU USED", Width: 13, Min: max(share, 8), Drop: 9},
		{ID: "memused", Title: "MEMORY USED", Width: 13, Min: max(share, 8), Drop: 10},
		{ID: "age", Title: "AGE", Width: 4, Right: true, Drop: 7},
	}
	if !usage {
		columns = slices.DeleteFunc(columns, func(c table.Column) bool { return c.ID == "cpuused" || c.ID == "memused" })
	}
	return slices.DeleteFunc(columns, func(c table.Column) bool {
		return c.ID == "zone" && zone == 0 || c.ID == "roles" && roles == 0
	})
}

// nodeCell is one cell of the nodes page.
func nodeCell(column string, width int, s *kube.Snapshot, n *kube.Node, p *preview, run *drain.State, now time.Time) paint.Line {
	switch column {
	case "node":
		return paint.L(themes.Text, paint.Middle(n.Name, width))
	case "state":
		return nodeState(n, run)
	case "roles":
		return paint.L(themes.Muted, strings.Join(roles(n), ","))
	case "zone":
		return paint.L(themes.Muted, paint.Middle(n.Zone(), width))
	case "pods":
		return podCount(s, n)
	case "would":
		return wouldLine(n, p, now)
	case "cpu":
		return wording.Share(s.Totals(n.Name).Requested.CPUMilli, n.Allocatable.CPUMilli, width)
	case "memory":
		return wording.Share(s.Totals(n.Name).Requested.MemoryBytes, n.Allocatable.MemoryBytes, width)
	case "cpuused":
		if u, ok := s.NodeUsage(n.Name); ok {
			return wording.Share(u.CPUMilli, n.Allocatable.CPUMilli, width)
		}
		return paint.L(themes.Muted, "-")
	case "memused":
		if u, ok := s.NodeUsage(n.Name); ok {
			return wording.Share(u.MemoryBytes, n.Allocatable.MemoryBytes, width)
		}
		return paint.L(themes.Muted, "-")
	case "age":
		return paint.L(themes.Muted, since(n.Created, now))
	}
	return nil
}

func podCount(s *kube.Snapshot, n *kube.Node) paint.Line {
	count := s.Totals(n.Name).Pods
	switch phase := s.Sync(kube.KindPods).Phase; {
	case phase == kube.Denied:
		return paint.L(themes.Warning, "?")
	case phase == kube.NotSynced && count == 0:
		return paint.L(themes.Muted, paint.Ellipsis)
	}
	return paint.L(themes.Text, wording.Number(count))
}

// nodeMatches reports whether a node has the text in its name, zone, roles or
// state; the text is in lower case.
func nodeMatches(n *kube.Node, text string) bool {
	if strings.Contains(strings.ToLower(n.Name), text) || strings.Contains(strings.ToLower(n.Zone()), text) {
		return true
	}
	if strings.Contains(strings.ToLower(nodeState(n, nil).String()), text) {
		return true
	}
	for _, r := range roles(n) {
		if strings.Contains(strings.ToLower(r), text) {
			return true
		}
	}
	return false
}

// nodeSorts are the columns that nodes can be sorted by, the default first.
var nodeSorts = []string{"node", "state", "zone", "pods", "cpu", "memory", "age"}

// compareNodes compares two nodes by a column; equal ones keep the order of
// their names.
func compareNodes(s *kube.Snapshot, column string) func(a, b *kube.Node) int {
	by := func(a, b *kube.Node) int { return 0 }
	switch column {
	case "state":
		by = func(a, b *kube.Node) int { return cmp.Compare(nodeRank(a), nodeRank(b)) }
	case "zone":
		by = func(a, b *kube.Node) int { return strings.Compare(a.Zone(), b.Zone()) }
	case "pods":
		by = func(a, b *kube.Node) int { return cmp.Compare(s.Totals(a.Name).Pods, s.Totals(b.Name).Pods) }
	case "cpu":
		by = func(a, b *kube.Node) int {
			return cmp.Compare(ratio(s.Totals(a.Name).Requested.CPUMilli, a.Allocatable.CPUMilli), ratio(s.Totals(b.Name).Requested.CPUMilli, b.Allocatable.CPUMilli))
		}
	case "memory":
		by = func(a, b *kube.Node) int {
			return cmp.Compare(ratio(s.Totals(a.Name).Requested.MemoryBytes, a.Allocatable.MemoryBytes), ratio(s.Totals(b.Name).Requested.MemoryBytes, b.Allocatable.MemoryBytes))
		}
	case "age":
		by = func(a, b *kube.Node) int { return b.Created.Compare(a.Created) }
	}
	return func(a, b *kube.Node) int { return cmp.Or(by(a, b), strings.Compare(a.Name, b.Name)) }
}

func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// nodeRank orders nodes by how much they need a look.
func nodeRank(n *kube.Node) int {
	switch {
	case n.Ready != kube.NodeReady:
		return 0
	case n.Unschedulable:
		return 1
	}
	return 2
}
