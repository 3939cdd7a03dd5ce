package kube_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestNoChangeIsNoChange(t *testing.T) {
	s := kube.NewStore(time.Now)
	pod := &corev1.Pod{}
	pod.Name, pod.UID, pod.Labels = "p", "u", map[string]string{"app": "x"}
	pod.Finalizers = []string{"example.com/keep"}
	s.Put(convert.Pod(pod))
	before := s.Snapshot()
	changed := s.Changed(t.Context())
	<-changed

	pod.Annotations = map[string]string{"unused": "value"}
	pod.ResourceVersion = "2"
	s.Put(convert.Pod(pod))
	s.Put(before.Pod("u"))
	s.Remove(&kube.Pod{UID: "other"})
	if s.Snapshot() != before {
		t.Error("a change of what is not kept made another snapshot")
	}
	select {
	case <-changed:
		t.Error("and was announced")
	default:
	}

	pod.Status.Phase = corev1.PodRunning
	s.Put(convert.Pod(pod))
	after := s.Snapshot()
	if after.Gen() <= before.Gen() || after.Pod("u") == before.Pod("u") {
		t.Error("a change did not raise the generation, or kept the record")
	}
	<-changed
}

func TestStaleWhileDown(t *testing.T) {
	at := time.Unix(1000, 0)
	s := kubetest.StoreOf(at)
	if !s.Snapshot().Trusted(kube.KindPods, kube.KindBudgets) {
		t.Error("not trusted while live")
	}
	s.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied, Reason: "no"})
	s.SetHealth(kube.Health{DownSince: at.Add(time.Second), Reason: "refused"})
	snapshot := s.Snapshot()
	if got := snapshot.Sync(kube.KindPods); got.Phase != kube.Stale || got.Reason != "refused" || !got.Since.Equal(at.Add(time.Second)) {
		t.Errorf("pods: %+v", got)
	}
	if got := snapshot.Sync(kube.KindBudgets); got.Phase != kube.Denied {
		t.Errorf("budgets: %+v", got)
	}
	if snapshot.Trusted() || snapshot.Trusted(kube.KindPods) {
		t.Error("trusted while down")
	}
}

func TestNodesAndWorkloads(t *testing.T) {
	s := kubetest.StoreOf(time.Unix(0, 0))
	s.Put(&kube.Node{Name: "n", UID: "new"}, &kube.Workload{Kind: "Job", Namespace: "a", Name: "j", UID: "w1"},
		&kube.Workload{Kind: "Deployment", Namespace: "a", Name: "j", UID: "w2"})
	s.Remove(&kube.Node{Name: "n", UID: "old"})
	snapshot := s.Snapshot()
	if snapshot.Node("n") == nil {
		t.Error("the deletion of an older node took its namesake")
	}
	if snapshot.Sync(kube.KindJobs).Count != 1 || snapshot.Sync(kube.KindDeployments).Count != 1 || snapshot.Sync(kube.KindReplicaSets).Count != 0 {
		t.Error("wrong counts")
	}
	if snapshot.WorkloadNamed("Job", "a", "j").UID != "w1" || snapshot.Workload("w2").Kind != "Deployment" ||
		snapshot.WorkloadNamed("Job", "b", "j") != nil || snapshot.Workload("none") != nil {
		t.Error("wrong workloads")
	}
	s.Replace(kube.Scope{Kind: kube.KindJobs}, nil, 0, kube.SyncState{Phase: kube.Synced})
	if s.Snapshot().Workload("w1") != nil || s.Snapshot().Workload("w2") == nil || s.Snapshot().Sync(kube.KindJobs).Count != 0 {
		t.Error("an empty list of jobs left or took the wrong ones")
	}
	s.Remove(&kube.Node{Name: "n", UID: "new"}, &kube.Workload{Kind: "Deployment", Namespace: "a", Name: "j", UID: "w2"})
	if s.Snapshot().Sync(kube.KindNodes).Count != 0 || snapshot.Sync(kube.KindNodes).Count != 1 {
		t.Error("removed from the wrong snapshot")
	}
}

