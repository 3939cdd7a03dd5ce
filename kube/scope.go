package kube

import (
	"slices"
	"strconv"
)

// Scope is what one feed brings in: all objects of a kind, or only those of one
// node, which are the node itself and the pods that are bound to it, or of one
// namespace. On a large cluster these are in long before the others are.
type Scope struct {
	Kind      Kind
	Node      string // "" for all
	Namespace string // "" for all
	Unbound   bool   // only the pods that no node has yet
}

// whole tells whether it is all objects of the kind.
func (of Scope) whole() bool { return of == Scope{Kind: of.Kind} }

// Read tells whether the scope is brought in, alone or with all objects of the kind.
func (of Scope) Read(s *Snapshot) bool {
	_, own := s.sync[of]
	_, whole := s.sync[Scope{Kind: of.Kind}]
	return own || whole
}

// part is what a snapshot holds of some nodes, of some namespaces, or of all. A small
// part may be in while the rest of the cluster is not, or is not read at all.
type part struct {
	s   *Snapshot
	of  func(Kind, string) Scope // nil for the whole cluster
	all []string                 // the names of its nodes or namespaces
}

// On is the part of some nodes: the nodes themselves and the pods on them; "" are the
// pods that are bound to none yet.
func (s *Snapshot) On(nodes ...string) part { return part{s, onNode, nodes} }

func onNode(k Kind, name string) Scope { return Scope{Kind: k, Node: name, Unbound: name == ""} }

// In is the part of some namespaces. All that decides about a pod is in its own: its
// budgets, its owners and their other pods.
func (s *Snapshot) In(namespaces ...string) part { return part{s, inNamespace, namespaces} }

func inNamespace(k Kind, name string) Scope { return Scope{Kind: k, Namespace: name} }

// All is the whole cluster.
func (s *Snapshot) All() part { return part{s: s} }

// each reports whether the sync state of a kind is as it should be in each scope of the part.
func (p part) each(k Kind, is func(SyncState) bool) bool {
	if p.of == nil {
		return is(p.s.Sync(k))
	}
	for _, name := range p.all {
		if !is(p.of(k, name).Sync(p.s)) {
			return false
		}
	}
	return true
}

// Sync is the sync state of the kind in this part, the worst of its scopes. A part without
// any node or namespace is Synced.
func (p part) Sync(k Kind) SyncState {
	least, first := SyncState{Phase: Synced, Count: p.s.t.count(k)}, true
	p.each(k, func(state SyncState) bool {
		if first || state.Phase.rank() < least.Phase.rank() {
			least, first = state, false
		}
		return true
	})
	return least
}

// Sync is the sync state of the scope, the better of two where all objects of the kind
// are brought in and those of the scope besides. Count is how many objects of the kind
// are held in all.
func (of Scope) Sync(s *Snapshot) SyncState {
	all := s.Sync(of.Kind)
	own, ok := s.sync[of]
	_, whole := s.sync[Scope{Kind: of.Kind}]
	if !ok || whole && all.Phase.rank() >= own.Phase.rank() {
		return all
	}
	own.Count = all.Count
	return own
}

// Trusted tells whether the kinds are complete and live in this part, so that absence
// means gone there.
func (p part) Trusted(kinds ...Kind) bool {
	return p.s.health.Live && p.phases(kinds, func(phase SyncPhase) bool { return phase == Synced })
}

// Settled tells whether no waiting would tell more: each of the kinds is trusted, or may
// not be read.
func (p part) Settled(kinds ...Kind) bool {
	return p.phases(kinds, func(phase SyncPhase) bool { return phase == Synced || phase == Denied })
}

// InWhole tells whether all objects of the kinds in this part were read, so that none is
// left out of what is counted or compared. A drain reads only what it is about.
func (p part) InWhole(kinds ...Kind) bool {
	return p.phases(kinds, func(phase SyncPhase) bool { return phase == Synced || phase == Stale })
}

// Reading tells whether some of what is brought in of these kinds, here or elsewhere, is not in yet.
func (p part) Reading(kinds ...Kind) bool {
	for of, state := range p.s.sync {
		if state.Phase == NotSynced && slices.Contains(kinds, of.Kind) {
			return true
		}
	}
	return false
}

