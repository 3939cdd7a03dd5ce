package kube

import (
	"cmp"
	"strings"
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

// table holds the records of one kind, by namespace and name unless said otherwise.
type table interface {
	put(r Record) bool    // false: it is there already
	remove(r Record) bool // false: it is not there, or another has its name
	held(r Record) Record // what is under the name, nil for nothing
	len() int
	each(visit func(Record) bool)
	freeze() table
}

type tableOf[T recordType] struct {
	rows index[T]
	// changed is told what a change puts in whose place; either may be nil.
	changed func(old, changed T)
	last    *tableOf[T] // the newest frozen copy
}

type recordType interface {
	comparable
	Record
}

func newTable[T recordType](less func(a, b T) bool, changed func(old, changed T)) *tableOf[T] {
	return &tableOf[T]{rows: newIndex(less), changed: changed}
}

func byName[T Record](a, b T) bool {
	x, y := a.Meta(), b.Meta()
	return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name)) < 0
}

func unchanged[T any](_, _ T) {}

func (x *tableOf[T]) put(r Record) bool {
	record := r.(T)
	old, had := x.rows.get(record)
	if had && old == record {
		return false // others read it by now
	}
	x.rows.set(record)
	x.changed(old, record)
	return true
}

func (x *tableOf[T]) remove(r Record) bool {
	old, had := x.rows.get(r.(T))
	if uid := r.Meta().UID; !had || uid != "" && uid != old.Meta().UID {
		return false
	}
	var none T
	x.rows.remove(old)
	x.changed(old, none)
	return true
}

func (x *tableOf[T]) held(r Record) Record {
	if old, had := x.rows.get(r.(T)); had {
		return old
	}
	return nil
}

func (x *tableOf[T]) len() int { return x.rows.len() }

func (x *tableOf[T]) each(visit func(Record) bool) { x.rows.all(func(r T) bool { return visit(r) }) }

func (x *tableOf[T]) freeze() table {
	if x.last == nil || x.rows.frozen == nil {
		x.last = &tableOf[T]{rows: x.rows.freeze()}
	}
	return x.last
}
