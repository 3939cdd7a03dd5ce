package preflight

import (
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestExcluded(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.Pod("shop/a", kubetest.On("w1")), kubetest.Pod("shop/b", kubetest.On("w1")))
	o := plan.DefaultOptions()
	o.Force, o.ExcludePods = true, []string{"shop/a", "shop/typo"}
	planned, err := plan.New(s, []string{"w1"}, o, kubetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Check(s, planned, Env{Now: kubetest.Now}).Findings {
		if strings.HasPrefix(f.Code, "Excluded") {
			got = append(got, f.Code+": "+f.Message)
		}
	}
	want := []string{"Excluded: 1 pod is excluded by hand, so the drain does not empty the nodes: shop/a", "ExcludedUnknown: --exclude-pod names no pod of these nodes: shop/typo"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// Why the pod is refused elsewhere is no matter: it stays, and its node is drained.
	for _, p := range planned.Nodes[0].Pods {
		if p.Name == "a" && (p.Action != plan.ActionSkip || len(p.Reasons) != 1 || p.Reasons[0].Code != plan.ReasonExcluded) {
			t.Errorf("%+v", p)
		}
		if p.Name == "b" && p.Action != plan.ActionEvict {
			t.Errorf("%+v", p)
		}
	}
}
