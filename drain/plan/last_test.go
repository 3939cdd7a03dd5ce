package plan

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A chosen pod of a DaemonSet is in the wave after the last of its node, and no other node is looked for.
func TestPodsThatGoLast(t *testing.T) {
	agent := func(node string) runtime.Object {
		return kubetest.Pod("shop/agent-"+node, kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), kubetest.On(node))
	}
	base := append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w1", "w1"}), kubetest.DaemonSet("shop/agent"), agent("w1"), agent("w2"),
		kubetest.Node("w1"), kubetest.Node("w2"))
	o := flags(force)
	if err := o.Flags().Set("evict-daemonsets", "app=agent"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		budget runtime.Object
		waves  string
		w1, w2 int
	}{
		{"a budget", kubetest.Budget("shop/api", 2, 3, 1, 3), "1 without waiting, 1 after api is Ready, then 1, 2 after all others of their node", 4, 1},
		{"one that blocks", kubetest.Budget("shop/api", 3, 3, 0, 3), "2 after all others of their node, 3 blocked", 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(base[:len(base):len(base)], row.budget)...)
			p := mustPlan(t, s, o, "w1", "w2")
			if got := p.Waves().String(); got != row.waves {
				t.Errorf("waves %q, want %q", got, row.waves)
			}
			waves := map[string]int{}
			EachMove(p, func(pod *Pod) {
				if pod.GoesLast() {
					if !pod.Effects().Has(Last) {
						t.Errorf("%s: %s", pod.Name, pod.Effects())
					}
					waves[pod.Node] = pod.Wave
					if pod.Landing != nil || pod.Down > 0 {
						t.Errorf("%s: landing %+v, down %d", pod.Name, pod.Landing, pod.Down)
					}
				}
			})
			if waves["w1"] != row.w1 || waves["w2"] != row.w2 {
				t.Errorf("waves %v", waves)
			}
		})
	}

	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var back Options
	if err := json.Unmarshal(text, &back); err != nil || back.EvictDaemonSets != "app=agent" || back.daemonSets == nil {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"evictDaemonSets": "a=("}`), &back); err == nil {
		t.Error("a bad selector is read")
	}
}
