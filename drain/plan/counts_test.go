package plan

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The counts of a plan are those of the fates of its pods, without zeros.
func TestCounts(t *testing.T) {
	pods := func(of ...Pod) Node { return Node{Name: "w1", Pods: of} }
	evict := func(v budget.Verdict) Pod {
		return Pod{Action: ActionEvict, Budget: &budget.Judgement{Verdict: v}}
	}
	lost := Pod{Action: ActionEvict, NotRemade: "it has no controller and will not be recreated"}
	fine, waits, never := evict(budget.VerdictEvictable), evict(budget.VerdictWait), evict(budget.VerdictNever)
	data, down := fine, fine
	data.Ephemeral, down.Down = true, true
	stays, refused := Pod{Action: ActionSkip}, Pod{Action: ActionRefuse}
	for _, c := range []struct {
		node  Node
		want  string
		level Level
	}{
		{pods(), "no pods", LevelInfo},
		{pods(fine, fine, stays), "2 move, 1 stays", LevelInfo},
		{pods(fine, never, never, stays, stays), "1 moves, 2 blocked, 2 stay", LevelError},
		{pods(fine, waits, evict(budget.VerdictUnknown)), "1 moves, 1 waits, 1 with unknown budgets", LevelWarning},
		{pods(fine, lost), "1 moves, 1 lost", LevelError},
		{pods(data, down), "2 move, 1 down until Ready, 1 loses data", LevelWarning},
		{pods(fine, lost, refused, stays), "1 refused, 2 untouched, 1 stays", LevelError},
		{pods(Pod{Action: ActionDelete}), "1 deleted", LevelWarning},
	} {
		counts := c.node.Counts()
		var said []string
		for _, w := range counts.Words() {
			said = append(said, w.Text)
		}
		if got := strings.Join(said, ", "); got != c.want || counts.Level() != c.level {
			t.Errorf("%q (%s), want %q (%s)", got, counts.Level(), c.want, c.level)
		}
	}
	all := Plan{Nodes: []Node{pods(fine), {Name: "w2", Pods: []Pod{refused, fine}}}, Options: Options{AllOrNothing: true}}
	if c := all.Counts(); c.Refused != 1 || c.Untouched != 2 || c.Move != 0 {
		t.Errorf("all or nothing: %+v", c)
	}
}

// A workload is down when all its healthy pods leave at once.
func TestDowntime(t *testing.T) {
	ready := func(name string, wanted, healthy int32, on ...string) []runtime.Object {
		return kubetest.Ready("shop/"+name, wanted, healthy, on)
	}
	with := func(objects []runtime.Object, more ...runtime.Object) []runtime.Object {
		return append(objects, more...)
	}
	parallel := func(o *Options) { o.MaxParallelNodes = 2 }
	for name, c := range map[string]struct {
		objects []runtime.Object
		options []func(*Options)
		down    int
	}{
		"the only pod":                    {ready("db", 1, 1, "w1"), nil, 1},
		"another stays":                   {ready("web", 2, 2, "w1", "w9"), nil, 0},
		"both on one node":                {ready("web", 2, 2, "w1", "w1"), nil, 2},
		"a budget keeps them apart":       {with(ready("web", 2, 2, "w1", "w1"), kubetest.Budget("shop/web", 1, 2, 1, 2)), nil, 0},
		"node after node":                 {ready("web", 2, 2, "w1", "w2"), nil, 0},
		"both nodes at once":              {ready("web", 2, 2, "w1", "w2"), []func(*Options){parallel}, 2},
		"it has no Ready pod already":     {[]runtime.Object{kubetest.Pod("shop/x-1", kubetest.ByDeployment("x"), kubetest.On("w1"), kubetest.Crashing(0))}, nil, 0},
		"without a controller it is lost": {[]runtime.Object{kubetest.Pod("shop/x", kubetest.On("w1"))}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(c.objects, kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w9"))
			change := append([]func(*Options){force}, c.options...)
			plan := mustPlan(t, kubetest.SnapshotOf(kubetest.Now, objects...), flags(change...), "w1", "w2")
			down := 0
			EachMove(plan, func(p *Pod) {
				if p.Down {
					down++
				}
			})
			if down != c.down {
				t.Errorf("%d down, want %d", down, c.down)
			}
		})
	}
}
