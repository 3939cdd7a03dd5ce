package nodes

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

var now = time.Date(2026, 8, 21, 14, 2, 11, 0, time.UTC)

func TestCordonedBy(t *testing.T) {
	mark := annotation.Mark{Run: "k7f3", By: "ada", Reason: "kernel", At: now.Add(-time.Hour)}.String()
	for _, c := range []struct {
		node kube.Node
		want string
	}{
		{kube.Node{}, ""},
		{kube.Node{Unschedulable: true}, "Cordoned."},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: "kubectl-cordon", Since: now.Add(-3 * time.Hour)}}, "Cordoned by kubectl-cordon, 3h ago."},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: kube.FieldManager, Mark: mark}}, `Cordoned with kdrain-tui by ada for run k7f3, 1h ago: "kernel".`},
		{kube.Node{Unschedulable: true, Cordon: &kube.Cordon{Manager: "kubectl-uncordon", Mark: mark}}, "Cordoned by kubectl-uncordon."},
	} {
		if got := wording.CordonedBy(&c.node, now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestKubectlDeleteBudget(t *testing.T) {
	want := "kubectl --context=prod delete pdb -n web kdrain-k7f3-x"
	if got := kubectlDeleteBudget(plan.Target{Context: "prod"}, "web", "kdrain-k7f3-x"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
