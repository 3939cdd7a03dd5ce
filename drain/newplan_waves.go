package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// waves hands out turns under each budget over all nodes of a plan. The server
// judges every pod alone and would answer "yes" to each of them; the first wave
// has only as many as the budget allows now, and each later one as many again,
// on the assumption that what was replaced is Ready by then. It is an estimate.
type waves map[kube.UID]int

// next is the wave in which a pod goes, 0 where that cannot be said. b is the
// budget that it is counted under, nil for a pod that costs none.
func (w waves) next(l *ledger, j *BudgetJudgement, b *kube.Budget) int {
	switch j.Verdict {
	case VerdictNever, VerdictDeadlock, VerdictMultiple, VerdictUnknown:
		return 0
	case VerdictEvictable, VerdictWait, VerdictSyncing:
	}
	if b == nil {
		return 1
	}
	before := w[b.UID]
	w[b.UID]++
	if j.Verdict != VerdictEvictable {
		return 2 + before/l.perWave(b)
	}
	return w.said(1+before/int(b.DisruptionsAllowed), j)
}

// said notes a wave after the first in the line of the pod.
func (w waves) said(wave int, j *BudgetJudgement) int {
	if wave > 1 {
		j.Why += fmt.Sprintf(", its turn is in wave %d", wave)
	}
	return wave
}

// inTurn is the wave in which a pod under the guard goes.
func (w waves) inTurn(g *planGuard, j *BudgetJudgement) int {
	before := w[g.key]
	w[g.key]++
	if g.free <= 0 {
		away := g.numbers.Expected - g.numbers.Needed
		return 2 + before/max(1, int(away))
	}
	return w.said(1+before/g.free, j)
}
