//go:build lab

package engine

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// Two operators on one node, on a real API server: each with a connection and a
// view of its own.

// leasing are the options of a run that keeps its Leases in the namespace of the
// test.
func (s *stage) leasing() plan.Options {
	o := bareOptions()
	o.LeaseNamespace = s.namespace
	return o
}

// asRun begins a run with that id and confirms everything.
func (s *stage) asRun(run, person string, o plan.Options, nodes ...string) *labRun {
	s.Helper()
	c := s.connect(person)
	kinds := []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindLeases}
	w := watch.Start(s.Context(), c.Cluster, watch.Options{Needs: watch.Whole(withChecklist(kinds)...), LeaseNamespace: s.namespace})
	s.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	s.must(kubetest.WaitSynced(ctx, w, kinds...))
	s.until(w, "the nodes are Ready", func(snap *kube.Snapshot) bool {
		for _, n := range nodes {
			if node := snap.Node(n); node == nil || node.Ready != kube.NodeReady {
				return false
			}
		}
		return true
	})
	plan, err := plan.New(w.Snapshot(), nodes, o, time.Now())
	s.must(err)
	running, stop := context.WithCancel(context.WithoutCancel(s.Context()))
	e, err := Start(running, EngineConfig{Source: w, Writer: c, Now: time.Now}, plan, drain.RunFacts{ID: run, Context: "lab", User: "user-" + run})
	s.must(err)
	s.Cleanup(func() { stop(); <-e.Done() })
	r := &labRun{Engine: e, s: s}
	s.Cleanup(func() {
		if s.Failed() {
			s.Log(r.story())
		}
	})
	r.confirm(drain.PhaseCordon)
	return r
}

// blockedNode is a node with a pod that its budget never lets go, so that a run on
// it lives until it is stopped.
func (s *stage) blockedNode() string {
	s.Helper()
	a := s.addNode("a")
	s.addPod("stuck", a)
	s.addBudget("stuck", "stuck", 1)
	return a
}

