package kube

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// tables are the records of a store and their indexes. All parts are copied on
// write, so the store can hand out snapshots as often as anybody looks.
type tables struct {
	pods  podTable
	kinds map[Kind]table // of all other kinds

	// Other orders of what is in the tables of kinds.
	budgetsBy   index[budgetLabel]
	covered     index[budgetPod]         // which pods each budget selects
	owners      index[*Workload]         // workloads of all kinds by UID
	owned       index[*Workload]         // by the UID of their own controller, namespace, name
	unbound     index[*PersistentVolume] // by class, name: those that a claim could still get
	attachedTo  index[*VolumeAttachment] // by volume, name
	autoscalers index[*Autoscaler]       // by namespace, target, name

	unmatched []*Budget      // written only: selectors not yet compared with the pods that are there
	frozen    map[Kind]table // kinds as the last snapshot has them, while that is true
}

func newTables(now func() time.Time) *tables {
	t := &tables{
		pods:      newPodTable(),
		budgetsBy: newIndex(byLabel),
		covered:   newIndex(byBudget),
		owners:    newIndex(func(a, b *Workload) bool { return a.UID < b.UID }),
		owned: newIndex(func(a, b *Workload) bool {
			return cmp.Or(cmp.Compare(a.ownerUID(), b.ownerUID()), strings.Compare(a.Namespace, b.Namespace),
				strings.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID)) < 0
		}),
		unbound: newIndex(func(a, b *PersistentVolume) bool {
			return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Name, b.Name)) < 0
		}),
		attachedTo: newIndex(func(a, b *VolumeAttachment) bool {
			return cmp.Or(strings.Compare(a.Volume, b.Volume), strings.Compare(a.Name, b.Name)) < 0
		}),
		autoscalers: newIndex(func(a, b *Autoscaler) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Target.Kind, b.Target.Kind),
				strings.Compare(a.Target.Name, b.Target.Name), strings.Compare(a.Name, b.Name)) < 0
		}),
	}
	t.kinds = map[Kind]table{
		KindNodes:              newTable(func(a, b *Node) bool { return a.Name < b.Name }, unchanged),
		KindBudgets:            newTable(budgetLess, t.budgetChanged),
		KindClaims:             newTable(byName[*PersistentVolumeClaim], unchanged),
		KindVolumes:            newTable(byName[*PersistentVolume], t.volumeChanged),
		KindStorageClasses:     newTable(byName[*StorageClass], unchanged),
		KindCSINodes:           newTable(byName[*CSINode], unchanged),
		KindCSIDrivers:         newTable(byName[*CSIDriver], unchanged),
		KindAttachments:        newTable(attachmentLess, inOrder(&t.attachedTo)),
		KindNamespaces:         newTable(byName[*Namespace], unchanged),
		KindServices:           newTable(byName[*Service], unchanged),
		KindValidatingWebhooks: newTable(byName[*WebhookConfiguration], unchanged),
		KindMutatingWebhooks:   newTable(byName[*WebhookConfiguration], unchanged),
		KindAutoscalers:        newTable(byName[*Autoscaler], inOrder(&t.autoscalers)),
		KindQuotas:             newTable(byName[*Quota], unchanged),
		KindLeases:             newTable(func(a, b *Lease) bool { return a.Name < b.Name }, leaseChanged(now)),
		"":                     newTable(workloadLess, t.workloadChanged),
	}
	for _, k := range workloadKinds {
		t.kinds[k] = newTable(workloadLess, t.workloadChanged)
	}
	return t
}

// freeze is a copy for reading that later changes do not touch.
func (t *tables) freeze() tables {
	t.matchBudgets()
	if t.frozen == nil {
		t.frozen = maps.Clone(t.kinds)
		for k, table := range t.frozen {
			t.frozen[k] = table.freeze()
		}
	}
	return tables{
		pods: t.pods.freeze(), kinds: t.frozen, budgetsBy: t.budgetsBy.freeze(), covered: t.covered.freeze(),
		owners: t.owners.freeze(), owned: t.owned.freeze(), unbound: t.unbound.freeze(),
		attachedTo: t.attachedTo.freeze(), autoscalers: t.autoscalers.freeze(),
	}
}

// put adds a record or puts it in the place of the older one of the same object;
// false means that it says nothing new.
func (t *tables) put(record Record) bool {
	if p, ok := record.(*Pod); ok {
		return t.putPod(p)
	}
	t.frozen = nil
	return t.kinds[record.Meta().Kind].put(record)
}

