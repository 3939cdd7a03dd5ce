package budgets

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// row is one budget and what it means for a drain.
type row struct {
	budget.Numbers
	key      string
	verdict  budget.Verdict // of its first member, "" where it has none
	why      string
	advice   []budget.Advice
	members  []*kube.Pod
	sick     []*kube.Pod // of the members: not healthy
	nodes    []string    // that its members run on
	overlaps []string    // other budgets that select one of its members too
}

// rowsOf are all budgets, those that allow no eviction first.
func rowsOf(s *kube.Snapshot, now time.Time) []*row {
	tracker := budget.NewTracker(s, now)
	tracker.Advises = true
	var rows []*row
	for _, b := range s.Budgets() {
		r := &row{Numbers: budget.NumbersOf(b), key: string(b.UID), members: s.PodsUnder(b)}
		for _, p := range r.members {
			r.add(s, b, p)
		}
		slices.Sort(r.nodes)
		r.nodes = slices.Compact(r.nodes)
		if p := r.asked(); p != nil {
			j, _ := tracker.Judge(p, func(kube.UID) bool { return false })
			r.verdict, r.why, r.advice = j.Verdict, j.Why, j.Advice
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Namespace, b.Namespace),
			strings.Compare(a.Name, b.Name))
	})
	return rows
}

// add counts a member.
func (r *row) add(s *kube.Snapshot, b *kube.Budget, p *kube.Pod) {
	if p.Node != "" {
		r.nodes = append(r.nodes, p.Node)
	}
	if !p.Healthy() && !p.Finished() {
		r.sick = append(r.sick, p)
	}
	for _, other := range s.BudgetsOf(p) {
		if other != b && !slices.Contains(r.overlaps, other.Name) {
			r.overlaps = append(r.overlaps, other.Name)
		}
	}
}

// asked is the member whose eviction the budget is judged by: a healthy one where it has one.
func (r *row) asked() *kube.Pod {
	if i := slices.IndexFunc(r.members, func(p *kube.Pod) bool { return p.Healthy() }); i >= 0 {
		return r.members[i]
	}
	if len(r.members) > 0 {
		return r.members[0]
	}
	return nil
}

// holds reports whether it blocks a drain of the nodes of its members as it is now.
func (r *row) holds() bool {
	return r.verdict != "" && r.verdict != budget.VerdictEvictable && r.verdict != budget.VerdictUnknown
}

// rank orders budgets: what can never let a pod go first, what nothing is under last.
func (r *row) rank() int {
	switch {
	case r.verdict == budget.VerdictNever || r.verdict == budget.VerdictMultiple:
		return 0
	case r.holds():
		return 1
	case r.verdict == "":
		return 3
	}
	return 2
}

// state is glyph and word.
func (r *row) state() paint.Line {
	switch {
	case r.verdict == budget.VerdictNever:
		return paint.L(themes.Bad, paint.Bad+" never")
	case r.verdict == budget.VerdictMultiple:
		return paint.L(themes.Bad, paint.Bad+" several")
	case r.verdict == budget.VerdictManaged:
		return paint.L(themes.Warning, paint.Wait+" managed")
	case r.verdict == budget.VerdictSyncing:
		return paint.L(themes.Warning, paint.Asked+" syncing")
	case r.holds():
		return paint.L(themes.Warning, paint.Wait+" blocks")
	case r.verdict == "":
		return paint.L(themes.Muted, paint.Hollow+" no pods")
	case r.verdict == budget.VerdictUnknown:
		return paint.L(themes.Warning, paint.Unknown+" unknown")
	}
	return paint.L(themes.Good, paint.Good+" allows")
}
