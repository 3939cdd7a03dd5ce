package clustermap

import (
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func nodeRecord(name string) *kube.Node {
	return &kube.Node{Name: name, UID: kube.UID("uid-" + name), Ready: kube.NodeReady,
		Allocatable: kube.Resources{CPUMilli: 4000, MemoryBytes: 8 << 30}}
}

func podRecord(node, name string) *kube.Pod {
	return &kube.Pod{Namespace: "shop", Name: name, UID: kube.UID(name), Node: node, Phase: corev1.PodRunning, Ready: true,
		ReadySince: noon, Spec: &kube.PodSpec{Requests: kube.Resources{CPUMilli: 500}}}
}

// Of a new snapshot, or of news of a run, only the tiles that say something else are made again.
func TestTilesAreKept(t *testing.T) {
	store := kube.NewStore(func() time.Time { return noon })
	store.SetSync(kube.KindNodes, kube.SyncState{Phase: kube.Synced})
	for _, name := range []string{"node-a", "node-b", "node-c"} {
		store.Put(nodeRecord(name), podRecord(name, "of-"+name))
	}
	m := &Page{s: &frame.Session{Width: 120, Height: 40, Now: noon}}
	show := func() map[string]*made {
		m.s.See(store.Snapshot())
		m.Layout(frame.MakeLayout(m.s.Width, m.s.Height, 0, false))
		return maps.Clone(m.made)
	}
	runOf := func(pods ...*eviction.Record) {
		state := &drain.State{Pods: pods}
		for _, name := range []string{"node-a", "node-b"} {
			state.Nodes = append(state.Nodes, &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: name, UID: kube.UID("uid-" + name)}, State: drain.NodeDraining})
		}
		m.s.Take(state, false)
	}
	podOf := func(node string, state eviction.State) *eviction.Record {
		return &eviction.Record{Facts: eviction.Facts{Node: node, Namespace: "shop", Name: "of-" + node, UID: kube.UID("of-" + node)}, State: state}
	}
	show()
	for _, c := range []struct {
		name   string
		change func()
		want   string
	}{
		{"the health of the connection", func() { store.SetHealth(kube.Health{Live: true}) }, "[]"},
		{"another pod", func() { store.Put(podRecord("node-b", "new")) }, "[node-b]"},
		{"a pod that is not ready", func() {
			p := podRecord("node-b", "new")
			p.Ready, p.ReadySince = false, time.Time{}
			store.Put(p)
		}, "[node-b]"},
		{"labels of a pod", func() {
			p := podRecord("node-b", "of-node-b")
			p.Labels = labels.Set{"app": "web"}
			store.Put(p)
		}, "[]"},
		{"what a pod requests", func() {
			p := podRecord("node-b", "of-node-b")
			p.Spec = &kube.PodSpec{Requests: kube.Resources{CPUMilli: 3000}}
			store.Put(p)
		}, "[node-b]"},
		{"a pod on another node", func() { store.Remove(podRecord("node-b", "new")); store.Put(podRecord("node-c", "newer")) }, "[node-b node-c]"},
		{"a heartbeat", func() { store.Put(nodeRecord("node-c")) }, "[]"},
		{"a cordon", func() {
			n := nodeRecord("node-c")
			n.Unschedulable = true
			store.Put(n)
		}, "[node-c]"},
		{"a mark", func() { m.s.Marks.Toggle("node-a") }, "[node-a]"},
		{"a run", func() { runOf(podOf("node-a", eviction.Planned), podOf("node-b", eviction.Planned)) }, "[node-a node-b]"},
		{"nothing new of the run", func() { runOf(podOf("node-a", eviction.Planned), podOf("node-b", eviction.Planned)) }, "[]"},
		{"a blocked pod", func() { runOf(podOf("node-a", eviction.Planned), podOf("node-b", eviction.BudgetBlocked)) }, "[node-b]"},
		{"a pod that is gone", func() { runOf(podOf("node-a", eviction.Gone), podOf("node-b", eviction.BudgetBlocked)) }, "[node-a]"},
		{"what fills the bars", func() { m.fill = memoryRequested }, "[node-a node-b node-c]"},
		{"names that share less", func() { store.Put(nodeRecord("another")) }, "[another node-a node-b node-c]"},
	} {
		before := show()
		c.change()
		var remade []string
		after := show()
		for _, name := range []string{"another", "node-a", "node-b", "node-c"} {
			if after[name] != before[name] {
				remade = append(remade, name)
			}
		}
		if got := fmt.Sprint(remade); got != c.want {
			t.Errorf("%s: the tiles of %s are made again, not of %s", c.name, got, c.want)
		}
	}
}