func (s *stage) leaseOver(node string) *coordinationv1.Lease {
	s.Helper()
	n, err := s.client.CoreV1().Nodes().Get(s.Context(), node, metav1.GetOptions{})
	s.must(err)
	l, err := s.client.CoordinationV1().Leases(s.namespace).Get(s.Context(), kube.LeaseName(n.UID), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	s.must(err)
	return l
}

func TestLabASecondRunIsRefusedAndMayTakeOver(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.blockedNode()
	first := s.asRun("first2", "", s.leasing(), a)
	first.until("it holds the Lease and has cordoned", func(state *drain.State) bool {
		n := state.Nodes[0]
		return n.Lease != nil && n.Lease.State == lease.Held && n.State == drain.NodeCordoned
	})
	l := s.leaseOver(a)
	if l == nil || *l.Spec.HolderIdentity != "first2" || l.OwnerReferences[0].Kind != "Node" || l.OwnerReferences[0].Name != a {
		t.Fatalf("the Lease is %+v", l)
	}

	refused := s.asRun("second", "", s.leasing(), a)
	state := refused.ends(drain.OutcomeRefused)
	if n := state.Nodes[0]; n.State != drain.NodeRefused || !strings.Contains(n.Message, "held by run first2 of user-first2") || n.Attempts > 0 || state.Sent[attempt.VerbAcquire] > 0 {
		t.Errorf("%s: %s; sent %v", n.State, n.Message, state.Sent)
	}

	o := s.leasing()
	o.TakeOver = []string{"first2"}
	third := s.asRun("third3", "", o, a)
	third.until("it has taken the Lease of", func(state *drain.State) bool {
		n := state.Nodes[0]
		return n.Lease != nil && n.Lease.State == lease.Held
	})
	lost := first.ends(drain.OutcomePartly)
	if n := lost.Nodes[0]; n.State != drain.NodeStopped || n.Lease.State != lease.Lost || !strings.Contains(n.Message, "taken over by run third3 of user-third3") {
		t.Errorf("%s: %s", n.State, n.Message)
	}
	if l := s.leaseOver(a); l == nil || *l.Spec.HolderIdentity != "third3" || *l.Spec.LeaseTransitions != 1 {
		t.Errorf("the Lease is %+v", l)
	}
	third.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
	third.ends(drain.OutcomeAborted)
	if l := s.leaseOver(a); l != nil {
		t.Errorf("the Lease is left behind: %+v", l)
	}
}

// A Lease that is not renewed is free once its time is over by our own clock, its
// own times say what they like; and the run that finds it goes on by itself.
func TestLabTheLeaseOfADeadRunLapses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	s.addPod("web", a)
	n, err := s.client.CoreV1().Nodes().Get(t.Context(), a, metav1.GetOptions{})
	s.must(err)
	dead := s.connect("")
	far := time.Now().Add(100 * time.Hour)
	if answer := dead.CreateLease(t.Context(), request.WriteLease{Namespace: s.namespace, Node: a, NodeUID: n.UID, Run: "killed", By: "bob", Since: far, Renewed: far}); !answer.OK() {
		t.Fatalf("%+v", answer)
	}
	began := time.Now()
	r := s.asRun("after2", "", s.leasing(), a)
	r.until("it waits for a sign of life", func(state *drain.State) bool {
		n := state.Nodes[0]
		return n.Lease != nil && n.Lease.State == lease.Awaited
	})
	r.until("it has taken the Lease", func(state *drain.State) bool { return state.Nodes[0].Lease.State == lease.Held })
	if took := time.Since(began); took < kube.LeaseDuration-time.Second {
		t.Errorf("taken after %s, while the other might live", took)
	}
	r.confirm(drain.PhaseEvict)
	r.ends(drain.OutcomeDone)
	if s.leaseOver(a) != nil {
		t.Error("the Lease is left behind")
	}
}

// Without the right to Leases and to Events a run goes on, and says so.
func TestLabWithoutTheRightToLeases(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	s.addPod("web", a)
	bob := s.addPerson("bob",
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch", "patch"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
		rbacv1.PolicyRule{APIGroups: []string{"apps", "policy"}, Resources: []string{"daemonsets", "poddisruptionbudgets"}, Verbs: []string{"get", "list", "watch"}})
	r := s.asRun("bobrun", bob, s.leasing(), a)
	r.confirm(drain.PhaseEvict)
	state := r.ends(drain.OutcomeDone)
	if n := state.Nodes[0]; n.Lease.State != lease.Disabled || !strings.Contains(n.Lease.Message, `cannot list resource "leases"`) {
		t.Errorf("%s: %s", n.Lease.State, n.Lease.Message)
	}
	<-r.Done()
	if !strings.Contains(r.Silent(), `cannot create resource "events"`) {
		t.Errorf("silent: %q", r.Silent())
	}
}

// Whoever describes the node reads there what the run did.
func TestLabDescribeNodeTellsOfTheRun(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	s.addPod("web", a)
	o := s.leasing()
	o.Reason = "new disk"
	r := s.asRun("teller", "", o, a)
	r.confirm(drain.PhaseEvict)
	r.ends(drain.OutcomeDone)
	<-r.Done()
	text, err := exec.CommandContext(t.Context(), kubetest.LabSetting(t, "KDRAIN_LAB"), "kubectl",
		"--dir", kubetest.LabSetting(t, "KDRAIN_LAB_DIR"), "describe", "node", a).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	_, events, _ := strings.Cut(string(text), "Events:")
	for _, want := range []string{kube.ReasonDrainStarted, kube.ReasonDrainDone, "run teller of user-teller", "new disk", kube.FieldManager} {
		if !strings.Contains(events, want) {
			t.Errorf("kubectl describe node does not show %q:\n%s", want, events)
		}
	}
}
