package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func cordonedNode(manager, mark string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a1", ResourceVersion: "7", Annotations: map[string]string{kube.CordonAnnotation: mark},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}},
		Spec: corev1.NodeSpec{Unschedulable: true},
	}
}

// labelledNode is the node with the label that keeps it from load balancers.
func labelledNode(n *corev1.Node, value string) *corev1.Node {
	return kubetest.ExcludeFromLB(n, kube.FieldManager, value)
}

// With the cordon goes the label of the run, and nothing that somebody has made of it since.
func TestRollbackKeepsALabelThatIsNoLongerOurs(t *testing.T) {
	mark := annotation.Mark{Run: "r1", Was: "schedulable", ExcludedFromLB: true}
	for value, taken := range map[string]bool{"": true, "edge": false} {
		s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "a", UID: "a1"}, Attempts: 1}}}
		undos := rollback.Plan(s, kubetest.SnapshotOf(time.Now(), labelledNode(cordonedNode(kube.FieldManager, mark.String()), value)), time.Now())
		if u := undos[0]; u.Cordon == nil || (u.Cordon.ExcludeFromLB != nil) != taken || strings.Contains(u.What, "label") == taken {
			t.Errorf("%q: %+v, %s", value, u.Cordon, u.What)
		}
	}
}

func TestRollbackUndoesOnlyWhatTheRunDid(t *testing.T) {
	mark := annotation.Mark{Run: "r1", Was: "schedulable"}
	labelled := annotation.Mark{Run: "r1", Was: "unschedulable", ExcludedFromLB: true}
	excluded := annotation.Mark{Run: "r1", Was: "schedulable", ExcludedFromLB: true}
	uncordoned := func(n *corev1.Node) *corev1.Node { n.Spec.Unschedulable = false; return n }
	for name, c := range map[string]struct {
		node     *corev1.Node
		left     string // "" if it is undone
		cordoned bool   // and the node stays so
	}{
		"ours":                                     {cordonedNode(kube.FieldManager, mark.String()), "", false},
		"only the label was ours":                  {labelledNode(cordonedNode("kubectl", labelled.String()), ""), "", true},
		"label changed since":                      {labelledNode(cordonedNode("kubectl", labelled.String()), "edge"), "changed or removed its label", false},
		"label removed since":                      {cordonedNode("kubectl", labelled.String()), "changed or removed its label", false},
		"cordoned again since":                     {cordonedNode("kubectl", mark.String()), "kubectl has cordoned it since", false},
		"label of a node cordoned again since":     {labelledNode(cordonedNode("kubectl", excluded.String()), ""), "", true},
		"label of a node uncordoned since":         {uncordoned(labelledNode(cordonedNode("kubectl", excluded.String()), "")), "", false},
		"label set again by somebody":              {uncordoned(kubetest.ExcludeFromLB(cordonedNode("kubectl", excluded.String()), "kubectl-label", "")), "already schedulable", false},
		"label ours and somebody's":                {uncordoned(kubetest.ExcludeFromLB(labelledNode(cordonedNode("kubectl", excluded.String()), ""), "kubectl-label", "")), "already schedulable", false},
		"label of a later run":                     {labelledNode(cordonedNode("kubectl", annotation.Mark{Run: "r1", Was: "schedulable", ExcludedFromLB: true, ExcludedBy: "r2"}.String()), ""), "kubectl has cordoned it since", false},
		"label changed on a node uncordoned since": {uncordoned(labelledNode(cordonedNode("kubectl", excluded.String()), "edge")), "already schedulable", false},
		"label of another run's":                   {uncordoned(labelledNode(cordonedNode("kubectl", annotation.Mark{Run: "r2", ExcludedFromLB: true}.String()), "")), "already schedulable", false},
		"of another run":                           {cordonedNode(kube.FieldManager, annotation.Mark{Run: "r2", Was: "schedulable"}.String()), "not of this run", false},
		"no mark":                                  {cordonedNode(kube.FieldManager, ""), "not of this run", false},
		"uncordoned since":                         {&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a1"}}, "already schedulable", false},
		"replaced":                                 {&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "other"}}, "another node", false},
		"gone":                                     {nil, "gone", false},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			if c.node != nil {
				objects = append(objects, c.node)
			}
			s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{{NodeFacts: drain.NodeFacts{Name: "a", UID: "a1"}, Attempts: 1}}}
			undos := rollback.Plan(s, kubetest.SnapshotOf(time.Now(), objects...), time.Now())
			if len(undos) != 1 {
				t.Fatalf("%d undos", len(undos))
			}
			u := undos[0]
			if (u.Left == "") != (c.left == "") || !strings.Contains(u.Left, c.left) || (u.Cordon == nil) != (c.left != "") {
				t.Errorf("left %q, request %+v; want left %q", u.Left, u.Cordon, c.left)
			}
			if u.Cordon != nil && u.Cordon.Unschedulable != c.cordoned {
				t.Errorf("request %+v", u.Cordon)
			}
		})
	}
}

