package plan

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// waves hands out turns under each budget over all nodes of a plan. The server
// judges every pod alone and would answer "yes" to each of them; the first wave
// has only as many as the budget allows now, and each later one as many again,
// on the assumption that what was replaced is Ready by then. It is an estimate.
type waves map[kube.UID]int

// next is the wave in which a pod goes, 0 where that cannot be said. b is the
// budget that it is counted under, nil for a pod that costs none.
func (w waves) next(l *budget.Ledger, j *budget.Judgement, b *kube.Budget) int {
	switch j.Verdict {
	case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple, budget.VerdictUnknown:
		return 0
	case budget.VerdictEvictable, budget.VerdictWait, budget.VerdictSyncing:
	}
	if b == nil {
		return 1
	}
	before := w[b.UID]
	w[b.UID]++
	if j.Verdict != budget.VerdictEvictable {
		return 2 + before/l.PerWave(b)
	}
	return w.said(1+before/int(b.DisruptionsAllowed), j)
}

// said notes a wave after the first in the line of the pod.
func (w waves) said(wave int, j *budget.Judgement) int {
	if wave > 1 {
		j.Why += fmt.Sprintf(", its turn is in wave %d", wave)
	}
	return wave
}

// inTurn is the wave in which a pod under the guard goes.
func (w waves) inTurn(g *budget.PlanGuard, j *budget.Judgement) int {
	before := w[g.Key]
	w[g.Key]++
	if g.Free <= 0 {
		away := g.Numbers.Expected - g.Numbers.Needed
		return 2 + before/max(1, int(away))
	}
	return w.said(1+before/g.Free, j)
}
