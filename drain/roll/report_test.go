package roll

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The report of a roll shows what the cluster has of each node now, and tells where that was not looked up.
func TestTheReportShowsTheNodesAsTheyAre(t *testing.T) {
	run := &State{}
	r := Report{Outcome: drain.OutcomePartly, Batches: []BatchReport{{Batch: 1}}}
	for _, name := range []string{"back", "cordoned", "silent", "new", "gone"} {
		run.Nodes = append(run.Nodes, Node{Name: name, UID: kubetest.Node(name).UID})
		r.Nodes = append(r.Nodes, NodeReport{Name: name, Batch: 1})
	}
	run.Nodes[3].UID = "before"
	if text := r.Text(); strings.Contains(text, "NOW") {
		t.Errorf("not compared: %s", text)
	}
	r.Unchecked = "the API server does not answer"
	for form, text := range map[string]string{"text": r.Text(), "Markdown": r.Markdown()} {
		if !strings.Contains(text, "the nodes were not compared with the cluster: the API server does not answer") {
			t.Errorf("%s: %s", form, text)
		}
	}
	r.Unchecked = ""
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	silent := func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
	store := kubetest.StoreOf(kubetest.Now, kubetest.Node("back"), kubetest.Node("cordoned", cordoned),
		kubetest.Node("silent", silent), kubetest.Node("new"))
	r.Check(run, store.Snapshot(), kubetest.Now)
	var now []string
	for _, n := range r.Nodes {
		now = append(now, n.Now)
	}
	want := []string{"Ready", "Ready,SchedulingDisabled", "NotReady", "replaced by another node with its name", "deleted"}
	if !slices.Equal(now, want) || !strings.Contains(r.Text(), "NOW") || !r.CheckedAt.Equal(kubetest.Now) {
		t.Errorf("%q, want %q: %s", now, want, r.Text())
	}
}