func TestRollbackRemovesBudgetsByUID(t *testing.T) {
	budget := func(name string, uid kube.UID) *tempbudget.Record {
		return &tempbudget.Record{Facts: tempbudget.Facts{Namespace: "n", Name: name, UID: uid}, State: tempbudget.Orphaned}
	}
	s := &drain.State{Run: drain.RunFacts{ID: "r1"}, Budgets: []*tempbudget.Record{budget("ours", "1"), budget("theirs", "2"), budget("gone", "3")}}
	s.Budgets = append(s.Budgets, budget("relabelled", "4"))
	undos := rollback.Plan(s, kubetest.SnapshotOf(time.Now(),
		&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "ours", UID: "1",
			Labels: map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: "r1"}}},
		&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "relabelled", UID: "4"}},
		&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "theirs", UID: "99"}}), time.Now())
	if len(undos) != 4 || undos[0].Unguard == nil || undos[0].Unguard.UID != "1" || undos[1].Unguard != nil || undos[2].Unguard != nil || undos[3].Unguard != nil {
		t.Errorf("%+v", undos)
	}
}

// The Lease of a run that died keeps the next one waiting, so it is given back;
// one that another run has taken since is not.
func TestRollbackGivesLeasesBack(t *testing.T) {
	for _, c := range []struct {
		name, holder string
		state        lease.State
		want         bool
		left         string
	}{
		{"held", "r1", lease.Held, true, ""},
		{"asked for, without an answer", "r1", "", true, ""},
		{"taken over", "r2", lease.Held, false, "another run has it"},
		{"gone", "", lease.Held, false, "it is already gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := kubetest.NewSimulation()
			s.AddNode("a")
			if c.holder != "" {
				s.Store.Put(&kube.Lease{Namespace: "kube-system", Name: kube.LeaseName("node-a"), UID: "l", ResourceVersion: "7", Holder: c.holder})
			}
			state := &drain.State{Run: drain.RunFacts{ID: "r1"}, Nodes: []*drain.NodeRun{{
				NodeFacts: drain.NodeFacts{Name: "a", UID: "node-a"}, Lease: &lease.Record{State: c.state},
			}}}
			undos := rollback.Plan(state, s.Snapshot(), time.Now())
			if len(undos) != 1 || (undos[0].Release != nil) != c.want || undos[0].Left != c.left {
				t.Fatalf("%+v", undos)
			}
			if c.want && *undos[0].Release != (request.DeleteLease{Namespace: "kube-system", Name: kube.LeaseName("node-a"), UID: "l", ResourceVersion: "7"}) {
				t.Errorf("%+v", undos[0].Release)
			}
		})
	}
	state := &drain.State{Nodes: []*drain.NodeRun{{Lease: &lease.Record{State: lease.Released}}}}
	if undos := rollback.Plan(state, kubetest.NewSimulation().Snapshot(), time.Now()); len(undos) != 0 {
		t.Errorf("%+v", undos)
	}
}

