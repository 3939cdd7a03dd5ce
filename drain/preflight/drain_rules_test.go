package preflight

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The rules of Cluster API on one node with a pod of each kind: what each does there, in which wave it
// goes, and what the plan as a whole says; and where they are not honored, not known or not there.
func TestDrainRules(t *testing.T) {
	labelled := func(key, value string) kubetest.PodOption {
		return func(p *corev1.Pod) { p.Labels = map[string]string{key: value} }
	}
	store := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1"), kubetest.DaemonSet("shop/agent"),
		kubetest.Pod("shop/plain", kubetest.On("w1")),
		kubetest.Pod("shop/late", kubetest.On("w1"), labelled("app", "late")),
		kubetest.Pod("shop/kept", kubetest.On("w1"), labelled("app", "kept"), kubetest.WithEmptyDir),
		kubetest.Pod("shop/job", kubetest.On("w1"), labelled("app", "job")),
		kubetest.Pod("shop/bad", kubetest.On("w1"), labelled("app", "bad")),
		kubetest.Pod("shop/done", kubetest.On("w1"), labelled("app", "kept"), kubetest.Phase(corev1.PodSucceeded)),
		kubetest.Pod("shop/named", kubetest.On("w1"), func(p *corev1.Pod) {
			p.Labels = map[string]string{"app": "late", "cluster.x-k8s.io/drain": "Wait-Completed"}
		}),
		kubetest.Pod("shop/static", kubetest.On("w1"), kubetest.Mirrored, labelled("app", "job")),
		kubetest.Pod("shop/agent", kubetest.On("w1"), kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), labelled("app", "kept")))
	of := func(app string) []clusterapi.Selector {
		return []clusterapi.Selector{{Own: labels.SelectorFromSet(labels.Set{"app": app}), Of: labels.Everything()}}
	}
	all := &clusterapi.Rules{
		Machines: []clusterapi.Machine{{Namespace: "fleet", Name: "m1", Node: "w1"}},
		Rules: []clusterapi.Rule{
			{Namespace: "fleet", Name: "late", Behavior: "Drain", Order: 3, Pods: of("late")},
			{Namespace: "fleet", Name: "kept", Behavior: "Skip", Pods: of("kept")},
			{Namespace: "fleet", Name: "job", Behavior: "WaitCompleted", Pods: of("job")},
			{Namespace: "fleet", Name: "bad", Behavior: "Explode", Pods: of("bad")},
		},
	}
	unread := "MachineDrainRules are not known: no right; Cluster API may skip pods of these nodes, wait for them or drain them in another order"
	noMachine := "of the Machines of w1 not all is known: no Machine refers to it; of the MachineDrainRules those that select Machines by what is not known are left out"
	ruled := *all
	ruled.Machines = nil
	plain := map[string]string{"plain": "evict in wave 1", "late": "evict in wave 1", "kept": "evict in wave 1", "job": "evict in wave 1", "bad": "evict in wave 1",
		"done": "evict in wave 1", "named": "evict in wave 1", "static": "skip", "agent": "skip"}
	obeyed := map[string]string{"plain": "evict in wave 1", "late": "evict in wave 2, order 3", "kept": "skip", "job": "evict in wave 1", "bad": "refuse",
		"done": "evict in wave 1", "named": "evict in wave 1", "static": "skip", "agent": "skip"}
	skipped := "warning: MachineDrainRules keep pods where they are, so the drain does not empty the nodes: Pod shop/kept"
	shown := "info: MachineDrainRules are not obeyed without --honor=cluster-api; Cluster API would drain these pods in another way: "
	for _, c := range []struct {
		name     string
		read     *clusterapi.Rules
		honors   bool
		pods     map[string]string
		findings []string
	}{
		{"honored", all, true, obeyed, []string{skipped}},
		{"shown", all, false, plain, []string{shown}},
		{"no machine", &ruled, true, obeyed, []string{skipped, "warning: " + noMachine}},
		{"no machine, not honored", &ruled, false, plain, []string{shown, "info: " + noMachine}},
		{"no right", &clusterapi.Rules{Hidden: "no right"}, true, plain, []string{"warning: " + unread + ", and this drain will not, whatever --honor says"}},
		{"no right, not honored", &clusterapi.Rules{Hidden: "no right"}, false, plain, []string{"info: " + unread}},
		{"none", &clusterapi.Rules{}, true, plain, nil},
		{"not read", nil, true, plain, []string{"warning: MachineDrainRules are not read yet: the plan does not obey them, and no run of it begins"}},
		{"not read, not honored", nil, false, plain, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			store.SetDrainRules(c.read)
			s, o := store.Snapshot(), plan.DefaultOptions()
			o.Force, o.IgnoreDaemonSets, o.DeleteEmptyDirData = true, true, true
			if c.honors {
				o.Honor = []plan.Honored{plan.HonorClusterAPI}
			}
			planned, err := plan.New(s, []string{"w1"}, o, kubetest.Now)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range planned.Nodes[0].Pods {
				got := string(p.Action)
				if p.Wave > 0 {
					got += " in wave " + string('0'+rune(p.Wave))
				}
				if p.Order != 0 {
					got += ", order " + string('0'+rune(p.Order))
				}
				if got != c.pods[p.Name] {
					t.Errorf("%s: %s, want %s: %+v", p.Name, got, c.pods[p.Name], p.Reasons)
				}
				waits := slices.ContainsFunc(p.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonWaitForCompletion })
				if want := c.honors && (p.Name == "named" || p.Name == "job" && c.pods["late"] != plain["late"]); waits != want {
					t.Errorf("%s waits for its completion: %t", p.Name, waits)
				}
			}
			var found []string
			for _, f := range Check(s, planned, Env{Now: kubetest.Now}).Findings {
				if strings.HasPrefix(f.Code, FindingDrainRules) {
					found = append(found, string(f.Level)+": "+f.Message)
				}
			}
			if !slices.EqualFunc(found, c.findings, func(got, want string) bool { return got == want || want == shown && strings.HasPrefix(got, want) }) {
				t.Errorf("findings\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(c.findings, "\n"))
			}
			if kept := planned.Options.DrainRules != nil; kept != (c.honors && c.read != nil) {
				t.Errorf("the options keep the rules: %t", kept)
			}
			planned.Nodes[0].Pods = slices.DeleteFunc(planned.Nodes[0].Pods, func(p plan.Pod) bool { return p.Name == "bad" }) // which refuses the node
			if words := planned.Waves().String(); strings.Contains(words, "1 after the pods of a lower order have left") != (c.pods["late"] != plain["late"]) {
				t.Errorf("waves %q", words)
			}
		})
	}
}
