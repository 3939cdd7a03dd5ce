package kube

// kindOrder are all kinds, in the order in which screens list them.
var kindOrder = [...]Kind{
	KindNodes, KindPods, KindBudgets, KindReplicaSets, KindDeployments, KindStatefulSets,
	KindDaemonSets, KindJobs, KindReplicationControllers, KindClaims, KindVolumes, KindStorageClasses,
	KindCSINodes, KindCSIDrivers, KindAttachments, KindNamespaces, KindServices, KindValidatingWebhooks,
	KindMutatingWebhooks, KindAutoscalers, KindQuotas, KindLeases, KindUsage,
}

// Kinds are all kinds of the store, in the order in which screens list them.
var Kinds = kindOrder[:]

// order is the place of a kind in kindOrder; one that is none of them counts
// with the last, which has no records.
func (k Kind) order() int {
	for i, known := range kindOrder {
		if k == known {
			return i
		}
	}
	return len(kindOrder) - 1
}

// count is the number of records of a kind.
func (t *tables) count(k Kind) int {
	switch k {
	case KindNodes:
		return t.nodes.len()
	case KindPods:
		return t.pods.len()
	case KindBudgets:
		return t.budgets.len()
	}
	if named := t.named(k); named != nil {
		return named.len()
	}
	return t.counts[k.order()]
}

// named is the table of a kind that has one of its own, nil for the others.
func (t *tables) named(k Kind) counted {
	if table := t.storage.of(k); table != nil {
		return table
	}
	return t.serving.of(k)
}

// ofKind are all records of a kind.
func (t *tables) ofKind(k Kind) []any {
	records := make([]any, 0, t.count(k))
	switch k {
	case KindNodes:
		t.nodes.all(func(n *Node) bool { records = append(records, n); return true })
	case KindPods:
		t.pods.all(func(k *podKey) bool { records = append(records, t.records.get(k.slot)); return true })
	case KindBudgets:
		t.budgets.all(func(b *Budget) bool { records = append(records, b); return true })
	default:
		if named := t.named(k); named != nil {
			named.each(func(r any) { records = append(records, r) })
			return records
		}
		t.workloads.all(func(w *Workload) bool {
			if kindOf(w) == k {
				records = append(records, w)
			}
			return true
		})
	}
	return records
}

func uidOf(record any) UID {
	switch r := record.(type) {
	case *Pod:
		return r.UID
	case *Node:
		return r.UID
	case *Budget:
		return r.UID
	case *Workload:
		return r.UID
	}
	if uid := storageUID(record); uid != "" {
		return uid
	}
	return servingUID(record)
}
