package kube

import (
	"cmp"
	"strings"
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
