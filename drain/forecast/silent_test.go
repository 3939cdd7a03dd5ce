package forecast

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// No time is told of a node from which no pod can end, as its kubelet is silent.
func TestSilentNodeHasNoSpan(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, append(kubetest.Ready("shop/api", 2, 2, []string{"w1", "w2"}),
		kubetest.Node("w1", kubetest.Roomy), kubetest.Node("w2", kubetest.Roomy, kubetest.Silent), kubetest.Node("w3", kubetest.Roomy))...)
	e := Of(s, plantest.New(t, s, plantest.Options(), "w1", "w2"), kubetest.Now)
	if e.SpanOf("w1") == nil || e.SpanOf("w2") != nil {
		t.Errorf("%+v", e.Nodes)
	}
}