func TestBudgetMovesItsSelector(t *testing.T) {
	s := kubetest.StoreOf(time.Unix(0, 0))
	s.Put(&kube.Pod{Namespace: "a", Name: "x", UID: "x", Labels: labels.Set{"app": "x"}},
		&kube.Pod{Namespace: "a", Name: "y", UID: "y", Labels: labels.Set{"app": "y"}})
	for _, app := range []string{"x", "y"} {
		b := &kube.Budget{Namespace: "a", Name: "b", UID: "b", Selector: labels.SelectorFromSet(labels.Set{"app": app})}
		s.Put(b)
		if got := s.Snapshot().PodsUnder(b); len(got) != 1 || got[0].Name != app {
			t.Errorf("under app=%s: %v", app, got)
		}
	}
	s.Put(&kube.Budget{Namespace: "a", Name: "nil", UID: "nil"})
	if got := s.Snapshot().BudgetsOf(s.Snapshot().Pod("x")); len(got) != 0 {
		t.Errorf("a budget without a selector selects: %v", got)
	}
}

func TestServerTime(t *testing.T) {
	s := kube.NewStore(time.Now)
	s.SetHealth(kube.Health{Live: true, Offset: 3 * time.Second})
	if got := s.Snapshot().ServerTime(time.Unix(10, 0)); !got.Equal(time.Unix(13, 0)) {
		t.Errorf("server time %v", got)
	}
}

// What is made of a snapshot is made again where the server goes away, and not each time it answers.
func TestAContactIsNoNewGeneration(t *testing.T) {
	s := kube.NewStore(time.Now)
	changed := s.Changed(t.Context())
	<-changed
	s.SetHealth(kube.Health{Live: true, LastContact: time.Unix(1, 0)})
	first := s.Snapshot()
	s.SetHealth(kube.Health{Live: true, LastContact: time.Unix(2, 0)})
	<-changed
	second := s.Snapshot()
	if second.Gen() != first.Gen() || second.Health().LastContact.Equal(first.Health().LastContact) {
		t.Errorf("generation %d after %d, last contact %s", second.Gen(), first.Gen(), second.Health().LastContact)
	}
	s.SetHealth(kube.Health{DownSince: time.Unix(3, 0)})
	if down := s.Snapshot(); down.Gen() == second.Gen() || down.Health().Live {
		t.Errorf("generation %d after %d, live %v", down.Gen(), second.Gen(), down.Health().Live)
	}
}

// Kubelets tell that they live all the time: what is made of a snapshot is not made again for that.
func TestAHeartbeatIsNoNewGeneration(t *testing.T) {
	s, at := kube.NewStore(time.Now), time.Unix(100, 0)
	changed := s.Changed(t.Context())
	<-changed
	put := func(edit func(n *kube.Node)) *kube.Snapshot {
		t.Helper()
		n := &kube.Node{Name: "w1", UID: "u1", ResourceVersion: "1", Ready: kube.NodeReady, ReadySince: at, Heartbeat: at,
			Labels: map[string]string{"pool": "a"}}
		edit(n)
		s.Put(n)
		<-changed
		return s.Snapshot()
	}
	first := put(func(*kube.Node) {})
	beat := func(n *kube.Node) { n.ResourceVersion, n.Heartbeat = "2", at.Add(time.Minute) }
	second := put(beat)
	if n := second.Node("w1"); second.Gen() != first.Gen() || n.ResourceVersion != "2" || !n.Heartbeat.After(at) {
		t.Errorf("generation %d after %d with %+v", second.Gen(), first.Gen(), n)
	}
	for name, edit := range map[string]func(n *kube.Node){
		"label":   func(n *kube.Node) { beat(n); n.Labels = map[string]string{"pool": "b"} },
		"cordon":  func(n *kube.Node) { beat(n); n.Unschedulable = true },
		"unknown": func(n *kube.Node) { beat(n); n.Ready = kube.NodeUnknown },
		"back":    func(n *kube.Node) { beat(n); n.Ready, n.Heartbeat = kube.NodeUnknown, at.Add(time.Hour) },
	} {
		before := s.Snapshot().Gen()
		if after := put(edit).Gen(); after == before {
			t.Errorf("%s: still generation %d", name, after)
		}
	}
}
