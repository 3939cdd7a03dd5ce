package verdict

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// The counts of a plan are those of the effects on its pods, without zeros.
func TestCounts(t *testing.T) {
	pods := func(of ...plan.Pod) plan.Node { return plan.Node{Name: "w1", Pods: of} }
	evict := func(v budget.Verdict) plan.Pod {
		return plan.Pod{Action: plan.ActionEvict, Budget: &budget.Judgement{Verdict: v}}
	}
	lost := plan.Pod{Action: plan.ActionEvict, NotRemade: "it has no controller and will not be recreated"}
	fine, waits, never := evict(budget.VerdictEvictable), evict(budget.VerdictWait), evict(budget.VerdictNever)
	data, down := fine, fine
	data.Ephemeral, down.Down = true, 1
	stays, refused := plan.Pod{Action: plan.ActionSkip}, plan.Pod{Action: plan.ActionRefuse}
	for _, c := range []struct {
		node  plan.Node
		want  string
		level plan.Level
	}{
		{pods(), "no pods", plan.LevelInfo},
		{pods(fine, fine, stays), "2 move, 1 stays", plan.LevelInfo},
		{pods(fine, never, never, stays, stays), "2 blocked, 1 moves, 2 stay", plan.LevelError},
		{pods(fine, waits, evict(budget.VerdictUnknown)), "1 with unknown budgets, 1 waits, 1 moves", plan.LevelWarning},
		{pods(fine, lost), "1 lost, 1 moves", plan.LevelError},
		{pods(data, down), "1 down until Ready, 1 loses data, 2 move", plan.LevelWarning},
		{pods(fine, lost, refused, stays), "1 refused, 2 untouched, 1 stays", plan.LevelError},
		{pods(plan.Pod{Action: plan.ActionDelete}), "1 deleted", plan.LevelWarning},
	} {
		counts := OfNode(&c.node)
		var said []string
		for _, w := range counts.Words() {
			said = append(said, w.Text)
		}
		if got := strings.Join(said, ", "); got != c.want || counts.Level() != c.level {
			t.Errorf("%q (%s), want %q (%s)", got, counts.Level(), c.want, c.level)
		}
	}
	all := plan.Plan{Nodes: []plan.Node{pods(fine), {Name: "w2", Pods: []plan.Pod{refused, fine}}}, Options: plan.Options{AllOrNothing: true}}
	if c := OfPlan(&all); c.Of(plan.Refused) != 1 || c.Of(plan.Untouched) != 2 || c.Of(plan.Moves) != 0 {
		t.Errorf("all or nothing: %+v", c)
	}
}
