package kube_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

func podOn(node, name, version string, change ...func(*corev1.Pod)) *kube.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: kube.UID("uid-" + name), ResourceVersion: version}}
	p.Spec.NodeName = node
	for _, c := range change {
		c(p)
	}
	return convert.Pod(p)
}

func terminating(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func synced() kube.SyncState { return kube.SyncState{Phase: kube.Synced} }

var ofN = kube.Scope{Kind: kube.KindPods, Node: "n"}

// scopedStore has the pods of node n by a feed of its own, listed at version 100: a
// and b. Those of all nodes are still coming in.
func scopedStore() *kube.Store {
	s := kube.NewStore(time.Now)
	s.SetHealth(kube.Health{Live: true})
	s.SetSync(kube.KindPods, kube.SyncState{})
	s.SetSync(kube.KindNodes, synced())
	s.Open(ofN)
	s.Put(podOn("m", "elsewhere", "5"))
	s.Replace(ofN, []kube.Record{podOn("n", "a", "10"), podOn("n", "b", "20")}, 100, synced())
	return s
}

// trustedOn tells whether a node itself and the pods on it are complete and live.
func trustedOn(s *kube.Snapshot, node string) bool {
	return s.On(node).Trusted(kube.KindNodes, kube.KindPods)
}

func names(pods []*kube.Pod) string {
	all := make([]string, len(pods))
	for i, p := range pods {
		all[i] = p.Name
	}
	return strings.Join(all, " ")
}

func TestListOfANodeSaysNothingOfOthers(t *testing.T) {
	store := scopedStore()
	s := store.Snapshot()
	if got := names(s.PodsOn("m")); got != "elsewhere" {
		t.Errorf("the other node has %q", got)
	}
	if !trustedOn(s, "n") || trustedOn(s, "m") || s.Trusted(kube.KindPods) || s.Sync(kube.KindPods).Phase != kube.NotSynced {
		t.Error("what is known of one node is taken for more, or for less")
	}
	store.SetHealth(kube.Health{Reason: "refused"})
	if down := store.Snapshot(); trustedOn(down, "n") || down.On("n").Sync(kube.KindPods).Phase != kube.Stale {
		t.Errorf("trusted while the server does not answer: %+v", down.On("n").Sync(kube.KindPods))
	}
}

// The list of all pods may be older than what the watch of the node has told since.
func TestOlderListUndoesNothing(t *testing.T) {
	s := scopedStore()
	s.Remove(podOn("n", "a", "110"))           // seen deleted by the watch of the node
	s.Put(podOn("n", "b", "120", terminating)) // and terminating
	s.Put(podOn("n", "late", "130"))           // and new
	for _, old := range []*kube.Pod{podOn("n", "a", "10"), podOn("", "late", "105"), podOn("n", "never", "90"), podOn("n", "b", "20")} {
		s.Put(old) // page by page
	}
	s.Replace(kube.Scope{Kind: kube.KindPods}, []kube.Record{podOn("n", "a", "10"), podOn("n", "b", "20"), podOn("m", "elsewhere", "5")}, 105, synced())
	snap := s.Snapshot()
	if got := names(snap.PodsOn("n")); got != "b late" {
		t.Errorf("on the node: %q", got)
	}
	if b := snap.Pod("uid-b"); b == nil || !b.Terminating() {
		t.Errorf("b: %+v", b)
	}
	if len(snap.PodsOn("")) != 0 || !snap.Trusted(kube.KindPods) || !trustedOn(snap, "m") {
		t.Error("the list of all pods is not taken over")
	}
	// What is newer than the list of the node counts, by whichever feed it comes.
	s.Put(podOn("n", "first by the other", "140"))
	s.Remove(podOn("n", "b", "150"))
	s.Put(podOn("n", "b", "121", terminating)) // the slower feed
	if got := names(s.Snapshot().PodsOn("n")); got != "first by the other late" {
		t.Errorf("on the node: %q", got)
	}
}

// Either feed is enough to know the node, and a new list of either takes out what
// is gone.
func TestEitherFeedKnowsTheNode(t *testing.T) {
	s := scopedStore()
	all := kube.Scope{Kind: kube.KindPods}
	s.Replace(all, []kube.Record{podOn("n", "a", "10"), podOn("n", "b", "20"), podOn("m", "elsewhere", "5")}, 200, synced())
	s.SetPhase(ofN, kube.Stale, "watch ended")
	if !trustedOn(s.Snapshot(), "n") {
		t.Error("the watch of all pods knows the node, too")
	}
	s.SetPhase(all, kube.Stale, "resyncing")
	if trustedOn(s.Snapshot(), "n") {
		t.Error("it is not watched")
	}
	s.Replace(ofN, []kube.Record{podOn("n", "a", "10")}, 300, synced())
	if snap := s.Snapshot(); !trustedOn(snap, "n") || names(snap.PodsOn("n")) != "a" || snap.Pod("uid-elsewhere") == nil {
		t.Errorf("on the node: %q", names(snap.PodsOn("n")))
	}
	s.Replace(all, []kube.Record{podOn("m", "elsewhere", "5")}, 400, synced())
	if snap := s.Snapshot(); len(snap.PodsOn("n")) != 0 {
		t.Errorf("on the node: %q", names(snap.PodsOn("n")))
	}
}

func TestNodeWithAFeedOfItsOwn(t *testing.T) {
	s := kube.NewStore(time.Now)
	s.SetHealth(kube.Health{Live: true})
	node := func(version string, unschedulable bool) *kube.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u", ResourceVersion: version}}
		n.Spec.Unschedulable = unschedulable
		return convert.Node(n)
	}
	of := kube.Scope{Kind: kube.KindNodes, Node: "n"}
	s.Open(of)
	s.Replace(of, []kube.Record{node("10", false)}, 100, synced())
	s.Put(node("110", true))
	s.Replace(kube.Scope{Kind: kube.KindNodes}, []kube.Record{node("10", false)}, 105, synced())
	if n := s.Snapshot().Node("n"); n == nil || !n.Unschedulable {
		t.Errorf("an older list uncordons the node: %+v", n)
	}
	s.Replace(of, nil, 120, synced())
	s.Put(node("110", true))
	if n := s.Snapshot().Node("n"); n != nil {
		t.Errorf("it is back: %+v", n)
	}
}

