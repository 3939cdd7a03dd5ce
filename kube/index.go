package kube

import (
	"sync"

	"github.com/tidwall/btree"
)

// index is a sorted set that can be frozen for a snapshot at no cost but that of
// the paths which change afterwards. Only the store writes it, under its lock;
// frozen copies are never written, so neither needs a lock of its own.
type index[T any] struct {
	live   *btree.BTreeG[T]
	frozen *btree.BTreeG[T]
}

func newIndex[T any](less func(a, b T) bool) index[T] {
	return index[T]{live: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// set puts an entry in the place of an equal one.
func (x *index[T]) set(entry T) {
	x.live.Set(entry)
	x.frozen = nil
}

func (x *index[T]) remove(entry T) {
	if _, ok := x.live.Delete(entry); ok {
		x.frozen = nil
	}
}

func (x *index[T]) get(entry T) (T, bool) { return x.live.Get(entry) }

// freeze is a copy that later changes do not touch; as long as nothing changes
// it is the same copy.
func (x *index[T]) freeze() index[T] {
	if x.frozen == nil {
		x.frozen = x.live.Copy()
	}
	return index[T]{live: x.frozen, frozen: x.frozen}
}

func (x *index[T]) len() int   { return x.live.Len() }
func (x *index[T]) items() []T { return x.live.Items() }

// from visits the entries from a pivot on until visit returns false.
func (x *index[T]) from(pivot T, visit func(T) bool) { x.live.Ascend(pivot, visit) }

func (x *index[T]) all(visit func(T) bool) { x.live.Scan(visit) }

// pivots lends entries to search an index by. An index keeps none of them, so the
// next search has the same again: looking up a pod makes no garbage.
type pivots[T any] struct{ free sync.Pool }

func (p *pivots[T]) take() *T {
	if entry, ok := p.free.Get().(*T); ok {
		return entry
	}
	return new(T)
}

func (p *pivots[T]) give(entry *T) {
	var blank T
	*entry = blank
	p.free.Put(entry)
}

var (
	podPivots    pivots[podKey]
	nodePivots   pivots[Node]
	budgetPivots pivots[Budget]
)
