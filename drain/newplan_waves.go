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

// perWave is how many pods a budget lets go at a time that allows none now,
// once all of its pods are healthy.
func (l *ledger) perWave(b *kube.Budget) int {
	return max(1, int(l.page(b).steady-b.DesiredHealthy))
}
