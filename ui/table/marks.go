package table

import "slices"

// Marks are the objects that the operator marked. They survive filters, sorts
// and the end of their object: what is not visible is counted, never dropped
// in silence.
type Marks struct {
	order []string
	set   map[string]bool
}

// Toggle marks a key or takes its mark away.
func (m *Marks) Toggle(key string) {
	if m.set[key] {
		delete(m.set, key)
		m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == key })
		return
	}
	m.Add(key)
}

// Add marks a key.
func (m *Marks) Add(key string) {
	if m.set == nil {
		m.set = map[string]bool{}
	}
	if key != "" && !m.set[key] {
		m.set[key] = true
		m.order = append(m.order, key)
	}
}

// Clear takes all marks away.
func (m *Marks) Clear() { m.order, m.set = nil, nil }

// Has reports whether the key is marked.
func (m *Marks) Has(key string) bool { return m.set[key] }

// Turn is the place of a key in the order of the marks, from 1 on; 0 where it is not marked.
func (m *Marks) Turn(key string) int { return slices.Index(m.order, key) + 1 }

// Move moves a marked key so many places towards the end of the order, as far as that reaches.
func (m *Marks) Move(key string, by int) {
	from := slices.Index(m.order, key)
	if from < 0 {
		return
	}
	to := max(0, min(from+by, len(m.order)-1))
	m.order = slices.Insert(slices.Delete(m.order, from, from+1), to, key)
}

// Keys are the marked keys in the order in which they were marked.
func (m *Marks) Keys() []string { return slices.Clone(m.order) }

// Len is the number of marks.
func (m *Marks) Len() int { return len(m.order) }

// Hidden counts the marks that are not among the visible keys.
func (m *Marks) Hidden(visible []string) int {
	hidden := len(m.order)
	if hidden == 0 {
		return 0
	}
	for _, k := range visible {
		if m.set[k] {
			hidden--
		}
	}
	return hidden
}
