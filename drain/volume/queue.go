package volume

import (
	"cmp"
	"slices"
)

// Holder is a pod that has a turn: its eviction is asked for, it is terminating, or its volumes
// are still attached to the node that it has left.
type Holder struct {
	Namespace, Name, Node string
	Detaching             []string // volumes that are still attached
}

// Queue are the turns of pods with volumes at one look: so many at a time of each CSI driver
// on each node. It keeps the controllers of a driver from doing everything at once.
type Queue struct {
	most  int
	turns map[lane]*turns
}

type lane struct{ node, driver string }

type turns struct {
	holders []Holder
	told    bool
}

// NewQueue is a queue of so many turns, zero for no limit.
func NewQueue(most int) *Queue { return &Queue{most: most, turns: map[lane]*turns{}} }

func (q *Queue) of(l lane) *turns {
	t := q.turns[l]
	if t == nil {
		t = &turns{}
		q.turns[l] = t
	}
	return t
}

// Take gives the pod a turn of each of its drivers.
func (q *Queue) Take(h Holder, drivers []string) {
	for _, driver := range drivers {
		t := q.of(lane{h.Node, driver})
		t.holders = append(t.holders, h)
	}
}

// Full returns the first of the drivers that has no turn free on the node, "" if all have one.
// The first caller also gets the holder of a turn that comes first by name, whatever the order
// of the turns. Later callers get nil: their pods need no event for each turn.
func (q *Queue) Full(node string, drivers []string) (driver string, ahead *Holder) {
	for _, driver := range drivers {
		t := q.of(lane{node, driver})
		if len(t.holders) < q.most {
			continue
		}
		if !t.told {
			first := slices.MinFunc(t.holders, func(a, b Holder) int {
				return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
			})
			t.told, ahead = true, &first
		}
		return driver, ahead
	}
	return "", nil
}

// Free reports whether all of the drivers have a turn free on the node.
func (q *Queue) Free(node string, drivers []string) bool {
	for _, driver := range drivers {
		if len(q.of(lane{node, driver}).holders) >= q.most {
			return false
		}
	}
	return true
}
