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
}

// part is what a snapshot holds of one node, of one namespace or of all. A small part may
// be in while the rest of the cluster is not.
type part struct {
	s  *Snapshot
	of Scope // without a kind
}

// On is the part of one node: the node itself and the pods on it.
func (s *Snapshot) On(node string) part { return part{s, Scope{Node: node}} }

// In is the part of one namespace. All that decides about a pod is in its own: its
// budgets, its owners and their other pods.
func (s *Snapshot) In(namespace string) part { return part{s, Scope{Namespace: namespace}} }

// All is the whole cluster.
func (s *Snapshot) All() part { return part{s: s} }

// Sync is the sync state of the kind in this part, the better of two where all objects
// of the kind are brought in and those of the part besides. Count is how many
// objects of the kind are held in all.
func (p part) Sync(k Kind) SyncState {
	all := p.s.Sync(k)
	p.of.Kind = k
	own, ok := p.s.sync[p.of]
	if !ok || all.Phase.rank() >= own.Phase.rank() {
		return all
	}
	own.Count = all.Count
	return own
}

// Trusted tells whether the kinds are complete and live in this part, so that absence
// means gone there.
func (p part) Trusted(kinds ...Kind) bool {
	for _, k := range kinds {
		if p.Sync(k).Phase != Synced {
			return false
		}
	}
	return p.s.health.Live
}

// Settled tells whether no waiting would tell more: each of the kinds is trusted, or may
// not be read.
func (p part) Settled(kinds ...Kind) bool {
	return !slices.ContainsFunc(kinds, func(k Kind) bool {
		phase := p.Sync(k).Phase
		return phase != Synced && phase != Denied
	})
}

// InWhole tells whether all objects of the kinds in this part were read, so that none is
// left out of what is counted or compared. A drain of few nodes begins before the whole
// cluster is read.
func (p part) InWhole(kinds ...Kind) bool {
	for _, k := range kinds {
		if phase := p.Sync(k).Phase; phase != Synced && phase != Stale {
			return false
		}
	}
	return true
}

// rank orders the phases by how much can be said in them.
func (p SyncPhase) rank() int { return [...]int{NotSynced: 1, Synced: 3, Stale: 2, Denied: 0}[p] }

// overlap keeps a store in order into which two feeds bring the same objects: that
// of a node and that of the whole kind. Both tell the same story, each at its own
// pace; what the slower one tells must not undo what is known already. Resource
// versions of one resource can be compared (KEP-5504), and a UID never comes back.
type overlap struct {
	lists map[Scope]uint64 // of nodes: the version of the last list
	gone  map[UID]struct{} // seen deleted on these nodes
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

// bury remembers the UID of what is deleted on a node with a feed of its own.
func (x *overlap) bury(record Record) {
	if _, open := x.lists[scopeOf(record)]; open {
		x.gone[record.Meta().UID] = struct{}{}
	}
}

// outdated tells whether the store knows better than the record: it holds a newer
// one, has seen the object deleted, or a newer list of its node lacks it.
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
	return version <= s.overlap.lists[scopeOf(record)]
}

// newerThan tells whether a record that a list lacks came after it, by another feed.
func (s *Store) newerThan(record Record, version uint64) bool {
	return s.overlap.lists != nil && version != 0 && versionOf(record) > version
}

// scopeOf is the scope of a node that the record is in, empty for the records of
// which nodes have no feeds.
func scopeOf(record Record) Scope {
	switch r := record.(type) {
	case *Pod:
		return Scope{Kind: KindPods, Node: r.Node}
	case *Node:
		return Scope{Kind: KindNodes, Node: r.Name}
	}
	return Scope{}
}

func versionOf(record Record) uint64 {
	switch r := record.(type) {
	case *Pod:
		return r.Version
	case *Node:
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
