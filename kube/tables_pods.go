package kube

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podTable holds the pods. Its indexes hold keys, not records: most changes of a pod
// (its status) leave its key as it was and so touch no index at all.
type podTable struct {
	records slots
	byUID   index[*podKey]
	byName  index[*podKey]   // by namespace, name
	byNode  index[*podKey]   // by node, namespace, name
	byOwner index[*podKey]   // by controller UID, namespace, name
	totals  index[nodeTotal] // by node
	facets  podFacets
}

func newPodTable() podTable {
	return podTable{
		byUID:   newIndex(func(a, b *podKey) bool { return a.uid < b.uid }),
		byName:  newIndex(func(a, b *podKey) bool { return compareNames(a, b) < 0 }),
		byNode:  newIndex(byNode),
		byOwner: newIndex(byOwner),
		totals:  newIndex(func(a, b nodeTotal) bool { return a.node < b.node }),
		facets:  newPodFacets(),
	}
}

func (t *podTable) freeze() podTable {
	return podTable{
		records: t.records.freeze(), byUID: t.byUID.freeze(), byName: t.byName.freeze(), byNode: t.byNode.freeze(),
		byOwner: t.byOwner.freeze(), totals: t.totals.freeze(), facets: t.facets.freeze(),
	}
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
	return k.node == p.Node && k.name == p.Name && k.namespace == p.Namespace && same(k.owner, p.Owner)
}

// nodeTotal is the sum over the pods that hold resources of a node.
type nodeTotal struct {
	node   string
	totals NodeTotals
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

func (k *podKey) ownerUID() UID {
	if k.owner == nil {
		return ""
	}
	return k.owner.UID
}

// pod is the record of that UID, nil if there is none.
func (t *podTable) pod(uid UID) *Pod {
	pivot := podPivots.take()
	pivot.uid = uid
	key, ok := t.byUID.get(pivot)
	podPivots.give(pivot)
	if !ok {
		return nil
	}
	return t.records.get(key.slot)
}

// collect adds the records of the keys from a pivot on, as long as they belong.
func (t *podTable) collect(pods []*Pod, x *index[*podKey], pivot *podKey, belongs func(*podKey) bool) []*Pod {
	x.from(pivot, func(k *podKey) bool {
		if !belongs(k) {
			return false
		}
		pods = append(pods, t.records.get(k.slot))
		return true
	})
	return pods
}

// on are the pods of a node, added to those given.
func (t *podTable) on(pods []*Pod, node string) []*Pod {
	return t.collect(pods, &t.byNode, &podKey{node: node}, func(k *podKey) bool { return k.node == node })
}

// putPod puts a record in the place of the older one with the same UID; false
// means that it says nothing new.
func (t *tables) putPod(p *Pod) bool {
	key, ok := t.pods.byUID.get(&podKey{uid: p.UID})
	if !ok {
		t.addPod(p)
		return true
	}
	old := t.pods.records.get(key.slot)
	if samePod(old, p) {
		return false
	}
	if !key.indexes(p) || !maps.Equal(old.Labels, p.Labels) {
		t.dropPod(key)
		t.addPod(p)
		return true
	}
	t.pods.records.set(key.slot, p)
	if old.Spec != p.Spec {
		t.pods.facets.remove(key, old)
		t.pods.facets.add(key, p)
	}
	if old.Spec != p.Spec || old.Finished() != p.Finished() {
		t.pods.addToTotal(old, -1)
		t.pods.addToTotal(p, 1)
	}
	return true
}

func (t *tables) addPod(p *Pod) {
	key := keyOf(p)
	key.slot = t.pods.records.take()
	t.pods.records.set(key.slot, p)
	t.pods.byUID.set(key)
	t.pods.byName.set(key)
	t.pods.byNode.set(key)
	if p.Owner != nil {
		t.pods.byOwner.set(key)
	}
	t.pods.facets.add(key, p)
	for _, b := range t.budgetsOf(p) {
		t.covered.set(budgetPod{b.UID, key})
	}
	t.pods.addToTotal(p, 1)
}

func (t *tables) removePod(uid UID) bool {
	key, ok := t.pods.byUID.get(&podKey{uid: uid})
	if ok {
		t.dropPod(key)
	}
	return ok
}

func (t *tables) dropPod(key *podKey) {
	p := t.pods.records.get(key.slot)
	t.pods.byUID.remove(key)
	t.pods.byName.remove(key)
	t.pods.byNode.remove(key)
	t.pods.byOwner.remove(key)
	t.pods.facets.remove(key, p)
	for _, b := range t.budgetsOf(p) {
		t.covered.remove(budgetPod{b.UID, key})
	}
	t.pods.addToTotal(p, -1)
	t.pods.records.release(key.slot)
}

// addToTotal counts a pod in or out of its node. A finished pod holds nothing,
// as the scheduler sees it.
func (t *podTable) addToTotal(p *Pod, sign int64) {
	total, _ := t.totals.get(nodeTotal{node: p.Node})
	total.node = p.Node
	total.totals.Pods += int(sign)
	if !p.Finished() && p.Spec != nil {
		total.totals.Requested = total.totals.Requested.plus(p.Spec.Requests, sign)
		total.totals.Requested.Pods += sign
	}
	if total.totals.Pods == 0 {
		t.totals.remove(total)
		return
	}
	t.totals.set(total)
}

// plus adds the amounts of other, times sign.
func (r Resources) plus(other Resources, sign int64) Resources {
	r.CPUMilli += sign * other.CPUMilli
	r.MemoryBytes += sign * other.MemoryBytes
	r.EphemeralBytes += sign * other.EphemeralBytes
	if len(other.Extended) > 0 {
		sum := make(map[corev1.ResourceName]int64, len(r.Extended)+len(other.Extended))
		for name, amount := range r.Extended {
			sum[name] = amount
		}
		for name, amount := range other.Extended {
			sum[name] += sign * amount
		}
		r.Extended = sum
	}
	return r
}

// samePod tells whether two records of one pod say the same, so that a change
// of what we do not keep (an annotation, a probe time) changes nothing here.
func samePod(a, b *Pod) bool {
	return a.UID == b.UID && a.Name == b.Name && a.Namespace == b.Namespace && a.Node == b.Node &&
		same(a.Owner, b.Owner) && a.Spec == b.Spec &&
		maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations) &&
		a.Created.Equal(b.Created) && a.Deleted.Equal(b.Deleted) && a.DeletionGrace == b.DeletionGrace &&
		slices.Equal(a.Finalizers, b.Finalizers) &&
		a.Phase == b.Phase && a.Reason == b.Reason && a.Message == b.Message &&
		a.Ready == b.Ready && a.ReadySince.Equal(b.ReadySince) && same(a.Trouble, b.Trouble) && same(a.State, b.State)
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
