package report

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// left is the cluster as the drain of the chronicle left it, but for a change.
func left(change func(n *corev1.Node, p *corev1.Pod)) *kube.Store {
	n := kubetest.Node("worker-1", kubetest.CordonedBy(kube.FieldManager))
	n.UID = "n1"
	n.Annotations = map[string]string{kube.CordonAnnotation: `{"by":"ada","run":"k7f3pm","was":"schedulable"}`}
	p := kubetest.Pod("shop/db-0", kubetest.On("worker-2"))
	p.UID = "db-0"
	change(n, p)
	return kubetest.StoreOf(kubetest.Now, n, p)
}

func TestWhatWasDoneSinceIsNotLeftToDo(t *testing.T) {
	const uncordon, look = "node worker-1 was left cordoned", "pod shop/db-0 is still on worker-2"
	const scoped = "the nodes of the run first"
	events := aDrain().ended()
	for name, c := range map[string]struct {
		change func(n *corev1.Node, p *corev1.Pod)
		sync   kube.SyncState
		todo   []string
		since  []string
	}{
		"nothing": {func(*corev1.Node, *corev1.Pod) {}, kube.SyncState{Phase: kube.Synced}, []string{uncordon, look}, nil},
		"both": {func(n *corev1.Node, p *corev1.Pod) { n.Spec.Unschedulable, p.UID = false, types.UID("db-0-new") },
			kube.SyncState{Phase: kube.Synced}, nil,
			[]string{"uncordon node worker-1: it is already schedulable", "pod shop/db-0 has left worker-2"}},
		"the node is deleted and made again": {func(n *corev1.Node, _ *corev1.Pod) { n.UID = "n9" },
			kube.SyncState{Phase: kube.Synced}, []string{look}, []string{"uncordon node worker-1: another node has its name"}},
		"only the nodes of the run are known": {
			func(n *corev1.Node, p *corev1.Pod) { n.Spec.Unschedulable, p.UID = false, types.UID("db-0-new") },
			kube.SyncState{Phase: kube.NotSynced, Reason: scoped}, nil,
			[]string{"uncordon node worker-1: it is already schedulable", "pod shop/db-0 has left worker-2"}},
		"not known": {func(n *corev1.Node, p *corev1.Pod) { n.Spec.Unschedulable, p.UID = false, types.UID("db-0-new") },
			kube.SyncState{Phase: kube.NotSynced}, []string{uncordon, look}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			store := left(c.change)
			for _, kind := range []kube.Kind{kube.KindNodes, kube.KindPods} {
				store.SetSync(kind, c.sync)
			}
			if c.sync.Reason == scoped {
				store.SetPhase(kube.Scope{Kind: kube.KindNodes, Node: "worker-1"}, kube.Synced, "")
				store.SetPhase(kube.Scope{Kind: kube.KindPods, Node: "worker-2"}, kube.Synced, "")
			}
			r := Of(events, false)
			r.Check(drain.Fold(nil, events...), store.Snapshot(), kubetest.Now)
			if !slices.EqualFunc(r.ToDo, c.todo, func(d ToDo, want string) bool { return strings.HasPrefix(d.What, want) }) {
				t.Errorf("left to do: %+v", r.ToDo)
			}
			if !slices.Equal(r.Since, c.since) {
				t.Errorf("since: %q", r.Since)
			}
			gone := !slices.Contains(c.todo, uncordon)
			if n := r.Nodes[0]; n.Cordoned == gone || n.CordonGone != gone || strings.Contains(r.Result(nil).Text(), "uncordon worker-1") == gone {
				t.Errorf("%+v\n%s", n, r.Result(nil).Text())
			}
			for _, text := range []string{r.Story(), r.Markdown()} {
				if len(c.todo) > 0 && !strings.Contains(text, "Left to do at "+utc(kubetest.Now)) ||
					strings.Contains(text, "Done since the run ended") != (c.since != nil) {
					t.Error(text)
				}
			}
		})
	}
	r := Of(events, false)
	r.Unchecked = "connection refused"
	if text := r.Story(); !strings.Contains(text, "Left to do when the run ended; not compared with the cluster: connection refused\n") {
		t.Error(text)
	}
}

// A node that has left the cluster is not to be uncordoned, and the report is of its retirement.
func TestReportOfARetirement(t *testing.T) {
	c := aDrain()
	c.events[0].Run.Retire = &retire.Order{HostExec: "ssh {node} sh", DeleteNode: true}
	for _, e := range c.ended() {
		c.at = e.Time
	}
	if title, _, _ := strings.Cut(Of(c.events, false).Markdown(), "\n"); title != "# Retirement of `worker-1`, `worker-2`: partly drained" {
		t.Error(title)
	}
	for _, step := range retire.Steps {
		c.add(0, drain.Event{Kind: drain.EventRetire, Node: "worker-1", By: "ada",
			Retire: &retire.Facts{Step: step, Status: retire.Done}})
	}
	r := Of(c.events, false)
	text := r.Story()
	if strings.Contains(text, "uncordon worker-1") || !strings.Contains(text, "retire worker-1 worker-2 --context=prod ") ||
		!strings.Contains(text, "--host-exec='ssh {node} sh' --delete-node") {
		t.Error(text)
	}
}
