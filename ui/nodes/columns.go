package nodes

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// nodesNeed is the width of the columns that a name leaves their room: what the node is and
// what a drain would do to it.
const nodesNeed = 44

// nodeColumns are the columns of the nodes page; the widest name, zone, roles and
// version are measured by the caller, over all rows, so that scrolling moves no
// column.
func nodeColumns(width int, names *paint.Names, zone, roles, version int, running, usage bool) []table.Column {
	state := 12
	if running {
		state = 15
	}
	share := wording.ShareWidth(width)
	name := max(names.Widest(), 4)
	columns := []table.Column{
		{ID: "node", Title: "NODE", Width: name, Min: min(name, max(names.Least(), width-nodesNeed)), Grow: true, Max: name},
		{ID: "state", Title: "STATE", Width: state, Min: 11},
		{ID: "roles", Title: "ROLES", Width: min(max(roles, 5), 16), Drop: 8},
		{ID: "zone", Title: "ZONE", Width: min(max(zone, 4), 16), Min: min(max(zone, 4), 8), Drop: 6},
		{ID: "version", Title: "VERSION", Width: min(max(version, 7), 20), Min: min(max(version, 7), 12), Drop: 11},
		{ID: "pods", Title: "PODS", Width: 4, Right: true, Drop: 2},
		{ID: "would", Title: "A DRAIN WOULD", Width: 36, Min: 25},
		{ID: "cpu", Title: "CPU REQ", Width: share, Drop: 4},
		{ID: "memory", Title: "MEM REQ", Width: share, Drop: 5},
		{ID: "age", Title: "AGE", Width: 4, Right: true, Drop: 7},
		{ID: "cpuused", Title: "CPU USED", Width: max(share, 8), Drop: 9},
		{ID: "memused", Title: "MEM USED", Width: max(share, 8), Drop: 10},
	}
	if !usage {
		columns = slices.DeleteFunc(columns, func(c table.Column) bool {
			return c.ID == "cpuused" || c.ID == "memused"
		})
	}
	return slices.DeleteFunc(columns, func(c table.Column) bool {
		return c.ID == "zone" && zone == 0 || c.ID == "roles" && roles == 0 || c.ID == "version" && version == 0
	})
}

