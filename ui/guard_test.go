package ui

import (
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// guarded is the company with a workload of three replicas and no budget.
func guarded() world {
	w := company()
	selector := labels.SelectorFromSet(labels.Set{"app": "search"})
	w.Put(&kube.Workload{Kind: "Deployment", Namespace: "shop", Name: "search", UID: "deploy-search", Replicas: 3, Selector: selector})
	w.Put(&kube.Workload{Kind: "ReplicaSet", Namespace: "shop", Name: "search-7f9c", UID: "rs-search", Replicas: 3, Selector: selector,
		Owner: &kube.Owner{APIVersion: "apps/v1", Kind: "Deployment", Name: "search", UID: "deploy-search"}})
	w.pod("worker-a1", "shop", "search-7f9c-aaaaa", "search")
	w.pod("worker-b1", "shop", "search-7f9c-bbbbb", "search")
	return w
}

// toGuardQuestion starts a run with --guard-write, up to its first question.
func toGuardQuestion(t testing.TB, w, h int) *driver {
	d := drive(t, guarded(), w, h, usual, func(d *Deps) { d.Options.Guard, d.Options.GuardWrite = "25%", true })
	d.list(frame.Nodes).Table.Select("worker-a1")
	ask := func(s *drain.State) {
		s.Phase, s.Phases = drain.PhaseGuard, map[drain.Phase]drain.PhaseStatus{drain.PhaseCheck: drain.PhaseDone, drain.PhaseGuard: drain.PhaseAsks}
		s.Question = &drain.Question{Phase: drain.PhaseGuard, Since: moment}
	}
	start := d.start
	d.start = func(p plan.Plan) (live.Run, error) {
		r, err := start(p)
		d.run.set(ask)
		return r, err
	}
	d.keys("D", "D", "y")
	return d
}

func TestTheGuardQuestionNamesItsWorkloads(t *testing.T) {
	d := toGuardQuestion(t, 100, 30)
	d.shows("Create temporary budgets?", "1 workload gets a budget", "It lets 25%", "shop  Deployment/search")
	d.quiet()
	d.keys("y")
	if n := len(d.run.sent); n != 1 || d.run.sent[0] != (drain.Confirm{Phase: drain.PhaseGuard, By: "ada"}) {
		t.Fatalf("sent %#v", d.run.sent)
	}
	d.change(func(s *drain.State) {
		s.Question = nil
		s.Phases[drain.PhaseGuard] = drain.PhaseRuns
		s.Budgets = []*tempbudget.Record{{Facts: tempbudget.Facts{Namespace: "shop", Owner: "Deployment/search"}, State: tempbudget.Created}}
	})
	d.shows("▶ guard", "shop/Deployment/search ◐ created, not observed yet")
	d.change(func(s *drain.State) {
		s.Phase, s.Question = drain.PhaseCordon, &drain.Question{Phase: drain.PhaseCordon, Since: moment}
	})
	if n := len(d.run.sent); n != 2 || d.run.sent[1].(drain.Confirm).Phase != drain.PhaseCordon {
		t.Fatalf("the cordon was confirmed with the start: sent %#v", d.run.sent)
	}
}