func (p part) phases(kinds []Kind, are func(SyncPhase) bool) bool {
	for _, k := range kinds {
		if !p.each(k, func(state SyncState) bool { return are(state.Phase) }) {
			return false
		}
	}
	return true
}

// rank orders the phases by how much can be said in them.
func (p SyncPhase) rank() int { return [...]int{NotSynced: 1, Synced: 3, Stale: 2, Denied: 0}[p] }

// overlap keeps a store in order when several feeds bring in the same objects: the feed
// of a node, of a namespace and of the whole kind. They report the same changes, each at
// its own pace; a slower feed must not undo what is known already. Resource
// versions of one resource can be compared (KEP-5504), and a UID never comes back.
type overlap struct {
	lists map[Scope]uint64 // of nodes and namespaces: the version of the last list
	gone  map[UID]struct{} // seen deleted there
}

// open says that a scope has a feed of its own.
func (x *overlap) open(of Scope) {
	if x.lists == nil {
		x.lists, x.gone = map[Scope]uint64{}, map[UID]struct{}{}
	}
	x.lists[of] = 0
}

// listed notes the version of the last list of a scope.
func (x *overlap) listed(of Scope, version uint64) {
	if _, open := x.lists[of]; open {
		x.lists[of] = version
	}
}

// told tells whether a node or namespace that the record is in has a feed of its own, and the
// version of the newest list there.
func (x *overlap) told(record Record) (open bool, version uint64) {
	if x.lists == nil {
		return false, 0
	}
	for _, of := range scopesOf(record) {
		if listed, has := x.lists[of]; has {
			open, version = true, max(version, listed)
		}
	}
	return open, version
}

// bury remembers the UID of what is deleted where there is a feed of its own.
func (x *overlap) bury(record Record) {
	if open, _ := x.told(record); open {
		x.gone[record.Meta().UID] = struct{}{}
	}
}

// outdated tells whether the store knows better than the record: it holds a newer
// one, has seen the object deleted, or a newer list of its node or namespace lacks it.
func (s *Store) outdated(record Record) bool {
	if s.overlap.lists == nil {
		return false
	}
	if _, gone := s.overlap.gone[record.Meta().UID]; gone {
		return true
	}
	version, held := versionOf(record), s.t.held(record)
	switch {
	case version == 0:
		return false
	case held != nil:
		return version < versionOf(held)
	}
	_, listed := s.overlap.told(record)
	return version <= listed
}

// newerThan tells whether a record that a list lacks came after it, by another feed.
func (s *Store) newerThan(record Record, version uint64) bool {
	return s.overlap.lists != nil && version != 0 && versionOf(record) > version
}

// leave takes a pod out that is bound by now, or gone. Where another feed brings it in, that one tells which.
func (s *Store) leave(p *Pod) bool {
	held := s.t.pods.pod(p.UID)
	_, all := s.states[Scope{Kind: KindPods}]
	if held == nil || held.Node != "" || all || s.newerThan(held, p.Version) {
		return false
	}
	if told, _ := s.overlap.told(held); told {
		return false
	}
	return s.t.remove(held)
}

// scopesOf are the scopes of nodes and namespaces that the record is in and never leaves.
func scopesOf(record Record) []Scope {
	m := record.Meta()
	switch r := record.(type) {
	case *Pod:
		if r.Node == "" {
			return []Scope{inNamespace(KindPods, r.Namespace)}
		}
		return []Scope{onNode(KindPods, r.Node), inNamespace(KindPods, r.Namespace)}
	case *Node:
		return []Scope{onNode(KindNodes, r.Name)}
	}
	return []Scope{inNamespace(m.Kind, m.Namespace)}
}

func versionOf(record Record) uint64 {
	switch r := record.(type) {
	case *Pod:
		return r.Version
	case *Node:
		return ParseVersion(r.ResourceVersion)
	case *Budget:
		return ParseVersion(r.ResourceVersion)
	case *Workload:
		return ParseVersion(r.ResourceVersion)
	}
	return 0
}

// ParseVersion makes a resource version comparable; it is 0 where it is no number.
func ParseVersion(text string) uint64 {
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return version
}
