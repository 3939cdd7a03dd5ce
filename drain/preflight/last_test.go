package preflight

import (
	"slices"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestEvictDaemonSets(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.Node("w2"), kubetest.DaemonSet("shop/agent"),
		kubetest.Pod("shop/agent-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), kubetest.On("w1"), kubetest.Tolerating("", "Exists")),
		kubetest.Pod("shop/a", kubetest.On("w1")), kubetest.Pod("shop/b", kubetest.On("w2")))
	for _, row := range []struct {
		selector string
		exclude  []string
		want     []string
	}{
		{"", []string{"shop/a"}, nil},
		{"app=agent", nil, nil},
		{"app=none", nil, []string{"NoDaemonSetChosen: --evict-daemonsets=app=none chooses no pod of a DaemonSet on these nodes"}},
		{"app=agent", []string{"shop/a", "shop/b"}, []string{
			"DaemonSetBeforeItsUsers: stays on a node whose DaemonSet pods are evicted (--evict-daemonsets) and may need them: Pod shop/a"}},
	} {
		o := plan.DefaultOptions()
		o.Force, o.IgnoreDaemonSets, o.ExcludePods = true, true, row.exclude
		if err := o.Flags().Set("evict-daemonsets", row.selector); err != nil {
			t.Fatal(err)
		}
		planned, err := plan.New(s, []string{"w1", "w2"}, o, kubetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Check(s, planned, Env{Now: kubetest.Now}).Findings {
			switch f.Code {
			case FindingNoneLast, FindingUsersRemain, FindingToleratesCordon:
				got = append(got, f.Code+": "+f.Message)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got  %q\nwant %q", row.selector, got, row.want)
		}
	}
}
