package pods

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// query is which pods are wanted, and in which order.
type query struct {
	nodes     []string // none for the whole cluster
	namespace string   // "" for all
	filter    string
	sort      string
	reverse   bool
	read      int    // of their use
	options   string // of the drains that they are sorted by
}

func (q query) same(o query) bool {
	return slices.Equal(q.nodes, o.nodes) && q.namespace == o.namespace && q.filter == o.filter && q.sort == o.sort &&
		q.reverse == o.reverse && q.read == o.read && q.options == o.options
}

// found are the pods that a query found in a snapshot.
type found struct {
	query
	snap       *kube.Snapshot
	keys       []string // UIDs in order
	scope      int      // pods on the nodes of the query
	total      int      // of the namespace of the query among them
	counts     [ranks]int
	namespaces []namespace
	widest     struct{ namespace, name, status int }
	drains     map[string]*drained // by node, where pods are sorted by fate
	took       time.Duration
}

// namespace is one that has pods on the nodes of a query.
type namespace struct {
	name string
	pods int
}

// The ranks of pods: what needs a look first.
const (
	rankFailing = iota
	rankNotReady
	rankTerminating
	rankReady
	rankFinished
	ranks
)

func rankOf(p *kube.Pod) int {
	switch {
	case p.Failing():
		return rankFailing
	case p.Finished():
		return rankFinished
	case p.Terminating():
		return rankTerminating
	case !p.Ready:
		return rankNotReady
	}
	return rankReady
}

// look walks over all pods: it is called beside the event loop. order compares those that are kept.
func look(
	snap *kube.Snapshot, q query, match frame.Match, order func(f *found, kept []*kube.Pod) func(a, b *kube.Pod) int,
) *found {
	f := &found{query: q, snap: snap}
	all := podsOn(snap, q.nodes)
	f.scope = len(all)
	f.countNamespaces(all)
	kept := all[:0]
	for _, p := range all {
		if q.namespace != "" && p.Namespace != q.namespace {
			continue
		}
		f.total++
		f.counts[rankOf(p)]++
		f.measure(p)
		if match.All() || match.Keeps(p.Labels, func(has func(string) bool) bool {
			return has(p.Namespace+"/"+p.Name) || has(p.Status()) || has(p.Node)
		}) {
			kept = append(kept, p)
		}
	}
	by := order(f, kept)
	slices.SortStableFunc(kept, func(a, b *kube.Pod) int {
		if q.reverse {
			return by(b, a)
		}
		return by(a, b)
	})
	f.keys = make([]string, len(kept))
	for i, p := range kept {
		f.keys[i] = string(p.UID)
	}
	return f
}

// podsOn are the pods of some nodes, of all where there are none, by namespace and name.
func podsOn(snap *kube.Snapshot, nodes []string) []*kube.Pod {
	if len(nodes) == 0 {
		return snap.Pods()
	}
	var pods []*kube.Pod
	for _, node := range nodes {
		pods = append(pods, snap.PodsOn(node)...)
	}
	slices.SortStableFunc(pods, func(a, b *kube.Pod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return pods
}

// countNamespaces counts pods that are in the order of their namespaces.
func (f *found) countNamespaces(pods []*kube.Pod) {
	for _, p := range pods {
		if n := len(f.namespaces); n == 0 || f.namespaces[n-1].name != p.Namespace {
			f.namespaces = append(f.namespaces, namespace{name: p.Namespace})
			f.widest.namespace = max(f.widest.namespace, paint.Width(p.Namespace))
		}
		f.namespaces[len(f.namespaces)-1].pods++
	}
}

func (f *found) measure(p *kube.Pod) {
	f.widest.name = max(f.widest.name, paint.Width(p.Name))
	f.widest.status = max(f.widest.status, paint.Width(p.Status()))
}

// place is where a namespace stands among those that have pods, -1 for none.
func (f *found) place(name string) int {
	return slices.IndexFunc(f.namespaces, func(n namespace) bool { return n.name == name })
}

// sorts are the columns to sort by, the default first.
var sorts = []frame.Sort{
	{ID: "status", Title: "status, problems first"}, {ID: "namespace", Title: "namespace"}, {ID: "pod", Title: "name"},
	{ID: "ready", Title: "not Ready containers", Largest: true},
	{ID: "restarts", Title: "restarts", Largest: true}, {ID: "age", Title: "age"}, {ID: "node", Title: "node"}, fateOrder,
	{ID: "cpu", Title: "CPU used", Largest: true}, {ID: "memory", Title: "memory used", Largest: true},
}

// comparing compares pods by a column. Equal ones keep the order of namespace and name.
func comparing(column string, used map[string]kube.Usage) func(a, b *kube.Pod) int {
	switch column {
	case "namespace":
		return func(a, b *kube.Pod) int { return strings.Compare(a.Namespace, b.Namespace) }
	case "pod":
		return func(a, b *kube.Pod) int { return strings.Compare(a.Name, b.Name) }
	case "node":
		return func(a, b *kube.Pod) int { return strings.Compare(a.Node, b.Node) }
	case "ready":
		return func(a, b *kube.Pod) int { return cmp.Compare(lacking(a), lacking(b)) }
	case "restarts":
		return func(a, b *kube.Pod) int { return cmp.Compare(restarts(a), restarts(b)) }
	case "age":
		return func(a, b *kube.Pod) int { return b.Created.Compare(a.Created) }
	case "cpu":
		return func(a, b *kube.Pod) int {
			return cmp.Compare(used[nameOf(a)].CPUMilli, used[nameOf(b)].CPUMilli)
		}
	case "memory":
		return func(a, b *kube.Pod) int {
			return cmp.Compare(used[nameOf(a)].MemoryBytes, used[nameOf(b)].MemoryBytes)
		}
	}
	return func(a, b *kube.Pod) int {
		return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), strings.Compare(a.Status(), b.Status()))
	}
}

// nameOf is the name that the metrics API knows a pod by.
func nameOf(p *kube.Pod) string { return p.Namespace + "/" + p.Name }

// lacking counts the containers that are not Ready; those of a finished pod need not be.
func lacking(p *kube.Pod) int32 {
	if p.State == nil || p.Finished() {
		return 0
	}
	return p.State.Total - p.State.Ready
}

func restarts(p *kube.Pod) int32 {
	if p.State == nil {
		return 0
	}
	return p.State.Restarts
}
