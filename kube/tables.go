package kube

import (
	"cmp"
	"iter"
	"strings"
)

// tables are the records of a store and their indexes. All parts are copied on
// write, so the store can hand out snapshots as often as anybody looks. The
// indexes of pods hold keys, not records: most changes of a pod (its status)
// leave its key as it was and so touch no index at all.
type tables struct {
	records     slots
	pods        index[*podKey]   // by UID
	podsByName  index[*podKey]   // by namespace, name
	podsByNode  index[*podKey]   // by node, namespace, name
	podsByOwner index[*podKey]   // by controller UID, namespace, name
	covered     index[budgetPod] // which pods each budget selects
	totals      index[nodeTotal] // by node
	nodes       index[*Node]     // by name
	budgets     index[*Budget]   // by namespace, name
	budgetsBy   index[budgetLabel]
	unmatched   []*Budget        // written only: selectors not yet compared with the pods that are there
	workloads   index[*Workload] // by UID
	workloadsBy index[*Workload] // by kind, namespace, name
	workloadsOf index[*Workload] // by the UID of their own controller, namespace, name
	storage     storageTables
	serving     servingTables
	facets      podFacets
	counts      [len(kindOrder)]int
}

// podKey is what the indexes know of a pod.
type podKey struct {
	namespace, name, node string
	uid                   UID
	owner                 *Owner
	slot                  int32
}

func keyOf(p *Pod) *podKey {
	return &podKey{namespace: p.Namespace, name: p.Name, node: p.Node, uid: p.UID, owner: p.Owner}
}

// indexes tells whether the key still says what the record says.
func (k *podKey) indexes(p *Pod) bool {
	return k.node == p.Node && k.name == p.Name && k.namespace == p.Namespace && sameOwner(k.owner, p.Owner)
}

// budgetPod says that a budget selects a pod.
type budgetPod struct {
	budget UID
	pod    *podKey
}

// nodeTotal is the sum over the pods that hold resources of a node.
type nodeTotal struct {
	node   string
	totals NodeTotals
}

func newTables() tables {
	return tables{
		pods:        newIndex(func(a, b *podKey) bool { return a.uid < b.uid }),
		podsByName:  newIndex(func(a, b *podKey) bool { return compareNames(a, b) < 0 }),
		podsByNode:  newIndex(byNode),
		podsByOwner: newIndex(byOwner),
		covered:     newIndex(byBudget),
		totals:      newIndex(func(a, b nodeTotal) bool { return a.node < b.node }),
		nodes:       newIndex(func(a, b *Node) bool { return a.Name < b.Name }),
		budgets: newIndex(func(a, b *Budget) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
		}),
		budgetsBy: newIndex(byLabel),
		workloads: newIndex(func(a, b *Workload) bool { return a.UID < b.UID }),
		workloadsBy: newIndex(func(a, b *Workload) bool {
			return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
				strings.Compare(a.Name, b.Name), strings.Compare(string(a.UID), string(b.UID))) < 0
		}),
		workloadsOf: newIndex(func(a, b *Workload) bool {
			return cmp.Or(strings.Compare(string(a.ownerUID()), string(b.ownerUID())), strings.Compare(a.Namespace, b.Namespace),
				strings.Compare(a.Name, b.Name), strings.Compare(string(a.UID), string(b.UID))) < 0
		}),
		storage: newStorageTables(), serving: newServingTables(), facets: newPodFacets(),
	}
}

// freeze is a copy for reading that later changes do not touch.
func (t *tables) freeze() tables {
	t.matchBudgets()
	return tables{
		records: t.records.freeze(),
		pods:    t.pods.freeze(), podsByName: t.podsByName.freeze(), podsByNode: t.podsByNode.freeze(),
		podsByOwner: t.podsByOwner.freeze(), covered: t.covered.freeze(), totals: t.totals.freeze(),
		nodes: t.nodes.freeze(), budgets: t.budgets.freeze(), budgetsBy: t.budgetsBy.freeze(),
		workloads: t.workloads.freeze(), workloadsBy: t.workloadsBy.freeze(), workloadsOf: t.workloadsOf.freeze(),
		storage: t.storage.freeze(), serving: t.serving.freeze(), facets: t.facets.freeze(), counts: t.counts,
	}
}

func compareNames(a, b *podKey) int {
	if c := strings.Compare(a.namespace, b.namespace); c != 0 {
		return c
	}
	if c := strings.Compare(a.name, b.name); c != 0 {
		return c
	}
	return strings.Compare(string(a.uid), string(b.uid))
}

func byNode(a, b *podKey) bool {
	if c := strings.Compare(a.node, b.node); c != 0 {
		return c < 0
	}
	return compareNames(a, b) < 0
}

func byOwner(a, b *podKey) bool {
	if c := strings.Compare(string(a.ownerUID()), string(b.ownerUID())); c != 0 {
		return c < 0
	}
	return compareNames(a, b) < 0
}

func byBudget(a, b budgetPod) bool {
	if c := strings.Compare(string(a.budget), string(b.budget)); c != 0 {
		return c < 0
	}
	return compareNames(a.pod, b.pod) < 0
}

func (k *podKey) ownerUID() UID {
	if k.owner == nil {
		return ""
	}
	return k.owner.UID
}

func (w *Workload) ownerUID() UID {
	if w.Owner == nil {
		return ""
	}
	return w.Owner.UID
}

// pod is the record of that UID, nil if there is none.
func (t *tables) pod(uid UID) *Pod {
	pivot := podPivots.take()
	pivot.uid = uid
	key, ok := t.pods.get(pivot)
	podPivots.give(pivot)
	if !ok {
		return nil
	}
	return t.records.get(key.slot)
}

// collect adds the records of the keys from a pivot on, as long as they belong.
func (t *tables) collect(pods []*Pod, x *index[*podKey], pivot *podKey, belongs func(*podKey) bool) []*Pod {
	x.from(pivot, func(k *podKey) bool {
		if !belongs(k) {
			return false
		}
		pods = append(pods, t.records.get(k.slot))
		return true
	})
	return pods
}

func (t *tables) budgetsIn(namespace string) iter.Seq[*Budget] {
	return func(yield func(*Budget) bool) {
		pivot := budgetPivots.take()
		pivot.Namespace = namespace
		t.budgets.from(pivot, func(b *Budget) bool {
			return b.Namespace == namespace && yield(b)
		})
		budgetPivots.give(pivot)
	}
}

func (t *tables) podsUnder(budget UID) []*Pod {
	var pods []*Pod
	t.covered.from(budgetPod{budget, &podKey{}}, func(c budgetPod) bool {
		if c.budget != budget {
			return false
		}
		pods = append(pods, t.records.get(c.pod.slot))
		return true
	})
	return pods
}
