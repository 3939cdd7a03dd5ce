package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// withStates is a company whose pods have containers, some of them in trouble, and names as long as they come.
func withStates() world {
	w := company()
	for i, p := range w.Snapshot().Pods() {
		changed := *p
		changed.State = &kube.PodState{Status: "Running", Ready: 1, Total: 1, Restarts: int32(i % 3)}
		if p.Trouble != nil {
			changed.State = &kube.PodState{Status: p.Trouble.Reason, Ready: 1, Total: 2, Restarts: p.Trouble.Restarts}
		}
		w.Put(&changed)
	}
	w.pod("worker-c1", "jobs", "import-28x7q", "", func(p *kube.Pod) {
		p.Phase, p.Ready, p.State = corev1.PodSucceeded, false, &kube.PodState{Status: "Completed", Total: 1}
	})
	w.pod("worker-c2", "web", "front-66d5f7c9b-old77", "front", func(p *kube.Pod) {
		p.Deleted, p.DeletionGrace, p.State = moment.Add(20*time.Second), 30, &kube.PodState{Status: "Running", Ready: 1, Total: 1}
	})
	w.pod("", "a-team-with-a-name-that-somebody-thought-about-for-too-long-ab", strings.Repeat("statefulset-with-a-long-name-", 8)+"0", "", func(p *kube.Pod) {
		p.Phase, p.Ready, p.State = corev1.PodPending, false, &kube.PodState{Status: "Pending", Total: 12}
		p.Trouble = &kube.Trouble{Reason: "Unschedulable", Message: "0/8 nodes are available: 8 Insufficient cpu. preemption: 0/8 nodes are available"}
	})
	w.pod("worker-a1", "data", "migrate-x8s9d", "", func(p *kube.Pod) {
		p.Phase, p.Ready, p.State = corev1.PodPending, false, &kube.PodState{Status: "Init:0/1", Total: 1}
		p.Trouble = &kube.Trouble{Container: "app", Reason: "PodInitializing"}
	})
	return w
}

func withUsage(w world) func(*Deps) {
	w.SetUsage(map[string]kube.Usage{"worker-a1": {CPUMilli: 1200, MemoryBytes: 9 * gib}})
	return func(d *Deps) {
		paper(d).podUsage = func(namespace string) (map[string]kube.Usage, error) {
			of := map[string]kube.Usage{}
			for i, p := range w.Snapshot().Pods() {
				if namespace == "" || p.Namespace == namespace {
					of[p.Namespace+"/"+p.Name] = kube.Usage{CPUMilli: int64(i * 10), MemoryBytes: int64(i) * 90 << 20}
				}
			}
			return of, nil
		}
	}
}

func onAllPods(t testing.TB, w, h int, keys ...string) *driver {
	world := withStates()
	d := drive(t, world, w, h, usual, withUsage(world))
	d.list(frame.Nodes).Table.Select("worker-b1")
	d.keys("p")
	d.keys(keys...)
	return d
}

func podKeys(d *driver) string { return strings.Join(d.list(frame.AllPods).Table.Keys(), " ") }

// All pods are listed, those that need a look first; by namespace, by node, by name and by what they use.
func TestAllPods(t *testing.T) {
	d := onAllPods(t, 240, 50)
	d.shows("All pods", "29 pods", "✖ 2 failing · 1 not Ready", "NAMESPACE", "✖ CrashLoopBackOff", "◔ Terminating", "· Completed", "○ Init:0/1", "1/2", "CPU USED")
	first := strings.Fields(podKeys(d))
	if first[0] != "checkout/cart-7f9c-k2xzq" || !strings.HasSuffix(first[len(first)-1], "jobs/import-28x7q") {
		t.Errorf("order: %v", first)
	}
	d.keys("n")
	d.shows("namespace checkout", "4 of 29 pods", "n all namespaces")
	if got := len(strings.Fields(podKeys(d))); got != 4 {
		t.Errorf("%d pods of the namespace: %s", got, podKeys(d))
	}
	d.keys("]")
	d.shows("namespace data", "2 of 29 pods")
	d.keys("[", "[", "[")
	d.shows("All pods  ", "29 pods")
	d.keys("[")
	d.shows("namespace web")
	d.keys("n", "m")
	d.shows("All pods  on worker-b1", "m all nodes")
	for _, key := range strings.Fields(podKeys(d)) {
		if p := d.w.Snapshot().Pod(kube.UID(key)); p.Node != "worker-b1" {
			t.Errorf("%s is on %s", key, p.Node)
		}
	}
	d.keys("m", "/")
	d.typed("ledger")
	d.keys("enter")
	if podKeys(d) != "data/ledger-0" {
		t.Errorf("found %s", podKeys(d))
	}
	d.keys("enter")
	d.shows("Pod data/ledger-0")
	d.keys("esc")
	d.shows("All pods", "/ledger 1 of 29")
	d.keys("esc", "esc")
	if d.m.path.page != frame.Nodes {
		t.Errorf("esc leads to %s", d.m.path.page)
	}
	d.keys(":")
	d.typed("every pod")
	d.keys("enter")
	d.shows("All pods")
}

