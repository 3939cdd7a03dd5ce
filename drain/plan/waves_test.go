package plan

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestTurns(t *testing.T) {
	api := func(on ...string) []runtime.Object {
		return kubetest.Ready("shop/api", int32(len(on)), int32(len(on)), on)
	}
	join := func(parts ...[]runtime.Object) (all []runtime.Object) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	one := []string{"w1"}
	table := []struct {
		name    string
		nodes   []string
		objects []runtime.Object
		want    string
	}{
		{"nothing", one, nil, ""},
		{"no budget", one, api("w1", "w1"), "2 now"},
		{"a budget", one, append(api("w1", "w1", "w1"), kubetest.Budget("shop/api", 2, 3, 1, 3)), "1 now, 1 after api is Ready, then 1"},
		{"two budgets", one, join(api("w1", "w1"), kubetest.Ready("shop/web", 3, 3, []string{"w1", "w1", "w1"}),
			[]runtime.Object{kubetest.Budget("shop/api", 1, 2, 1, 2), kubetest.Budget("shop/web", 2, 3, 1, 3)}),
			"2 now, 2 after api and web are Ready, 1 after web is Ready"},
		{"many waves", one, append(api("w1", "w1", "w1", "w1", "w1", "w1", "w1", "w1"), kubetest.Budget("shop/api", 7, 8, 1, 8)),
			"1 now, 1 after api is Ready, then 1, then 1, then 1, then 3 in 3 more waves"},
		{"never", one, append(api("w1", "w1"), kubetest.Budget("shop/api", 2, 2, 0, 2)), "2 blocked"},
		{"one node after the other", []string{"w1", "w2"}, api("w1", "w2"), "2 without waiting"},
		{"a node that is refused", []string{"w1", "w2"}, append(api("w1", "w2", "w2"), kubetest.Pod("shop/daemon", kubetest.OwnedBy("apps/v1", "DaemonSet", "d"), kubetest.On("w2")),
			kubetest.DaemonSet("shop/d")), "1 without waiting, 2 on refused nodes"},
		{"an unhealthy pod", one, join(kubetest.Ready("shop/cart", 3, 2, []string{"w1", "w1"}), []runtime.Object{
			kubetest.Pod("shop/cart-9", kubetest.ByDeployment("cart"), kubetest.On("w9"), kubetest.Crashing(time.Hour)), kubetest.Budget("shop/cart", 2, 2, 0, 3)}),
			"2 once cart-9 is Ready"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			objects := row.objects
			for _, n := range row.nodes {
				objects = append(objects, kubetest.Node(n))
			}
			plan := mustPlan(t, kubetest.SnapshotOf(kubetest.Now, objects...), flags(force), row.nodes...)
			if got := plan.Waves().String(); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestEstimateWords(t *testing.T) {
	at := time.Date(2026, 11, 21, 13, 40, 0, 0, time.UTC)
	waves := []int{1}
	for want, e := range map[string]Estimate{
		"":                           {},
		"about 5s (estimate)":        {Waves: waves, Total: time.Second},
		"about 45s (estimate)":       {Waves: waves, Total: 44 * time.Second},
		"about 3m (estimate)":        {Waves: waves, Total: 170 * time.Second},
		"very roughly 2d (estimate)": {Waves: waves, Total: 50 * time.Hour, Rough: true},
		"about 2m (estimate); not counting 1 pod that cannot leave yet": {Waves: waves, Total: 2 * time.Minute, Held: 1},
		"about 1h (estimate); not before 14:40 UTC: data/kafka-2 has 1h of grace": {
			Waves: waves, Total: time.Hour, LowerBound: time.Hour, Longest: "data/kafka-2", LongestGrace: time.Hour},
		"about 12h (estimate); not before 2026-11-22 01:40 UTC: data/kafka-2 may take 12h to end": {
			Waves: waves, Total: 12 * time.Hour, LowerBound: 12 * time.Hour, Longest: "data/kafka-2", LongestGrace: 24 * time.Hour},
	} {
		if got := e.Words(at); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
