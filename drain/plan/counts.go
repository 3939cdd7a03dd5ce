package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// Counts sums a plan or a node of it up by the fates of its pods. One that is lost, or
// lands nowhere, is counted as that and not as one that moves.
type Counts struct {
	Move      int // nothing is in the way
	Last      int // leaves after all others of its node
	Deleted   int // past all budgets
	Wait      int // evicted when a budget allows it
	Blocked   int // its budgets as they stand never allow it
	Unknown   int // its budgets cannot be seen
	Stay      int
	Refused   int
	Untouched int // would leave, but its node is refused
	Losses

	worst Level
}

// Counts sums the pods of a node up.
func (n *Node) Counts() Counts { return n.counts(n.Refused()) }

func (n *Node) counts(refused bool) Counts {
	c := Counts{worst: LevelInfo}
	for i := range n.Pods {
		f := n.Pods[i].Fate()
		if refused && f.Leaves != Refused && f.Leaves != Stays {
			c.Untouched++
			continue
		}
		c.add(f)
	}
	return c
}

// Counts sums the pods of the whole plan up.
func (p *Plan) Counts() Counts {
	sum, refused := Counts{worst: LevelInfo}, p.Refused()
	for i := range p.Nodes {
		name := p.Nodes[i].Name
		sum.sum(p.Nodes[i].counts(slices.ContainsFunc(refused, func(r RefusedNode) bool { return r.Node == name })))
	}
	return sum
}

// add counts a pod of that fate.
func (c *Counts) add(f Fate) {
	c.worst = worse(c.worst, f.Level())
	c.Losses.Add(f.Loss)
	if f.Loss == LossPod || f.Loss == LossPlace {
		return
	}
	switch f.Leaves {
	case Stays:
		c.Stay++
	case Refused:
		c.Refused++
	case Moves:
		c.Move++
	case LeavesLast:
		c.Last++
	case Waits:
		c.Wait++
	case Blocked:
		c.Blocked++
	case LeavesUnseen:
		c.Unknown++
	case Deleted:
		c.Deleted++
	}
}

func (c *Counts) sum(of Counts) {
	c.Move, c.Deleted, c.Wait, c.Blocked = c.Move+of.Move, c.Deleted+of.Deleted, c.Wait+of.Wait, c.Blocked+of.Blocked
	c.Unknown, c.Stay, c.Refused, c.Untouched = c.Unknown+of.Unknown, c.Stay+of.Stay, c.Refused+of.Refused,
		c.Untouched+of.Untouched
	c.Last += of.Last
	c.Lost, c.Nowhere, c.Down, c.Data = c.Lost+of.Lost, c.Nowhere+of.Nowhere, c.Down+of.Down, c.Data+of.Data
	c.worst = worse(c.worst, of.worst)
}

func worse(a, b Level) Level {
	if a == LevelError || b == LevelError {
		return LevelError
	}
	if a == LevelWarning {
		return a
	}
	return b
}

// Level is that of the gravest fate.
func (c Counts) Level() Level { return c.worst }

// Leaving counts the pods that are to leave.
func (c Counts) Leaving() int {
	return c.Move + c.Last + c.Deleted + c.Wait + c.Blocked + c.Unknown + c.Lost + c.Nowhere
}

// CountWords is one of several counts in words, such as "8 move", and how grave it is.
type CountWords struct {
	Text  string
	Level Level
}

// Words are the counts without zeros: what moves, what is in the way, what is lost, and
// what stays. All faces count with them.
func (c Counts) Words() []CountWords {
	leaves := nonZero([]counted{
		{c.Move, LevelInfo, "moves", "move"}, {c.Last, LevelInfo, "leaves last", "leave last"},
		{c.Deleted, LevelWarning, "deleted", "deleted"},
		{c.Refused, LevelError, "refused", "refused"}, {c.Blocked, LevelError, "blocked", "blocked"},
		{c.Wait, LevelWarning, "waits", "wait"}, {c.Unknown, LevelWarning, "with unknown budgets", "with unknown budgets"},
	})
	all := append(append(leaves, c.Losses.counts()...), nonZero([]counted{
		{c.Untouched, LevelInfo, "untouched", "untouched"}, {c.Stay, LevelInfo, "stays", "stay"},
	})...)
	if len(all) == 0 {
		return []CountWords{{"no pods", LevelInfo}}
	}
	return all
}

// counted is a count with its words.
type counted struct {
	n         int
	level     Level
	one, many string
}

func nonZero(all []counted) []CountWords {
	var text []CountWords
	for _, c := range all {
		if c.n > 0 {
			text = append(text, CountWords{words.Count(c.n, c.one, c.many), c.level})
		}
	}
	return text
}
