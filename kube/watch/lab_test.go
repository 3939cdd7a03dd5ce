//go:build lab

package watch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// The tests of this file run against a real control plane: a lab whose
// kubeconfig KDRAIN_LAB_KUBECONFIG names. They evict a pod and cordon a node.

// patience is for what takes a second on an idle machine.
const patience = 90 * time.Second

func labFlags(t *testing.T, contextName string) *conn.Flags {
	t.Helper()
	path := os.Getenv("KDRAIN_LAB_KUBECONFIG")
	if path == "" {
		t.Fatal("KDRAIN_LAB_KUBECONFIG does not name the kubeconfig of a lab")
	}
	f := &conn.Flags{Kubeconfig: path}
	f.Overrides.CurrentContext = contextName
	return f
}

func labConnect(t *testing.T, contextName string) *conn.Cluster {
	t.Helper()
	c, err := conn.Connect(t.Context(), labFlags(t, contextName), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func labWatch(t *testing.T, c *conn.Cluster) *Watcher {
	t.Helper()
	w := Start(t.Context(), c, Options{Needs: Whole(kube.Kinds...)})
	t.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := kubetest.WaitSynced(ctx, w, kube.Kinds...); err != nil {
		for _, k := range kube.Kinds {
			t.Logf("%s: %+v", k, w.Snapshot().Sync(k))
		}
		t.Fatal(err)
	}
	return w
}

// until waits for what a snapshot must show.
func until(t *testing.T, w *Watcher, what string, done func(*kube.Snapshot) bool) *kube.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	changed := w.Changed(ctx)
	for {
		s := w.Snapshot()
		if done(s) {
			return s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("waiting until %s: %v", what, ctx.Err())
		}
	}
}

func TestLabConnect(t *testing.T) {
	c := labConnect(t, "")
	id := c.Identity()
	if id.User == "" || id.Version == "" || len(id.ClusterID) != 36 || id.Why != "" || id.Server == "" {
		t.Errorf("identity: %+v", id)
	}
	version, err := c.EvictionSupport(t.Context())
	if err != nil || version != conn.EvictionV1 {
		t.Errorf("evictions: %q, %v", version, err)
	}
	t.Logf("%+v", id)
}

// Other packages change the same lab meanwhile. A snapshot is older than the list
// that it is compared with, so where they differ a change is still to come.
func TestLabCountsEqualLists(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	for _, k := range kube.Kinds {
		if k == kube.KindUsage {
			continue
		}
		until(t, w, fmt.Sprintf("as many %s are watched as a list has", k), func(s *kube.Snapshot) bool {
			list, err := queryOf(c.Reads(), kube.Scope{Kind: k}, "").list(t.Context(), listOptions{})
			if err != nil {
				t.Fatal(err)
			}
			state := s.Sync(k)
			want := lenOf(t, list)
			t.Logf("%-24s %v, %d objects, a list has %d %s", k, state.Phase, state.Count, want, state.Reason)
			return state.Phase == kube.Synced && state.Count == want
		})
	}
	s := until(t, w, "the usage is known", func(s *kube.Snapshot) bool {
		return s.Sync(kube.KindUsage).Phase == kube.Synced && s.Sync(kube.KindUsage).Count > 0
	})
	t.Logf("offset %v", s.Health().Offset)
}

func TestLabCordonConflict(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	node := schedulableNode(t, w)
	req := request.Cordon{Node: node.Name, UID: node.UID, Unschedulable: true, Mark: `{"run":"test"}`}
	other := req
	other.UID = "00000000-0000-0000-0000-000000000000"
	if a := write.New(c).Cordon(t.Context(), other); a.Code != 422 {
		t.Errorf("with another UID: %+v", a)
	}
	stale := req
	stale.ResourceVersion = "1"
	if a := write.New(c).Cordon(t.Context(), stale); a.Code != 409 || a.Reason != metav1.StatusReasonConflict {
		t.Errorf("with an old resourceVersion: %+v", a)
	}
	cordon := func(n *kube.Node) kube.Answer {
		req.ResourceVersion = n.ResourceVersion
		return write.New(c).Cordon(t.Context(), req)
	}
	req.DryRun = true
	onNewest(t, w, node.Name, cordon)
	req.DryRun = false
	began := time.Now().Truncate(time.Second) // managed fields know whole seconds
	if a := onNewest(t, w, node.Name, cordon); a.AuditID == "" || a.UID != node.UID || a.ResourceVersion == "" {
		t.Errorf("cordon: %+v", a)
	}
	s := until(t, w, "the node is cordoned", func(s *kube.Snapshot) bool { return s.Node(node.Name).Unschedulable })
	if got := s.Node(node.Name).Cordon; got.Manager != kube.FieldManager || got.Mark != req.Mark || got.Since.Before(began) {
		t.Errorf("provenance: %+v", got)
	}
	back := request.Cordon{Node: node.Name, UID: node.UID}
	if a := write.New(c).Cordon(t.Context(), back); !a.OK() {
		t.Errorf("uncordon: %+v", a)
	}
	s = until(t, w, "the node is schedulable", func(s *kube.Snapshot) bool { return !s.Node(node.Name).Unschedulable })
	if n := s.Node(node.Name); n.Cordon != nil || n.Annotations[kube.CordonAnnotation] != "" {
		t.Errorf("after uncordon: %+v", n)
	}
}

// onNewest sends a request about the newest version of a node, again where the node
// has changed since: its kubelet may write to it at any time.
func onNewest(t *testing.T, w *Watcher, node string, send func(*kube.Node) kube.Answer) kube.Answer {
	t.Helper()
	var a kube.Answer
	until(t, w, "the newest version of the node is taken", func(s *kube.Snapshot) bool {
		a = send(s.Node(node))
		if !a.OK() && a.Code != 409 {
			t.Fatalf("%+v", a)
		}
		return a.OK()
	})
	return a
}

// schedulableNode waits for one of the scene.
func schedulableNode(t *testing.T, w *Watcher) (found *kube.Node) {
	t.Helper()
	until(t, w, "a node is schedulable", func(s *kube.Snapshot) bool {
		for _, n := range s.Nodes() {
			if ofTheScene(n) && !n.Unschedulable && n.Ready == kube.NodeReady {
				found = n
				return true
			}
		}
		return false
	})
	return found
}

// ofTheScene tells whether a node belongs to no test of another package, which may
// just be taking its own away, with all that is on it.
func ofTheScene(n *kube.Node) bool {
	return n != nil && !slices.ContainsFunc(n.Taints, func(taint corev1.Taint) bool { return taint.Key == "test.kdrain-tui.dev/own" })
}

func TestLabEvict(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	victim := freePod(t, w)
	request := request.Evict{Namespace: victim.Namespace, Name: victim.Name, UID: "00000000-0000-0000-0000-000000000000"}

	if a := write.New(c).Evict(t.Context(), request); a.Code != 409 || a.Reason != metav1.StatusReasonConflict {
		t.Errorf("with another UID: %+v", a)
	}
	request.UID = victim.UID
	request.DryRun = true
	if a := write.New(c).Evict(t.Context(), request); !a.OK() {
		t.Errorf("dry run: %+v", a)
	}
	pod, a := write.New(c).LivePod(t.Context(), victim.Namespace, victim.Name)
	if pod == nil || pod.UID != victim.UID || pod.Terminating() || a.UID != victim.UID {
		t.Errorf("after a dry run: %+v, %+v", pod, a)
	}
	request.DryRun = false
	if a := write.New(c).Evict(t.Context(), request); a.Code != 201 || a.AuditID == "" {
		t.Errorf("evict: %+v", a)
	}
	until(t, w, "the pod is gone", func(s *kube.Snapshot) bool { return s.Trusted(kube.KindPods) && s.Pod(victim.UID) == nil })
	if _, a := write.New(c).LivePod(t.Context(), victim.Namespace, "no-such-pod"); a.Code != 404 {
		t.Errorf("a pod that is not there: %+v", a)
	}
}

// freePod waits for a pod of the scene that nothing protects and that a controller
// replaces.
func freePod(t *testing.T, w *Watcher) (found *kube.Pod) {
	t.Helper()
	until(t, w, "a pod is protected by nothing", func(s *kube.Snapshot) bool {
		for _, p := range s.Pods() {
			if p.Owner != nil && p.Owner.Kind == "ReplicaSet" && p.Healthy() &&
				len(s.BudgetsOf(p)) == 0 && ofTheScene(s.Node(p.Node)) {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

func TestLabRestricted(t *testing.T) {
	c := labConnect(t, "restricted")
	w := Start(t.Context(), c, Options{Needs: Whole(kube.Kinds...)})
	t.Cleanup(w.Close)
	s := until(t, w, "budgets are denied", func(s *kube.Snapshot) bool { return s.Sync(kube.KindBudgets).Phase == kube.Denied })
	if s.Sync(kube.KindBudgets).Reason == "" || s.Trusted(kube.KindBudgets) {
		t.Errorf("budgets: %+v", s.Sync(kube.KindBudgets))
	}
	results, err := c.CheckAccess(t.Context(), []request.Permission{
		{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"}, {Verb: "list", Resource: "pods"},
	})
	if err != nil || results[0].Allowed || !results[1].Allowed {
		t.Errorf("access: %+v, %v", results, err)
	}
}

func TestLabReadOnly(t *testing.T) {
	flags := labFlags(t, "")
	flags.ReadOnly = true
	c, err := conn.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := labWatch(t, c)
	victim := freePod(t, w)
	request := request.Evict{Namespace: victim.Namespace, Name: victim.Name, UID: victim.UID}
	if a := write.New(c).Evict(t.Context(), request); a.OK() || !a.Unsent {
		t.Errorf("an eviction went through: %+v", a)
	}
	request.DryRun = true
	if a := write.New(c).Evict(t.Context(), request); !a.OK() {
		t.Errorf("a dry run was refused: %+v", a)
	}
}