// nodeCell is one cell of the nodes page.
func nodeCell(column string, width int, session *frame.Session, n *kube.Node, p *preview, run *drain.State) paint.Line {
	s, now := session.Snap, session.Now
	switch column {
	case "node":
		return paint.L(themes.Text, session.Names.Show(n.Name, width))
	case "state":
		return stateOf(session, n, run, width)
	case "roles":
		return paint.L(themes.Muted, strings.Join(roles(n), ","))
	case "zone":
		return paint.L(themes.Muted, paint.Middle(n.Zone(), width))
	case "version":
		return paint.L(themes.Muted, paint.Middle(n.KubeletVersion, width))
	case "pods":
		return podCount(s, n)
	case "would":
		return wouldLine(n, p, width, now)
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
	return labelCell(column, width, n)
}

func podCount(s *kube.Snapshot, n *kube.Node) paint.Line {
	count := s.Totals(n.Name).Pods
	switch phase := s.Sync(kube.KindPods).Phase; {
	case phase == kube.Denied:
		return paint.L(themes.Warning, "?")
	case phase == kube.NotSynced && count == 0:
		return paint.L(themes.Muted, paint.Ellipsis)
	}
	return paint.L(themes.Text, format.Number(count))
}

// textsOf hands out what a filter finds a node by: name, zone, version of the kubelet,
// state, roles and the labels that have a column.
func textsOf(n *kube.Node, labels *labelColumns) func(has func(string) bool) bool {
	return func(has func(string) bool) bool {
		return has(n.Name) || has(n.Zone()) || has(n.KubeletVersion) || has(wording.NodeState(n, nil).String()) ||
			slices.ContainsFunc(roles(n), has) || labels.has(n, has)
	}
}

// nodeSorts are the columns that nodes can be sorted by, the default first.
var nodeSorts = []frame.Sort{
	{ID: "node", Title: "name"}, {ID: "state", Title: "state"}, {ID: "zone", Title: "zone"}, {ID: "version", Title: "version"},
	{ID: "pods", Title: "pods", Largest: true}, {ID: "cpu", Title: "CPU requested", Largest: true},
	{ID: "memory", Title: "memory requested", Largest: true}, {ID: "age", Title: "age"},
	{ID: "cpuused", Title: "CPU used", Largest: true}, {ID: "memused", Title: "memory used", Largest: true},
	{ID: wouldSort, Title: "what a drain would do"},
}

// compareNodes compares two nodes by a column; equal ones keep the order of
// their names.
func compareNodes(s *kube.Snapshot, column string) func(a, b *kube.Node) int {
	by := func(a, b *kube.Node) int { return 0 }
	switch column {
	case "state":
		by = func(a, b *kube.Node) int { return cmp.Compare(nodeRank(a), nodeRank(b)) }
	case "zone":
		by = func(a, b *kube.Node) int { return strings.Compare(a.Zone(), b.Zone()) }
	case "version":
		by = func(a, b *kube.Node) int { return compareVersions(a.KubeletVersion, b.KubeletVersion) }
	case "pods":
		by = func(a, b *kube.Node) int { return cmp.Compare(s.Totals(a.Name).Pods, s.Totals(b.Name).Pods) }
	case "cpu":
		by = func(a, b *kube.Node) int {
			return cmp.Compare(ratio(s.Totals(a.Name).Requested.CPUMilli, a.Allocatable.CPUMilli),
				ratio(s.Totals(b.Name).Requested.CPUMilli, b.Allocatable.CPUMilli))
		}
	case "memory":
		by = func(a, b *kube.Node) int {
			return cmp.Compare(ratio(s.Totals(a.Name).Requested.MemoryBytes, a.Allocatable.MemoryBytes),
				ratio(s.Totals(b.Name).Requested.MemoryBytes, b.Allocatable.MemoryBytes))
		}
	case "cpuused":
		by = byUse(s, func(u kube.Usage, n *kube.Node) float64 { return ratio(u.CPUMilli, n.Allocatable.CPUMilli) })
	case "memused":
		by = byUse(s, func(u kube.Usage, n *kube.Node) float64 {
			return ratio(u.MemoryBytes, n.Allocatable.MemoryBytes)
		})
	case "age":
		by = func(a, b *kube.Node) int { return b.Created.Compare(a.Created) }
	default:
		if label, isLabel := strings.CutPrefix(column, labelID); isLabel {
			by = func(a, b *kube.Node) int { return strings.Compare(a.Labels[label], b.Labels[label]) }
		}
	}
	return func(a, b *kube.Node) int { return cmp.Or(by(a, b), strings.Compare(a.Name, b.Name)) }
}

// byUse compares what is used of nodes; where it is not known it counts as nothing.
func byUse(s *kube.Snapshot, share func(kube.Usage, *kube.Node) float64) func(a, b *kube.Node) int {
	of := func(n *kube.Node) float64 {
		u, _ := s.NodeUsage(n.Name)
		return share(u, n)
	}
	return func(a, b *kube.Node) int { return cmp.Compare(of(a), of(b)) }
}

// compareVersions orders versions of kubelets by their numbers, v1.9 before v1.10; what is
// no version comes first.
func compareVersions(a, b string) int {
	if a == b {
		return 0
	}
	left, _ := version.ParseGeneric(a)
	right, _ := version.ParseGeneric(b)
	switch {
	case left == nil && right == nil:
		return strings.Compare(a, b)
	case left == nil:
		return -1
	case right == nil:
		return 1
	case left.LessThan(right):
		return -1
	case right.LessThan(left):
		return 1
	}
	return strings.Compare(a, b)
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
