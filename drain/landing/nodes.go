package landing

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// node is a node with what is taken of it.
type node struct {
	*kube.Node
	used          kube.Resources
	placed        []*kube.Pod // by an estimate
	unschedulable bool
	taints        int32 // of taintSets
	zone          int32 // of view.zones
}

// take counts the requests of a pod in (1) or out (-1).
func (n *node) take(r kube.Resources, sign int64) {
	n.used.CPUMilli += sign * r.CPUMilli
	n.used.MemoryBytes += sign * r.MemoryBytes
	n.used.EphemeralBytes += sign * r.EphemeralBytes
	n.used.Pods += sign
	if len(r.Extended) == 0 {
		return
	}
	used := maps.Clone(n.used.Extended) // the snapshot's
	if used == nil {
		used = map[corev1.ResourceName]int64{}
	}
	for name, amount := range r.Extended {
		used[name] += sign * amount
	}
	n.used.Extended = used
}

// taintSets are the different sets of taints that keep pods off nodes; the
// first is empty. Few clusters have more than a dozen.
type taintSets struct {
	sets  [][]corev1.Taint
	known map[string]int32
}

// of is the set of a node. The node controller taints a cordoned node, so one
// that is only about to be cordoned has that taint here too.
func (t *taintSets) of(n *kube.Node, cordoned bool) int32 {
	if t.known == nil {
		t.sets, t.known = [][]corev1.Taint{nil}, map[string]int32{"": 0}
	}
	if len(n.Taints) == 0 && !cordoned {
		return 0
	}
	var set []corev1.Taint
	for _, taint := range n.Taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule {
			set = append(set, corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: taint.Effect})
		}
	}
	if cordoned {
		set = append(set, cordonTaint)
	}
	var key strings.Builder
	for _, taint := range set {
		fmt.Fprintf(&key, "%q=%q:%q ", taint.Key, taint.Value, taint.Effect)
	}
	i, ok := t.known[key.String()]
	if !ok {
		i = int32(len(t.sets))
		t.sets, t.known[key.String()] = append(t.sets, set), i
	}
	return i
}

var cordonTaint = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// domain tells for a label of nodes which of them have the same value.
type domain struct {
	of []int32 // by node, -1 where the label is missing
	n  int
}

func (v *view) domain(key string) *domain {
	if d, ok := v.domains[key]; ok {
		return d
	}
	d := &domain{of: make([]int32, len(v.nodes))}
	values := map[string]int32{}
	for i := range v.nodes {
		value, ok := v.nodes[i].Labels[key]
		if !ok {
			d.of[i] = -1
			continue
		}
		at, known := values[value]
		if !known {
			at = int32(d.n)
			d.n++
			values[value] = at
		}
		d.of[i] = at
	}
	v.domains[key] = d
	return d
}
