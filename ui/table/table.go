package table

import "slices"

// Table is the state of a list of objects, each with a key that stays the same
// for its whole life.
type Table struct {
	keys   []string
	cursor string // key under the cursor, "" in an empty table
	index  int    // where the cursor's key was last seen
	top    int    // index of the first visible row
}

// SetKeys replaces the objects in their new order. The cursor stays on its
// object; if that is gone, on what now has its place.
func (t *Table) SetKeys(keys []string) {
	t.keys = keys
	if len(keys) == 0 {
		t.index, t.top = 0, 0
		return
	}
	if t.index < len(keys) && keys[t.index] == t.cursor {
		return
	}
	if at := slices.Index(keys, t.cursor); at >= 0 {
		t.index = at
		return
	}
	t.index = min(t.index, len(keys)-1)
	t.cursor = keys[t.index]
}

// Keys are the objects in order.
func (t *Table) Keys() []string { return t.keys }

// Len is the number of objects.
func (t *Table) Len() int { return len(t.keys) }

// Cursor is the key under the cursor, "" in an empty table.
func (t *Table) Cursor() string {
	if len(t.keys) == 0 {
		return ""
	}
	return t.cursor
}

// Index is the place of the cursor.
func (t *Table) Index() int { return t.index }

// Select puts the cursor on an object, if it is there.
func (t *Table) Select(key string) {
	if at := slices.Index(t.keys, key); at >= 0 {
		t.index, t.cursor = at, key
	}
}

// Move moves the cursor by a number of rows and stops at both ends.
func (t *Table) Move(rows int) {
	if len(t.keys) == 0 {
		return
	}
	t.index = min(max(t.index+rows, 0), len(t.keys)-1)
	t.cursor = t.keys[t.index]
}

// First puts the cursor on the first object.
func (t *Table) First() { t.Move(-len(t.keys)) }

// Last puts the cursor on the last object.
func (t *Table) Last() { t.Move(len(t.keys)) }

// Window scrolls as little as is needed to show the cursor's row whole, and
// tells which rows are visible in that height: from, up to but without to.
// heightOf is the height of a row; nil means that all are one line high.
func (t *Table) Window(height int, heightOf func(key string) int) (from, to int) {
	if len(t.keys) == 0 || height <= 0 {
		return 0, 0
	}
	if heightOf == nil {
		heightOf = func(string) int { return 1 }
	}
	t.top = min(t.top, t.index)
	used := 0
	for i := t.index; i >= t.top; i-- {
		used += heightOf(t.keys[i])
		if used > height && i < t.index {
			t.top = i + 1
			break
		}
	}
	t.fillUp(height, heightOf)
	used = 0
	for to = t.top; to < len(t.keys); to++ {
		used += heightOf(t.keys[to])
		if used > height {
			break
		}
	}
	return t.top, max(to, t.top+1)
}

// fillUp scrolls back where rows would be hidden above while lines below stay
// empty.
func (t *Table) fillUp(height int, heightOf func(string) int) {
	used := 0
	for i := t.top; i < len(t.keys) && used < height; i++ {
		used += heightOf(t.keys[i])
	}
	for t.top > 0 {
		used += heightOf(t.keys[t.top-1])
		if used > height {
			return
		}
		t.top--
	}
}
