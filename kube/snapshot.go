package kube

import (
	"iter"
	"maps"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
)

// NodeTotals are sums over the pods of one node.
type NodeTotals struct {
	Pods      int       // all pods bound to the node, finished ones too
	Requested Resources // of pods that have not finished
}

// Snapshot is the cluster at one moment: immutable, shared by pointer, and
// cheap to take. Its answers cost time in proportion to their length.
type Snapshot struct {
	gen       uint64
	at        time.Time
	health    Health
	sync      map[Scope]SyncState
	t         tables
	nodeUsage map[string]Usage

	// DrainRules is what was read of MachineDrainRules, nil while they were not.
	DrainRules *clusterapi.Rules
	// OwnerStatus is what was read of the custom resources that own budgets (watch.Owners).
	OwnerStatus map[UID]OwnerStatus
}

// Gen grows with every change of the store: equal generations are equal
// snapshots, apart from connection health.
func (s *Snapshot) Gen() uint64 { return s.gen }

// At is the moment the snapshot was taken, by our clock.
func (s *Snapshot) At() time.Time { return s.at }

// Health is the state of the connection when the snapshot was taken.
func (s *Snapshot) Health() Health { return s.health }

// ServerTime turns a moment of our clock into one of the server's.
func (s *Snapshot) ServerTime(t time.Time) time.Time { return t.Add(s.health.Offset) }

// Sync is the sync state of a kind.
func (s *Snapshot) Sync(k Kind) SyncState {
	state := s.sync[Scope{Kind: k}]
	state.Count = s.t.count(k)
	if k == KindUsage {
		state.Count = len(s.nodeUsage)
	}
	return state
}

// Trusted tells whether all the kinds are complete and live, so that absence
// means gone.
func (s *Snapshot) Trusted(kinds ...Kind) bool { return s.All().Trusted(kinds...) }

// Nodes are all nodes by name.
func (s *Snapshot) Nodes() []*Node { return rows[*Node](&s.t, KindNodes).items() }

// Node is the node of that name, nil if there is none.
func (s *Snapshot) Node(name string) *Node { return s.t.node(name) }

// Totals are the sums over the pods of a node; "" are those that are bound to none yet.
func (s *Snapshot) Totals(node string) NodeTotals {
	total, _ := s.t.pods.totals.get(nodeTotal{node: node})
	return total.totals
}

// Pod is the pod of that UID, nil if there is none.
func (s *Snapshot) Pod(uid UID) *Pod { return s.t.pods.pod(uid) }

// PodNamed is the pod that has the name now, nil if there is none. Where an
// old and a new holder of the name are both known, the newer one is meant.
func (s *Snapshot) PodNamed(namespace, name string) *Pod {
	var found *Pod
	for _, p := range s.t.pods.collect(nil, &s.t.pods.byName, &podKey{namespace: namespace, name: name},
		func(k *podKey) bool { return k.namespace == namespace && k.name == name }) {
		if found == nil || p.Created.After(found.Created) {
			found = p
		}
	}
	return found
}

// Pods are all pods, by namespace and name.
func (s *Snapshot) Pods() []*Pod {
	return s.t.pods.collect(make([]*Pod, 0, s.t.count(KindPods)), &s.t.pods.byName, &podKey{}, func(*podKey) bool {
		return true
	})
}

// PodsIn are the pods of a namespace, by name.
func (s *Snapshot) PodsIn(namespace string) []*Pod {
	return s.t.pods.collect(nil, &s.t.pods.byName, &podKey{namespace: namespace},
		func(k *podKey) bool { return k.namespace == namespace })
}

// PodsOn are the pods bound to a node, by namespace and name; "" are those that
// are bound to none yet.
func (s *Snapshot) PodsOn(node string) []*Pod {
	return s.t.pods.on(make([]*Pod, 0, s.Totals(node).Pods), node)
}

// PodsOf are the pods that an owner controls directly. One owner can have
// thousands, and often the first few tell enough.
func (s *Snapshot) PodsOf(owner UID) iter.Seq[*Pod] {
	return func(yield func(*Pod) bool) {
		s.t.pods.byOwner.from(&podKey{owner: &Owner{UID: owner}}, func(k *podKey) bool {
			return k.owner.UID == owner && yield(s.t.pods.records.get(k.slot))
		})
	}
}

// Budgets are all disruption budgets, by namespace and name.
func (s *Snapshot) Budgets() []*Budget { return s.t.budgets().items() }

// BudgetNamed is the budget of that name, nil if there is none.
func (s *Snapshot) BudgetNamed(namespace, name string) *Budget {
	return find(s, &Budget{Namespace: namespace, Name: name})
}

// BudgetsOf are the budgets that select the pod, by name. Ask Sync(KindBudgets)
// before taking none for an answer.
func (s *Snapshot) BudgetsOf(p *Pod) []*Budget {
	return s.t.budgetsOf(p)
}

// PodsUnder are the pods that a budget selects, by name.
func (s *Snapshot) PodsUnder(b *Budget) []*Pod { return s.t.podsUnder(b.UID) }

// Workload is the owner of that UID, nil if it is unknown.
func (s *Snapshot) Workload(uid UID) *Workload {
	w, _ := s.t.owners.get(&Workload{UID: uid})
	return w
}

// Workloads are all workloads of a kind, by namespace and name.
func Workloads(s *Snapshot, kind Kind) []*Workload { return rows[*Workload](&s.t, kind).items() }

// WorkloadNamed is the owner of that kind and name, nil if it is unknown.
func (s *Snapshot) WorkloadNamed(kind, namespace, name string) *Workload {
	for _, w := range rows[*Workload](&s.t, workloadKinds[kind]).while(&Workload{Kind: kind, Namespace: namespace,
		Name: name},
		func(w *Workload) bool { return w.Kind == kind && w.Namespace == namespace && w.Name == name }) {
		return w
	}
	return nil
}

// WorkloadsOf are the workloads that a workload controls directly, by name: the
// ReplicaSets of a Deployment.
func (s *Snapshot) WorkloadsOf(owner UID) []*Workload {
	return s.t.owned.while(&Workload{Owner: &Owner{UID: owner}}, func(w *Workload) bool { return w.Owner.UID == owner })
}

// TopOwner is the owner whose number of pods counts, and what is known of it: the
// Deployment of a ReplicaSet, say, or its Argo Rollout.
func (s *Snapshot) TopOwner(owner *Owner) (*Owner, *Workload) {
	w := s.Workload(owner.UID)
	if w != nil && w.Kind == "ReplicaSet" && w.Owner != nil {
		return w.Owner, s.Workload(w.Owner.UID)
	}
	return owner, w
}

// find is the record of the same kind and name, nil if there is none.
func find[T recordType](s *Snapshot, like T) T {
	found, _ := rows[T](&s.t, like.Meta().Kind).get(like)
	return found
}

// NodeUsage is what the metrics API last said of a node.
func (s *Snapshot) NodeUsage(node string) (Usage, bool) {
	u, ok := s.nodeUsage[node]
	return u, ok
}

func staleWhenDown(sync map[Scope]SyncState, h Health) map[Scope]SyncState {
	if h.Live {
		return sync
	}
	sync = maps.Clone(sync)
	for k, state := range sync {
		if state.Phase == Synced {
			state.Phase, state.Since, state.Reason = Stale, h.DownSince, h.Reason
			sync[k] = state
		}
	}
	return sync
}