// remove takes out the record of that object, unless its name is another's by now.
func (t *tables) remove(record Record) bool {
	m := record.Meta()
	if m.Kind == KindPods {
		return t.removePod(m.UID)
	}
	t.frozen = nil
	return t.kinds[m.Kind].remove(record)
}

// held is the record of the same object, nil if there is none.
func (t *tables) held(record Record) Record {
	m := record.Meta()
	if m.Kind == KindPods {
		if p := t.pods.pod(m.UID); p != nil {
			return p
		}
		return nil
	}
	return t.kinds[m.Kind].held(record)
}

// count is the number of records of a kind.
func (t *tables) count(k Kind) int {
	if k == KindPods {
		return t.pods.byUID.len()
	}
	if table := t.kinds[k]; table != nil {
		return table.len()
	}
	return 0
}

// ofKind are all records of a kind.
func (t *tables) ofKind(k Kind) []Record {
	records := make([]Record, 0, t.count(k))
	add := func(r Record) bool { records = append(records, r); return true }
	if k == KindPods {
		t.pods.byUID.all(func(key *podKey) bool { return add(t.pods.records.get(key.slot)) })
	} else {
		t.kinds[k].each(add)
	}
	return records
}

// within are all records of a scope.
func (t *tables) within(of Scope) []Record {
	switch {
	case of.whole():
		return t.ofKind(of.Kind)
	case of.Namespace != "":
		return slices.DeleteFunc(t.ofKind(of.Kind), func(r Record) bool { return r.Meta().Namespace != of.Namespace })
	case of.Kind == KindNodes:
		if n := t.node(of.Node); n != nil {
			return []Record{n}
		}
		return nil
	}
	var records []Record
	for _, p := range t.pods.on(nil, of.Node) {
		records = append(records, p)
	}
	return records
}

func budgetLess(a, b *Budget) bool {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
}

// attachmentLess is by node and name; neither node nor volume of one ever change.
func attachmentLess(a, b *VolumeAttachment) bool {
	return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Name, b.Name)) < 0
}

// workloadLess is by kind, namespace, name and UID: what is known of kinds that are not
// watched comes from references, which can name what is another's.
func workloadLess(a, b *Workload) bool {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID)) < 0
}

// rows is the table of a kind whose type is known.
func rows[T recordType](t *tables, k Kind) *index[T] { return &t.kinds[k].(*tableOf[T]).rows }

// while are the records from a pivot on, as long as they belong.
func (x *index[T]) while(pivot T, belongs func(T) bool) []T {
	var found []T
	x.from(pivot, func(r T) bool {
		if !belongs(r) {
			return false
		}
		found = append(found, r)
		return true
	})
	return found
}

func (t *tables) node(name string) *Node {
	pivot := nodePivots.take()
	pivot.Name = name
	n, _ := rows[*Node](t, KindNodes).get(pivot)
	nodePivots.give(pivot)
	return n
}

func (t *tables) budgets() *index[*Budget] { return rows[*Budget](t, KindBudgets) }

func (t *tables) budgetsIn(namespace string) iter.Seq[*Budget] {
	return func(yield func(*Budget) bool) {
		pivot := budgetPivots.take()
		pivot.Namespace = namespace
		t.budgets().from(pivot, func(b *Budget) bool { return b.Namespace == namespace && yield(b) })
		budgetPivots.give(pivot)
	}
}

func (w *Workload) ownerUID() UID {
	if w.Owner == nil {
		return ""
	}
	return w.Owner.UID
}

func (t *tables) workloadChanged(old, changed *Workload) {
	if old != nil {
		t.owners.remove(old)
		t.owned.remove(old)
	}
	if changed != nil {
		t.owners.set(changed)
		if changed.Owner != nil {
			t.owned.set(changed)
		}
	}
}

func (t *tables) volumeChanged(old, changed *PersistentVolume) {
	if old != nil {
		t.unbound.remove(old)
	}
	if changed != nil && changed.Phase != "Bound" {
		t.unbound.set(changed)
	}
}

// inOrder keeps another order of a table.
func inOrder[T comparable](x *index[T]) func(old, changed T) {
	var none T
	return func(old, changed T) {
		if old != none {
			x.remove(old)
		}
		if changed != none {
			x.set(changed)
		}
	}
}
