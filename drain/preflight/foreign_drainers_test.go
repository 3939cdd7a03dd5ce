package preflight

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The signs are as the projects write them; the sources are named where the keys
// are.
func TestForeignDrainers(t *testing.T) {
	for name, test := range map[string]struct {
		taints      []corev1.Taint
		annotations map[string]string
		want        []string // "level who words", with the time in brackets
	}{
		"none":                               {nil, nil, nil},
		"ordinary taints":                    {[]corev1.Taint{{Key: "dedicated", Value: "gpu"}, {Key: corev1.TaintNodeUnschedulable}}, nil, nil},
		"autoscaler drains":                  {[]corev1.Taint{{Key: taintToBeDeleted, Value: "1700000000", Effect: corev1.TaintEffectNoSchedule}}, nil, []string{"warning cluster-autoscaler drains it and then deletes its machine [2023-11-14 22:13 UTC]"}},
		"autoscaler, no time":                {[]corev1.Taint{{Key: taintToBeDeleted, Value: "soon"}}, nil, []string{"warning cluster-autoscaler drains it and then deletes its machine"}},
		"autoscaler's candidate":             {[]corev1.Taint{{Key: taintDeletionCandidate, Effect: corev1.TaintEffectPreferNoSchedule}}, nil, []string{"info cluster-autoscaler considers it unneeded and may delete it soon"}},
		"karpenter v1":                       {[]corev1.Taint{{Key: "karpenter.sh/disrupted", Effect: corev1.TaintEffectNoSchedule}}, nil, []string{"warning Karpenter drains it and then deletes it"}},
		"karpenter v1beta1":                  {[]corev1.Taint{{Key: "karpenter.sh/disruption", Value: "disrupting"}}, nil, []string{"warning Karpenter drains it and then deletes it"}},
		"karpenter, not to be disturbed":     {nil, map[string]string{"karpenter.sh/do-not-disrupt": "true"}, []string{"info Karpenter is told to leave it alone (karpenter.sh/do-not-disrupt): somebody wants it undisturbed"}},
		"maintenance operator":               {[]corev1.Taint{{Key: "medik8s.io/drain", Effect: corev1.TaintEffectNoSchedule}}, nil, []string{"warning the node maintenance operator drains it, or keeps it in maintenance"}},
		"maintenance operator of KubeVirt":   {[]corev1.Taint{{Key: "kubevirt.io/drain"}}, nil, []string{"warning the node maintenance operator drains it, or keeps it in maintenance"}},
		"cluster API's old machine":          {[]corev1.Taint{{Key: "node.cluster.x-k8s.io/outdated-revision", Effect: corev1.TaintEffectPreferNoSchedule}}, nil, []string{"info Cluster API plans to replace its machine with a newer one"}},
		"cluster API's next machine to go":   {nil, map[string]string{"cluster.x-k8s.io/delete-machine": ""}, []string{"info Cluster API deletes its machine first when it scales down"}},
		"gardener":                           {nil, map[string]string{"node.machine.sapcloud.io/trigger-deletion-by-mcm": "true"}, []string{"warning the machine controller manager is told to drain it and to delete its machine"}},
		"gardener, called off":               {nil, map[string]string{"node.machine.sapcloud.io/trigger-deletion-by-mcm": "false"}, nil},
		"kured reboots":                      {nil, map[string]string{"weave.works/kured-reboot-in-progress": "2024-01-18T04:58:47Z"}, []string{"warning kured drains and reboots it [2024-01-18T04:58:47Z]"}},
		"kured's lock":                       {nil, map[string]string{"weave.works/kured-node-lock": `{"nodeID":"a"}`}, []string{"warning kured holds its lock to reboot it"}},
		"machine config wants a drain":       {nil, map[string]string{mcoDesired: "drain-rendered-worker-xyz", mcoApplied: "uncordon-rendered-worker-abc", mcoState: "Working"}, []string{"warning the machine-config operator drains it"}},
		"machine config, first drain":        {nil, map[string]string{mcoDesired: "drain-rendered-worker-xyz"}, []string{"warning the machine-config operator drains it"}},
		"machine config has drained":         {nil, map[string]string{mcoDesired: "drain-rendered-worker-xyz", mcoApplied: "drain-rendered-worker-xyz", mcoState: "Working"}, []string{"warning the machine-config operator has drained it and works on it"}},
		"machine config is done":             {nil, map[string]string{mcoDesired: "uncordon-rendered-worker-xyz", mcoApplied: "uncordon-rendered-worker-xyz", mcoState: "Done"}, nil},
		"machine config uncordons":           {nil, map[string]string{mcoDesired: "uncordon-rendered-worker-xyz", mcoApplied: "drain-rendered-worker-xyz", mcoState: "Done"}, nil},
		"machine config works without drain": {nil, map[string]string{mcoDesired: "uncordon-a", mcoApplied: "uncordon-a", mcoState: "Degraded"}, []string{"warning the machine-config operator works on it (state Degraded)"}},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u", Annotations: test.annotations}}
			node.Spec.Taints = test.taints
			var got []string
			for _, d := range foreignDrainers(convert.Node(node)) { // also: the record keeps what is read
				words := string(d.Level) + " " + d.Who + " " + d.Words
				if d.Since != "" {
					words += " [" + d.Since + "]"
				}
				got = append(got, words)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestOtherDrainersAreNamedOnceForAllTheirNodes(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	a, b := kubetest.Node("a"), kubetest.Node("b")
	for _, n := range []*corev1.Node{a, b} {
		n.Spec.Taints = []corev1.Taint{{Key: taintDeletionCandidate}, {Key: taintKarpenter}}
	}
	a.Annotations = map[string]string{kuredRebooting: "today"}
	plan, err := plan.New(kubetest.SnapshotOf(now, a, b), []string{"a", "b"}, plan.DefaultOptions(), now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Check(kubetest.SnapshotOf(now, a, b), plan, Env{Now: now}).Findings {
		if f.Code == FindingOtherDrainer {
			got = append(got, string(f.Level)+" "+f.Message+" "+strings.Join(f.Objects, ","))
		}
	}
	want := []string{
		"warning Karpenter drains it and then deletes it: a and b Node/a,Node/b",
		"warning kured drains and reboots it: a (since today) Node/a",
		"info cluster-autoscaler considers it unneeded and may delete it soon: a and b Node/a,Node/b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAForeignCordonSaysWhoAndWhy(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		cordon kube.Cordon
		want   string
	}{
		"not known": {kube.Cordon{}, ""},
		"kubectl":   {kube.Cordon{Manager: "kubectl-cordon", Since: at}, " by kubectl-cordon since 2026-05-01 10:00 UTC"},
		"a run of ours": {kube.Cordon{Manager: kube.FieldManager, Since: at.Add(time.Hour), Mark: annotation.Mark{Run: "k7f3pm", By: "alice", Reason: "new disk", At: at}.String()},
			` by alice since 2026-05-01 10:00 UTC, run k7f3pm ("new disk")`},
		"our mark is a left-over": {kube.Cordon{Manager: "node-agent", Since: at, Mark: annotation.Mark{Run: "k7f3pm", By: "alice", At: at}.String()},
			" by node-agent since 2026-05-01 10:00 UTC"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cordonWords(&test.cordon); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A drain takes the cordon of another run over, so that its own rollback would make the node
// schedulable: that is a warning. The cordon of a person or another program stays theirs.
func TestATakenOverCordonIsAWarning(t *testing.T) {
	of := func(m annotation.Mark) *kube.Cordon {
		return &kube.Cordon{Manager: kube.FieldManager, Mark: m.String()}
	}
	for name, test := range map[string]struct {
		cordon *kube.Cordon
		warns  bool
	}{
		"a finished run":              {of(annotation.Mark{Run: "k7f3pm", By: "alice", Was: "schedulable"}), true},
		"a run over another's cordon": {of(annotation.Mark{Run: "k7f3pm", By: "alice", Was: "unschedulable"}), false},
		"our command cordon":          {of(annotation.Mark{By: "alice", Was: "schedulable"}), false},
		"kubectl":                     {&kube.Cordon{Manager: "kubectl-cordon"}, false},
	} {
		store := kube.NewStore(time.Now)
		store.Put(&kube.Node{Name: "w1", UID: "w1", Unschedulable: true, Cordon: test.cordon})
		p := plan.Plan{Nodes: []plan.Node{{Name: "w1"}}}
		found := findCordoned(store.Snapshot(), &p, &Env{})
		const warning = "its rollback would make the node schedulable"
		if len(found) != 1 || (found[0].Level == plan.LevelWarning) != test.warns || strings.Contains(found[0].Message, warning) != test.warns {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// The cordon of the run itself is no finding of the plan that its next phase is confirmed by.
func TestTheCordonOfTheRunItselfIsNoFinding(t *testing.T) {
	s := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1")).Snapshot()
	n := *s.Node("w1")
	n.Unschedulable = true
	n.Cordon = &kube.Cordon{Manager: kube.FieldManager, Since: kubetest.Now, Mark: annotation.Mark{Run: "k7f3pm", By: "alice", Was: "schedulable"}.String()}
	store := kubetest.StoreOf(kubetest.Now)
	store.Put(&n)
	s = store.Snapshot()
	for run, want := range map[string]int{"": 1, "other1": 1, "k7f3pm": 0} {
		if got := findCordoned(s, &plan.Plan{Nodes: []plan.Node{{Name: "w1"}}}, &Env{Now: kubetest.Now, Run: run}); len(got) != want {
			t.Errorf("run %q: %+v", run, got)
		}
	}
}