var (
	inA     = kube.Scope{Kind: kube.KindPods, Namespace: "a"}
	unbound = kube.Scope{Kind: kube.KindPods, Unbound: true}
)

// A pod is brought in by the feeds of its node and of its namespace, each at its own pace.
func TestNodeAndNamespace(t *testing.T) {
	s := scopedStore()
	s.Open(inA)
	if snap := s.Snapshot(); snap.In("a").Trusted(kube.KindPods) || !snap.On("n").Trusted(kube.KindPods) || snap.On("n", "m").Trusted(kube.KindPods) {
		t.Error("one part is taken for another")
	}
	s.Replace(inA, []kube.Record{podOn("n", "a", "10"), podOn("n", "b", "20"), podOn("m", "elsewhere", "5")}, 90, synced())
	s.Remove(podOn("n", "a", "110"))                     // by the node's watch
	s.Put(podOn("n", "a", "105"), podOn("m", "x", "95")) // by the watch of the namespace, which is behind
	s.Put(podOn("n", "never", "95"))                     // is not on the list of the node
	snap := s.Snapshot()
	if got := names(snap.PodsIn("a")); got != "b elsewhere x" {
		t.Errorf("there are %q", got)
	}
	if !snap.In("a").Trusted(kube.KindPods) || snap.In("a", "b").Settled(kube.KindPods) || !snap.In().Trusted(kube.KindPods) || snap.Trusted(kube.KindPods) {
		t.Error("a namespace is trusted for another, or for all")
	}
	if got := snap.In("a", "b").Sync(kube.KindPods).Phase; got != kube.NotSynced {
		t.Errorf("a namespace that is read and one that is not: %v", got)
	}
	s.Replace(inA, []kube.Record{podOn("m", "x", "95")}, 200, synced())
	if got := names(s.Snapshot().PodsIn("a")); got != "x" {
		t.Errorf("after a list without them there are %q", got)
	}
}

// What may not be read in a namespace is settled there, although nothing is known of the others.
func TestDeniedInANamespace(t *testing.T) {
	s := kube.NewStore(time.Now)
	s.SetHealth(kube.Health{Live: true})
	of := kube.Scope{Kind: kube.KindBudgets, Namespace: "a"}
	s.Open(of)
	s.SetPhase(of, kube.Denied, "not you")
	snap := s.Snapshot()
	if !snap.In("a").Settled(kube.KindBudgets) || snap.In("a").InWhole(kube.KindBudgets) || snap.In("b").Settled(kube.KindBudgets) {
		t.Errorf("%+v", snap.In("a").Sync(kube.KindBudgets))
	}
	if !of.Read(snap) || (kube.Scope{Kind: kube.KindBudgets}).Read(snap) {
		t.Error("which scopes are read")
	}
}

// A pod that leaves those without a node is bound, or gone: only its namespace tells.
func TestUnboundPods(t *testing.T) {
	waiting := func() *kube.Store {
		s := kube.NewStore(time.Now)
		s.SetHealth(kube.Health{Live: true})
		s.Open(unbound)
		s.Replace(unbound, []kube.Record{podOn("", "w", "10")}, 100, synced())
		return s
	}
	left := podOn("", "w", "110") // as the event has it, whatever the reason

	s := waiting()
	s.RemoveFrom(unbound, left)
	if got := len(s.Snapshot().Pods()); got != 0 {
		t.Errorf("no other feed has the pod, and the store holds %d", got)
	}
	s = waiting()
	s.Replace(unbound, nil, 120, synced())
	if got := len(s.Snapshot().Pods()); got != 0 {
		t.Errorf("no other feed has the pod, and the store holds %d after a list", got)
	}

	for name, leave := range map[string]func(*kube.Store){
		"watch": func(s *kube.Store) { s.RemoveFrom(unbound, left) },
		"list":  func(s *kube.Store) { s.Replace(unbound, nil, 110, synced()) },
	} {
		s = waiting()
		s.Open(inA)
		s.Replace(inA, []kube.Record{podOn("", "w", "10")}, 100, synced())
		leave(s)
		if got := names(s.Snapshot().PodsIn("a")); got != "w" {
			t.Errorf("%s: its namespace has not told yet: %q", name, got)
		}
		s.Put(podOn("n", "w", "110"))
		if got := names(s.Snapshot().PodsOn("n")); got != "w" {
			t.Errorf("%s: it was bound: %q", name, got)
		}

		s = waiting()
		s.Open(inA)
		s.Replace(inA, []kube.Record{podOn("", "w", "10")}, 100, synced())
		s.Put(podOn("n", "w", "110")) // the watch of the namespace was faster
		leave(s)
		if got := names(s.Snapshot().PodsOn("n")); got != "w" {
			t.Errorf("%s: it is on the node: %q", name, got)
		}
		s.Remove(podOn("n", "w", "130"))
		s.Put(podOn("n", "w", "120"))
		if got := len(s.Snapshot().Pods()); got != 0 {
			t.Errorf("%s: it was deleted, and there are %d", name, got)
		}
	}
}