// A process can die between the end of a node and giving its Lease back: the one
// that resumes the run still does.
func TestResumeGivesBackTheLeaseOfANodeThatIsDone(t *testing.T) {
	s := drain.Fold(&drain.State{Nodes: []*drain.NodeRun{
		{NodeFacts: drain.NodeFacts{Name: "a"}, State: drain.NodeDrained, Lease: &lease.Record{State: lease.Held, Attempt: attempt.Attempt{InFlight: 3}}},
		{NodeFacts: drain.NodeFacts{Name: "b"}, State: drain.NodeDraining, Lease: &lease.Record{State: lease.Held}},
	}}, drain.Event{Seq: 1, Kind: drain.EventResumed, Time: time.Now()})
	if l := s.Nodes[0].Lease; l == nil || l.State != lease.Held || l.InFlight != 0 {
		t.Errorf("of the node that is done: %+v", l)
	}
	if l := s.Nodes[1].Lease; l != nil {
		t.Errorf("of the node that is not done, which is acquired again: %+v", l)
	}
}

// A plan of a later moment may be shorter and have other things to say: what is undone is
// found by what it is, never by its place.
func TestAnUndoIsFoundByWhatItIs(t *testing.T) {
	state := drain.Fold(nil, drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Options: leasing(),
		Nodes: []drain.NodeFacts{{Name: "a", UID: "node-a"}, {Name: "b", UID: "node-b"}}}},
		drain.Event{Seq: 2, Kind: drain.EventNode, Node: "a", NodeState: drain.NodeStopped}, drain.Event{Seq: 3, Kind: drain.EventNode, Node: "b", NodeState: drain.NodeStopped},
		drain.Event{Seq: 4, Kind: drain.EventResumed, Time: time.Now()})
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	for _, n := range []string{"a", "b"} {
		w := request.WriteLease{Node: n, NodeUID: kube.UID("node-" + n), Run: "r1"}
		s.Store.Put(kubetest.Convert(leaseObject(w, types.UID("lease-"+n), "1")))
	}
	before := rollback.Plan(state, s.Snapshot(), time.Now())
	s.Store.Remove(s.Snapshot().LeaseOf("node-a"))
	after := rollback.Plan(state, s.Snapshot(), time.Now())
	if len(before) != 2 || len(after) != 1 {
		t.Fatalf("%+v, then %+v", before, after)
	}
	if u, known := before[0].Planned(after); known {
		t.Errorf("the Lease of a is gone, and %+v is done for it", u)
	}
	if u, known := before[1].Planned(after); !known || u.Node != "b" {
		t.Errorf("%+v", u)
	}
}

// Over a node of a run that is dead itself the Lease lapses: a rollback waits for that, and
// for nothing where the holder lives, has gone on to a cordon of its own, or has lapsed.
func TestOpenHoldOfARollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.Store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Synced, Since: time.Now()})
		marked := func(run string) {
			s.SetNode("a", func(n *corev1.Node) {
				n.Spec.Unschedulable = true
				n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: run, Was: "schedulable"}.String()}
				n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
			})
		}
		lease := func(version string) {
			w := request.WriteLease{Node: "a", NodeUID: "node-a", Run: "r2"}
			s.Store.Put(kubetest.Convert(leaseObject(w, "lease", version)))
		}
		state := drain.Fold(nil, drain.Event{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r1", Nodes: []drain.NodeFacts{{Name: "a", UID: "node-a"}}}},
			drain.Event{Seq: 2, Kind: drain.EventNode, Node: "a", NodeState: drain.NodeCordoned})
		open := func() bool { words, _ := rollback.OpenHold(state, s.Snapshot(), time.Now()); return words != "" }
		marked("r1")
		if open() {
			t.Error("no run has a Lease")
		}
		lease("1")
		if words, lapses := rollback.OpenHold(state, s.Snapshot(), time.Now()); !open() || time.Until(lapses) != kube.LeaseDuration {
			t.Errorf("%q until %s", words, lapses)
		}
		marked("r2")
		if open() {
			t.Error("the other run has cordoned it since: there is nothing to undo")
		}
		marked("r1")
		time.Sleep(time.Second)
		lease("2")
		if open() {
			t.Error("the other run lives")
		}
		time.Sleep(kube.LeaseDuration)
		if open() {
			t.Error("the Lease has lapsed")
		}
		if u := rollback.Plan(state, s.Snapshot(), time.Now())[0]; u.Cordon == nil {
			t.Errorf("it is not undone: %+v", u)
		}
	})
}
