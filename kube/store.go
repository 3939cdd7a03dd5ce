package kube

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
)

// Store holds the compact records of a cluster. Reflectors write it, faces and
// engines take snapshots of it. All methods are safe for concurrent use.
type Store struct {
	now func() time.Time

	mu        sync.Mutex
	rev       uint64 // number of changes so far
	t         *tables
	states    map[Scope]SyncState
	overlap   overlap
	health    Health
	nodeUsage map[string]Usage
	// drainRules are read once in a while, not watched.
	drainRules  *clusterapi.Rules
	ownerStatus map[UID]OwnerStatus // as drainRules
	last        *Snapshot           // the newest snapshot, while it is still true
	watchers    []chan struct{}
}

// NewStore makes an empty store; now is its clock.
func NewStore(now func() time.Time) *Store {
	return &Store{now: now, t: newTables(now), states: map[Scope]SyncState{}}
}

// Snapshot is the cluster as the store knows it now.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil {
		return s.last
	}
	s.last = &Snapshot{
		gen: s.rev, at: s.now(), health: s.health, sync: staleWhenDown(s.states, s.health),
		t: s.t.freeze(), nodeUsage: s.nodeUsage, DrainRules: s.drainRules, OwnerStatus: s.ownerStatus,
	}
	return s.last
}

// Changed returns a channel of capacity one that says "something changed since
// you last looked", until the context ends. Each caller has a channel of its
// own, so that one does not take the signal of another.
func (s *Store) Changed(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers = append(s.watchers, ch)
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.watchers = slices.DeleteFunc(s.watchers, func(w chan struct{}) bool { return w == ch })
	})
	return ch
}

// update runs a change of the tables and tells whoever waits for one, unless
// it changed nothing.
func (s *Store) update(change func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change() {
		s.rev++
		s.signal()
	}
}

// signal tells whoever waits for a change; its caller has the lock.
func (s *Store) signal() {
	s.last = nil
	for _, w := range s.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// SetHealth records the state of the connection. What was made of a snapshot stays true
// while the server answers: a new moment of contact is no new generation.
func (s *Store) SetHealth(h Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health == h {
		return
	}
	if s.health.Live != h.Live {
		s.rev++
	}
	s.health = h
	s.signal()
}

// SetSync records the sync state of a kind; its Count is what the store holds.
func (s *Store) SetSync(k Kind, state SyncState) {
	s.update(func() bool { s.setState(Scope{Kind: k}, state); return true })
}

// setState copies the states, because snapshots share them.
func (s *Store) setState(of Scope, state SyncState) {
	s.states = maps.Clone(s.states)
	s.states[of] = state
}

// SetDrainRules replaces what was read of MachineDrainRules, which are not watched.
func (s *Store) SetDrainRules(read *clusterapi.Rules) {
	s.update(func() bool { s.drainRules = read; return true })
}

// SetOwnerStatus replaces what was read of the owners of budgets, and owns the map from then on.
func (s *Store) SetOwnerStatus(read map[UID]OwnerStatus) {
	s.update(func() bool { s.ownerStatus = read; return true })
}

// SetUsage replaces what the metrics API said of the nodes.
func (s *Store) SetUsage(nodes map[string]Usage) {
	s.update(func() bool { s.nodeUsage = nodes; return true })
}

// Put adds records or puts them in the place of older ones of the same objects, and
// owns them from then on. A pod that is as it was keeps its record.
func (s *Store) Put(records ...Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, news := false, false
	for _, r := range records {
		heartbeat := s.heartbeat(r)
		if s.put(r) {
			changed, news = true, news || !heartbeat
		}
	}
	if news {
		s.rev++
	}
	if changed {
		s.signal()
	}
}

// heartbeat reports whether a record brings only a newer heartbeat of a Ready node. What was made of a snapshot stays
// true: of a Ready node nothing is decided by its heartbeat.
func (s *Store) heartbeat(r Record) bool {
	n, ok := r.(*Node)
	if !ok || n.Ready != NodeReady {
		return false
	}
	old, ok := s.t.held(n).(*Node)
	if !ok {
		return false
	}
	as := *n
	as.Heartbeat, as.ResourceVersion = old.Heartbeat, old.ResourceVersion
	return reflect.DeepEqual(&as, old)
}

func (s *Store) put(r Record) bool { return !s.outdated(r) && s.t.put(r) }

// Remove takes records out; only what identifies them is read.
func (s *Store) Remove(records ...Record) { s.RemoveFrom(Scope{}, records...) }

// RemoveFrom takes records out that a feed of the scope saw leave it. That is their end, but for pods that
// no node had: they may be bound by now.
func (s *Store) RemoveFrom(of Scope, records ...Record) {
	s.update(func() bool {
		changed := false
		for _, r := range records {
			changed = s.drop(of, r) || changed
		}
		return changed
	})
}

func (s *Store) drop(of Scope, r Record) bool {
	if p, ok := r.(*Pod); ok && of.Unbound {
		return s.leave(p)
	}
	s.overlap.bury(r)
	return s.t.remove(r)
}

// Replace makes the records all there was of a scope at that version, and its sync
// state the one given, in one step: no snapshot sees half of it.
func (s *Store) Replace(of Scope, records []Record, version uint64, state SyncState) {
	s.update(func() bool {
		kept := make(map[UID]struct{}, len(records))
		for _, r := range records {
			s.put(r)
			kept[r.Meta().UID] = struct{}{}
		}
		for _, old := range s.t.within(of) {
			if _, ok := kept[old.Meta().UID]; !ok && !s.newerThan(old, version) {
				s.drop(of, old)
			}
		}
		s.overlap.listed(of, version)
		s.setState(of, state)
		return true
	})
}

// Open says that a scope is brought in by a feed of its own from now on.
func (s *Store) Open(of Scope) {
	s.update(func() bool {
		if !of.whole() {
			s.overlap.open(of)
		}
		s.setState(of, SyncState{Phase: NotSynced, Since: s.now()})
		return true
	})
}

// State is the sync state that the feed of a scope has given it.
func (s *Store) State(of Scope) SyncState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[of]
}

// SetTotal says how many objects of a scope the list has that is coming in.
func (s *Store) SetTotal(of Scope, total int) {
	s.update(func() bool {
		state := s.states[of]
		if state.Total == total {
			return false
		}
		state.Total = total
		s.setState(of, state)
		return true
	})
}

// SetPhase changes the sync phase of a scope; Since moves only with the phase.
func (s *Store) SetPhase(of Scope, phase SyncPhase, reason string) {
	old := s.State(of)
	if old.Phase == phase && old.Reason == reason && !old.Since.IsZero() {
		return
	}
	state := SyncState{Phase: phase, Reason: reason, Since: s.now()}
	if old.Phase == phase && !old.Since.IsZero() {
		state.Since, state.Total = old.Since, old.Total
	}
	s.update(func() bool { s.setState(of, state); return true })
}
