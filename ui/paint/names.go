package paint

import (
	"slices"
	"strings"
)

// Names shows the names of objects without what all of them share, so that what tells
// them apart has the room: a domain behind all of them never, a prefix only where it fits.
type Names struct {
	all    []string
	suffix string // from a dot on
	prefix string // to a dash or dot
	widest int    // without the suffix
	least  int
}

// NewNames are the names of objects that are told apart by them; was are those before, which
// serve again where the names are the same.
func NewNames(was *Names, all []string) *Names {
	if was != nil && slices.Equal(was.all, all) {
		return was
	}
	n := &Names{all: slices.Clone(all)}
	if len(all) > 1 {
		n.suffix, n.prefix = shared(all)
	}
	for _, name := range all {
		n.widest = max(n.widest, Width(strings.TrimSuffix(name, n.suffix)))
	}
	n.least = n.leastWidth()
	return n
}

// shared is the domain and the prefix that all the names have; each keeps something of its
// own.
func shared(all []string) (suffix, prefix string) {
	prefix, suffix = all[0], all[0]
	for _, name := range all[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		for !strings.HasSuffix(name, suffix) {
			suffix = suffix[1:]
		}
	}
	if at := strings.IndexByte(suffix, '.'); at >= 0 {
		suffix = suffix[at:]
	} else {
		suffix = ""
	}
	for slices.ContainsFunc(all, func(name string) bool { return len(name) <= len(suffix) }) {
		suffix = ""
	}
	prefix = prefix[:strings.LastIndexAny(prefix, "-.")+1]
	if slices.ContainsFunc(all, func(name string) bool { return len(name) <= len(prefix)+len(suffix) }) {
		prefix = ""
	}
	return suffix, prefix
}

// leastWidth is the least width in which no two names look the same.
func (n *Names) leastWidth() int {
	seen := make(map[string]bool, len(n.all))
	differ := func(width int) bool {
		clear(seen)
		for _, name := range n.all {
			shown := n.Show(name, width)
			if seen[shown] {
				return false
			}
			seen[shown] = true
		}
		return true
	}
	from, to := 4, max(n.widest, 4)
	for from < to {
		if mid := (from + to) / 2; differ(mid) {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return from
}

// Widest is the width of the widest name without what all share behind them.
func (n *Names) Widest() int {
	if n == nil {
		return 0
	}
	return n.widest
}

// Least is the least width in which no two names look the same.
func (n *Names) Least() int {
	if n == nil {
		return 0
	}
	return n.least
}

// ShowAll are names without what all share behind them.
func (n *Names) ShowAll(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = n.Show(name, max(n.Widest(), Width(name)))
	}
	return shown
}

// Show is a name in at most that width.
func (n *Names) Show(name string, width int) string {
	if n == nil {
		return Middle(name, width)
	}
	name = strings.TrimSuffix(name, n.suffix)
	if n.widest > width {
		name = strings.TrimPrefix(name, n.prefix)
	}
	return Middle(name, width)
}
