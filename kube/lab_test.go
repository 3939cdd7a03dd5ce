//go:build lab

package kube

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The tests of this file run against a real control plane: a lab whose
// kubeconfig KDRAIN_LAB_KUBECONFIG names. They evict a pod and cordon a node.

func labFlags(t *testing.T, contextName string) *Flags {
	t.Helper()
	path := os.Getenv("KDRAIN_LAB_KUBECONFIG")
	if path == "" {
		t.Fatal("KDRAIN_LAB_KUBECONFIG does not name the kubeconfig of a lab")
	}
	f := &Flags{Kubeconfig: path}
	f.Overrides.CurrentContext = contextName
	return f
}

func labConnect(t *testing.T, contextName string) *Cluster {
	t.Helper()
	c, err := Connect(t.Context(), labFlags(t, contextName), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func labWatch(t *testing.T, c *Cluster) *Watcher {
	t.Helper()
	w := c.Watch(t.Context(), WatchOptions{})
	t.Cleanup(w.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := w.WaitSynced(ctx, Kinds...); err != nil {
		for _, k := range Kinds {
			t.Logf("%s: %+v", k, w.Snapshot().Sync(k))
		}
		t.Fatal(err)
	}
	return w
}

// until waits for what a snapshot must show.
func until(t *testing.T, w *Watcher, what string, done func(*Snapshot) bool) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
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
	if err != nil || version != EvictionV1 {
		t.Errorf("evictions: %q, %v", version, err)
	}
	t.Logf("%+v, %+v", id, c.Requests())
}

// Other packages change the same lab meanwhile. A snapshot is older than the list
// that it is compared with, so where they differ a change is still to come.
func TestLabCountsEqualLists(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	for _, k := range Kinds {
		if k == KindUsage {
			continue
		}
		var ours metav1.ListOptions
		if k == KindLeases { // those of others are not looked at
			ours.LabelSelector = ManagedByLabel + "=" + ManagedByValue
		}
		until(t, w, fmt.Sprintf("as many %s are watched as a list has", k), func(s *Snapshot) bool {
			list, err := sources[k].list(c.reads)(t.Context(), ours)
			if err != nil {
				t.Fatal(err)
			}
			state := s.Sync(k)
			want := lenOf(t, list)
			t.Logf("%-24s %v, %d objects, a list has %d %s", k, state.Phase, state.Count, want, state.Reason)
			return state.Phase == Synced && state.Count == want
		})
	}
	s := w.Snapshot()
	if s.Sync(KindUsage).Phase != Synced || len(s.nodeUsage) == 0 || len(s.podUsage) == 0 {
		t.Errorf("usage: %+v", s.Sync(KindUsage))
	}
	t.Logf("requests: %+v, offset %v", c.Requests(), s.Health().Offset)
}

func TestLabCordonConflict(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	node := schedulableNode(t, w.Snapshot())
	request := CordonRequest{Node: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, Unschedulable: true, Mark: `{"run":"test"}`}

	stale := request
	stale.ResourceVersion = "1"
	if a := c.Cordon(t.Context(), stale); a.Code != 409 || a.Reason != metav1.StatusReasonConflict {
		t.Errorf("with an old resourceVersion: %+v", a)
	}
	other := request
	other.UID = "00000000-0000-0000-0000-000000000000"
	if a := c.Cordon(t.Context(), other); a.Code != 422 {
		t.Errorf("with another UID: %+v", a)
	}
	dry := request
	dry.DryRun = true
	if a := c.Cordon(t.Context(), dry); !a.OK() {
		t.Errorf("dry run: %+v", a)
	}
	a := c.Cordon(t.Context(), request)
	if !a.OK() || a.AuditID == "" || a.ServerTime.IsZero() || a.UID != node.UID || a.ResourceVersion == "" {
		t.Errorf("cordon: %+v", a)
	}
	s := until(t, w, "the node is cordoned", func(s *Snapshot) bool { return s.Node(node.Name).Unschedulable })
	if got := s.Node(node.Name).Cordon; got.Manager != FieldManager || got.Mark != request.Mark || time.Since(got.Since) > time.Minute {
		t.Errorf("provenance: %+v", got)
	}
	back := CordonRequest{Node: node.Name, UID: node.UID}
	if a := c.Cordon(t.Context(), back); !a.OK() {
		t.Errorf("uncordon: %+v", a)
	}
	s = until(t, w, "the node is schedulable", func(s *Snapshot) bool { return !s.Node(node.Name).Unschedulable })
	if n := s.Node(node.Name); n.Cordon != nil || n.Annotations[CordonAnnotation] != "" {
		t.Errorf("after uncordon: %+v", n)
	}
}

func schedulableNode(t *testing.T, s *Snapshot) *Node {
	t.Helper()
	for _, n := range s.Nodes() {
		if !n.Unschedulable && n.Ready == NodeReady {
			return n
		}
	}
	t.Fatal("the lab has no schedulable node")
	return nil
}

func TestLabEvict(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	victim := freePod(t, w.Snapshot())
	request := EvictRequest{Namespace: victim.Namespace, Name: victim.Name, UID: "00000000-0000-0000-0000-000000000000"}

	if a := c.Evict(t.Context(), request); a.Code != 409 || a.Reason != metav1.StatusReasonConflict {
		t.Errorf("with another UID: %+v", a)
	}
	request.UID = victim.UID
	request.DryRun = true
	if a := c.Evict(t.Context(), request); !a.OK() {
		t.Errorf("dry run: %+v", a)
	}
	pod, a := c.LivePod(t.Context(), victim.Namespace, victim.Name)
	if pod == nil || pod.UID != victim.UID || pod.Terminating() || a.UID != victim.UID {
		t.Errorf("after a dry run: %+v, %+v", pod, a)
	}
	request.DryRun = false
	if a := c.Evict(t.Context(), request); a.Code != 201 || a.AuditID == "" {
		t.Errorf("evict: %+v", a)
	}
	until(t, w, "the pod is gone", func(s *Snapshot) bool { return s.Trusted(KindPods) && s.Pod(victim.UID) == nil })
	if _, a := c.LivePod(t.Context(), victim.Namespace, "no-such-pod"); a.Code != 404 {
		t.Errorf("a pod that is not there: %+v", a)
	}
	if got := c.Requests(); got.Evictions != 3 || got.Writes != 0 {
		t.Errorf("requests: %+v", got)
	}
}

// freePod is a pod that nothing protects and that a controller replaces.
func freePod(t *testing.T, s *Snapshot) *Pod {
	t.Helper()
	for _, p := range s.Pods() {
		if p.Owner != nil && p.Owner.Kind == "ReplicaSet" && p.RunningAndReady() && !p.Terminating() && len(s.BudgetsOf(p)) == 0 {
			return p
		}
	}
	t.Fatal("the lab has no pod that nothing protects")
	return nil
}

func TestLabRestricted(t *testing.T) {
	c := labConnect(t, "restricted")
	w := c.Watch(t.Context(), WatchOptions{})
	t.Cleanup(w.Close)
	s := until(t, w, "budgets are denied", func(s *Snapshot) bool { return s.Sync(KindBudgets).Phase == Denied })
	if s.Sync(KindBudgets).Reason == "" || s.Trusted(KindBudgets) {
		t.Errorf("budgets: %+v", s.Sync(KindBudgets))
	}
	results, err := c.CheckAccess(t.Context(), []Permission{
		{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"}, {Verb: "list", Resource: "pods"},
	})
	if err != nil || results[0].Allowed || !results[1].Allowed {
		t.Errorf("access: %+v, %v", results, err)
	}
}

func TestLabReadOnly(t *testing.T) {
	flags := labFlags(t, "")
	flags.ReadOnly = true
	c, err := Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := labWatch(t, c)
	victim := freePod(t, w.Snapshot())
	request := EvictRequest{Namespace: victim.Namespace, Name: victim.Name, UID: victim.UID}
	if a := c.Evict(t.Context(), request); a.OK() || !a.Unsent {
		t.Errorf("an eviction went through: %+v", a)
	}
	request.DryRun = true
	if a := c.Evict(t.Context(), request); !a.OK() {
		t.Errorf("a dry run was refused: %+v", a)
	}
}
