package plan

import "github.com/kdrain-tui/kdrain-tui/drain/budget"

// Counts sums the pods of a node up by what would happen to them.
func (n Node) Counts() Counts {
	var c Counts
	for _, p := range n.Pods {
		switch p.Action {
		case ActionSkip:
			c.Stay++
		case ActionRefuse:
			c.Refused++
		case ActionEvict, ActionDelete:
			c.count(p.Budget)
		}
	}
	return c
}

func (c *Counts) count(b *budget.Judgement) {
	if b == nil {
		c.Move++
		return
	}
	switch b.Verdict {
	case budget.VerdictEvictable:
		c.Move++
	case budget.VerdictWait, budget.VerdictSyncing:
		c.Wait++
	case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple:
		c.Never++
	case budget.VerdictUnknown:
		c.Unknown++
	}
}

// Counts sums the pods of the whole plan up by what would happen to them.
func (p Plan) Counts() Counts {
	var sum Counts
	for _, n := range p.Nodes {
		c := n.Counts()
		sum.Move += c.Move
		sum.Wait += c.Wait
		sum.Never += c.Never
		sum.Unknown += c.Unknown
		sum.Stay += c.Stay
		sum.Refused += c.Refused
	}
	return sum
}

// Counts sums a plan or a node of it up by what happens to the pods.
type Counts struct {
	Move    int // evicted or deleted, nothing in the way
	Wait    int // evicted when a budget allows it (Wait, Syncing)
	Never   int // Never, Deadlock or Multiple
	Unknown int
	Stay    int // skipped
	Refused int
}
