package kube

// putPod puts a record in the place of the older one with the same UID; false
// means that it says nothing new.
func (t *tables) putPod(p *Pod, rev uint64) bool {
	key, ok := t.pods.get(&podKey{uid: p.UID})
	if !ok {
		p.Rev = rev
		t.addPod(p)
		return true
	}
	old := t.records.get(key.slot)
	if samePod(old, p) {
		return false
	}
	p.Rev = rev
	if !key.indexes(p) || !sameMap(old.Labels, p.Labels) {
		t.dropPod(key)
		t.addPod(p)
		return true
	}
	t.records.set(key.slot, p)
	if old.Spec != p.Spec {
		t.facets.remove(key, old)
		t.facets.add(key, p)
	}
	if old.Spec != p.Spec || old.Finished() != p.Finished() {
		t.addToTotal(old, -1)
		t.addToTotal(p, 1)
	}
	return true
}

func (t *tables) addPod(p *Pod) {
	key := keyOf(p)
	key.slot = t.records.take()
	t.records.set(key.slot, p)
	t.pods.set(key)
	t.podsByName.set(key)
	t.podsByNode.set(key)
	if p.Owner != nil {
		t.podsByOwner.set(key)
	}
	t.facets.add(key, p)
	for _, b := range t.budgetsOf(p) {
		t.covered.set(budgetPod{b.UID, key})
	}
	t.addToTotal(p, 1)
}

func (t *tables) dropPod(key *podKey) {
	p := t.records.get(key.slot)
	t.pods.remove(key)
	t.podsByName.remove(key)
	t.podsByNode.remove(key)
	t.podsByOwner.remove(key)
	t.facets.remove(key, p)
	for _, b := range t.budgetsOf(p) {
		t.covered.remove(budgetPod{b.UID, key})
	}
	t.addToTotal(p, -1)
	t.records.release(key.slot)
}

// addToTotal counts a pod in or out of its node. A finished pod holds nothing,
// as the scheduler sees it.
func (t *tables) addToTotal(p *Pod, sign int64) {
	if p.Node == "" {
		return
	}
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
		sum := make(map[resourceName]int64, len(r.Extended)+len(other.Extended))
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

func (t *tables) putWorkload(w *Workload) {
	if old, ok := t.workloads.get(w); ok {
		t.dropWorkload(old)
	}
	t.counts[workloadKinds[w.Kind].order()]++
	t.workloads.set(w)
	t.workloadsBy.set(w)
	if w.Owner != nil {
		t.workloadsOf.set(w)
	}
}

func (t *tables) dropWorkload(old *Workload) {
	t.counts[workloadKinds[old.Kind].order()]--
	t.workloads.remove(old)
	t.workloadsBy.remove(old)
	t.workloadsOf.remove(old)
}