// Numbers begin with the largest.
func TestAllPodsSorted(t *testing.T) {
	d := onAllPods(t, 200, 50)
	value := map[string]func(*kube.Pod) int64{
		"restarts": func(p *kube.Pod) int64 { return int64(p.State.Restarts) },
		"ready":    func(p *kube.Pod) int64 { return int64(p.State.Total - p.State.Ready) },
		"age":      func(p *kube.Pod) int64 { return p.Created.Unix() },
		"memory":   func(p *kube.Pod) int64 { u, _ := paperUse(d); return u[p.Namespace+"/"+p.Name].MemoryBytes },
	}
	seen := map[string]bool{}
	for range 9 {
		d.keys(">")
		by := d.list(frame.AllPods).Sort
		seen[by] = true
		of := value[by]
		if of == nil {
			continue
		}
		last := int64(1) << 62
		for _, key := range strings.Fields(podKeys(d)) {
			p := d.w.Snapshot().Pod(kube.UID(key))
			if by == "ready" && p.Finished() {
				continue
			}
			if now := of(p); now > last {
				t.Errorf("by %s, %s with %d comes after %d", by, key, now, last)
			} else {
				last = now
			}
		}
	}
	if len(seen) != 9 {
		t.Errorf("sorted by %v", seen)
	}
}

func paperUse(d *driver) (map[string]kube.Usage, error) { return d.podUsage("") }

// The marked nodes are one turn of the key; what is shown of a pod is as it is now.
func TestAllPodsOfMarkedNodes(t *testing.T) {
	w := withStates()
	d := drive(t, w, 120, 40, usual, func(d *Deps) { d.Marked = []string{"worker-a1", "worker-c1"} })
	d.keys("p")
	d.shows("m only 2 nodes")
	d.keys("m")
	d.shows("on worker-a1 and worker-c1")
	d.keys("m")
	d.shows("All pods  on worker-a1 ")
	d.keys("m")
	d.list(frame.AllPods).Table.Select("web/front-66d5f7c9b-a8sd0")
	d.keys("n")
	w.pod("worker-a1", "web", "front-66d5f7c9b-a8sd0", "front", func(p *kube.Pod) {
		p.State = &kube.PodState{Status: "Running", Ready: 7, Total: 7}
	})
	d.refresh()
	d.shows("7/7")
	d.now = d.now.Add(2 * time.Second)
	w.Remove(w.Snapshot().PodNamed("web", "front-66d5f7c9b-a8sd0"))
	d.refresh()
	if strings.Contains(podKeys(d), "front-66d5f7c9b-a8sd0") {
		t.Error("a pod that is gone is listed")
	}
	d.keys("esc")
	d.refresh()
	if podKeys(d) != "" {
		t.Error("what is not shown is kept")
	}
}

// Without the right to list pods the page says so.
func TestAllPodsDenied(t *testing.T) {
	w := emptyWorld()
	w.node("worker-a1", "a", time.Hour)
	w.SetSync(kube.KindPods, kube.SyncState{Phase: kube.Denied, Reason: "pods is forbidden"})
	d := drive(t, w, 100, 24)
	d.keys("p", "enter", "n", "m", "]")
	d.shows("Pods cannot be listed", "pods is forbidden")
}

// BenchmarkAllPods is a frame, a key with its frame, and the search through 150,000 pods of 5,000 nodes. The
// search is made beside the event loop; the first two are what a person waits for.
func BenchmarkAllPods(b *testing.B) {
	w := crowd(5000, 30)
	b.Run("frame", func(b *testing.B) {
		d := drive(b, w, 200, 50)
		d.keys("p")
		for b.Loop() {
			_ = d.m.View()
		}
	})
	b.Run("key", func(b *testing.B) {
		d := drive(b, w, 200, 50)
		d.keys("p")
		for b.Loop() {
			d.m.Update(keyPress("down"))
			_ = d.m.View()
		}
	})
	for _, keys := range []string{"status", "filter", "age"} {
		b.Run("search by "+keys, func(b *testing.B) {
			d := drive(b, w, 200, 50)
			d.keys("p")
			l := d.list(frame.AllPods)
			for i := 0; b.Loop(); i++ {
				if l.Reverse = !l.Reverse; keys == "filter" {
					l.Filter = fmt.Sprint("app", i%7)
				} else {
					l.Sort = keys
				}
				d.keys("down")
			}
		})
	}
}
