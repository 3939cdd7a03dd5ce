package drain

// Counts sums a plan or a node of it up by what happens to the pods.
type Counts struct {
	Move    int // evicted or deleted, nothing in the way
	Wait    int // evicted when a budget allows it (Wait, Syncing)
	Never   int // Never, Deadlock or Multiple
	Unknown int
	Stay    int // skipped
	Refused int
}

// Counts sums the pods of a node up by what would happen to them.
func (n NodePlan) Counts() Counts {
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

func (c *Counts) count(b *BudgetJudgement) {
	if b == nil {
		c.Move++
		return
	}
	switch b.Verdict {
	case VerdictEvictable:
		c.Move++
	case VerdictWait, VerdictSyncing:
		c.Wait++
	case VerdictNever, VerdictDeadlock, VerdictMultiple:
		c.Never++
	case VerdictUnknown:
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
