package ui

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// moment is when all tests take place.
var moment = time.Date(2026, 8, 21, 14, 2, 11, 0, time.UTC)

const gib = int64(1) << 30

// world is a small company's cluster, made of records.
type world struct{ *kube.Store }

func emptyWorld() world {
	s := kube.NewStore(func() time.Time { return moment })
	s.SetHealth(kube.Health{Live: true, LastContact: moment})
	for _, k := range kube.Kinds {
		s.SetSync(k, kube.SyncState{Phase: kube.Synced, Since: moment})
	}
	return world{s}
}

func (w world) node(name, zone string, age time.Duration, change ...func(*kube.Node)) {
	n := &kube.Node{
		Name: name, UID: kube.UID("node-" + name), Created: moment.Add(-age), Ready: kube.NodeReady, ReadySince: moment.Add(-age),
		Labels:      labels.Set{corev1.LabelTopologyZone: zone},
		Allocatable: kube.Resources{CPUMilli: 8000, MemoryBytes: 32 * gib, Pods: 110},
	}
	for _, c := range change {
		c(n)
	}
	w.Put(n)
}

func (w world) pod(node, namespace, name, owner string, change ...func(*kube.Pod)) {
	p := &kube.Pod{
		Namespace: namespace, Name: name, UID: kube.UID(namespace + "/" + name), Node: node, Phase: corev1.PodRunning, Ready: true,
		Created: moment.Add(-24 * time.Hour), ReadySince: moment.Add(-23 * time.Hour), Labels: labels.Set{"app": owner},
		Spec: &kube.PodSpec{GraceSeconds: 30, Requests: kube.Resources{CPUMilli: 400, MemoryBytes: gib}},
	}
	if owner != "" {
		p.Owner = &kube.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner + "-7f9c", UID: kube.UID("rs-" + owner)}
	}
	for _, c := range change {
		c(p)
	}
	w.Put(p)
}

func daemon(p *kube.Pod) {
	p.Owner = &kube.Owner{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "node-exporter", UID: "ds-exporter"}
}

func emptyDir(p *kube.Pod) {
	spec := *p.Spec
	spec.Volumes = []kube.Volume{{Name: "cache", Kind: kube.VolumeEmptyDir}}
	p.Spec = &spec
}

func mirror(p *kube.Pod) {
	p.Owner = nil
	p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
}

func sick(p *kube.Pod) {
	p.Ready, p.ReadySince = false, moment.Add(-4*time.Minute)
	p.Trouble = &kube.Trouble{Container: "cart", Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container", Restarts: 7}
}

func (w world) budget(namespace, app string, needed, healthy, allowed int32) {
	least := intstr.FromInt32(needed)
	w.Put(&kube.Budget{
		Namespace: namespace, Name: app, UID: kube.UID("pdb-" + app), Selector: labels.SelectorFromSet(labels.Set{"app": app}),
		MinAvailable: &least, Generation: 1, ObservedGeneration: 1, DesiredHealthy: needed, CurrentHealthy: healthy,
		DisruptionsAllowed: allowed, ExpectedPods: healthy + 1,
	})
	state := w.Snapshot().Sync(kube.KindBudgets)
	state.Count++
	w.SetSync(kube.KindBudgets, state)
}

// company fills a world with what the demo scene of the lab has too.
func company() world {
	w := emptyWorld()
	day := 24 * time.Hour
	w.node("control-1", "eu-1a", 210*day, func(n *kube.Node) { n.Labels["node-role.kubernetes.io/control-plane"] = "" })
	for i, zone := range []string{"a", "a", "a", "b", "b", "c", "c"} {
		w.node(fmt.Sprintf("worker-%s%d", zone, i%3+1), "eu-1"+zone, time.Duration(41-i*5)*day, companyNode(zone, i))
	}
	w.Put(&kube.Workload{Kind: "DaemonSet", Namespace: "kube-system", Name: "node-exporter", UID: "ds-exporter", Replicas: 8})
	for owner, in := range map[string]struct {
		namespace string
		replicas  int32
	}{"front": {"web", 9}, "cart": {"checkout", 4}, "report": {"jobs", 2}, "ledger": {"data", 2}} {
		w.Put(&kube.Workload{Kind: "ReplicaSet", Namespace: in.namespace, Name: owner + "-7f9c", UID: kube.UID("rs-" + owner), Replicas: in.replicas,
			Selector: labels.SelectorFromSet(labels.Set{"app": owner})})
	}
	w.pod("control-1", "kube-system", "etcd-control-1", "", mirror)
	for _, n := range w.Snapshot().Nodes() {
		w.pod(n.Name, "kube-system", "node-exporter-"+n.Name[len(n.Name)-2:], "", daemon)
	}
	for i := range 9 {
		w.pod([]string{"worker-a1", "worker-a2", "worker-b1"}[i%3], "web", fmt.Sprintf("front-66d5f7c9b-%c8sd%d", 'a'+i, i), "front")
	}
	w.pod("worker-a2", "checkout", "cart-7f9c-x2x9q", "cart")
	w.pod("worker-a2", "checkout", "cart-7f9c-p81mm", "cart")
	w.pod("worker-a1", "checkout", "cart-7f9c-t5w2r", "cart")
	w.pod("worker-b1", "checkout", "cart-7f9c-k2xzq", "cart", sick)
	w.pod("worker-a2", "jobs", "report-5k2pl", "report", emptyDir)
	w.pod("worker-b1", "ops", "debug-shell", "")
	w.pod("worker-b1", "data", "ledger-0", "ledger")
	w.budget("checkout", "cart", 3, 3, 0)
	w.budget("data", "ledger", 1, 1, 0)
	w.budget("web", "front", 6, 9, 3)
	return w
}

func companyNode(zone string, i int) func(*kube.Node) {
	return func(n *kube.Node) {
		n.KubeletVersion = "v1.36.3"
		switch {
		case zone == "b":
			n.KubeletVersion = "v1.9.11"
		case zone == "a" && i == 2:
			n.Unschedulable = true
			n.Cordon = &kube.Cordon{Manager: "kubectl-cordon", Since: moment.Add(-3 * time.Hour)}
		case zone == "c" && i == 6:
			n.Ready, n.ReadySince, n.ReadyMessage = kube.NodeUnknown, moment.Add(-6*time.Minute), "Kubelet stopped posting node status."
		}
	}
}

// fakeRun is a run whose state the test sets; it records what it is sent.
type fakeRun struct {
	mu    sync.Mutex
	state *drain.State
	sent  []drain.Input
	news  chan struct{}
	done  chan struct{}
}

func newFakeRun(s *drain.State) *fakeRun {
	return &fakeRun{state: s, news: make(chan struct{}, 1), done: make(chan struct{})}
}

func (r *fakeRun) State() *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *fakeRun) Changed(context.Context) <-chan struct{} { return r.news }

func (r *fakeRun) Send(in drain.Input) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, in)
}

func (r *fakeRun) Done() <-chan struct{} { return r.done }

func (r *fakeRun) set(change func(*drain.State)) *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := *r.state
	change(&s)
	r.state = &s
	return r.state
}

// runState is a run in the middle of its evictions: one pod blocked, one
// stuck, one ending, some gone.
func runState() *drain.State {
	numbers := &budget.Numbers{Namespace: "checkout", Name: "cart", Needed: 3, Present: 3, Expected: 4}
	unhealthyPod := &budget.UnhealthyPod{Namespace: "checkout", Name: "cart-7f9c-k2xzq", Node: "worker-b1", Since: moment.Add(-278 * time.Second),
		Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"}
	ago := func(d time.Duration) time.Time { return moment.Add(-d) }
	pod := func(node, ns, name string, state eviction.State, since time.Duration, tries int, w *waits.Wait) *eviction.Record {
		p := &eviction.Record{Facts: eviction.Facts{Node: node, Namespace: ns, Name: name, UID: kube.UID(ns + "/" + name), Owner: "ReplicaSet/x", Action: plan.ActionEvict},
			State: state, Since: ago(since), Attempts: tries, Wait: w, Begun: ago(41 * time.Second)}
		if state.Final() {
			p.Ended = ago(since)
		}
		return p
	}
	blocked := &waits.Wait{For: waits.ForBudget, Budget: numbers, UnhealthyPod: unhealthyPod, Until: moment.Add(4 * time.Second),
		Words: "Cannot evict pod as it would violate the pod's disruption budget."}
	s := &drain.State{
		Run:     drain.RunFacts{ID: "k7f3", Context: "prod-eu-1", User: "ada", Options: plan.DefaultOptions()},
		Started: ago(41 * time.Second), Updated: moment, Phase: drain.PhaseEvict,
		Phases: map[drain.Phase]drain.PhaseStatus{drain.PhaseCheck: drain.PhaseDone, drain.PhaseCordon: drain.PhaseDone, drain.PhaseEvict: drain.PhaseRuns},
		Nodes: []*drain.NodeRun{
			{NodeFacts: drain.NodeFacts{Name: "worker-a1", UID: "node-worker-a1"}, State: drain.NodeDraining, Cordoned: true},
			{NodeFacts: drain.NodeFacts{Name: "worker-a2", UID: "node-worker-a2"}, State: drain.NodeDraining, Cordoned: true},
		},
		Sent: map[attempt.Verb]int{attempt.VerbEvict: 9, attempt.VerbCordon: 2},
	}
	s.Pods = []*eviction.Record{
		pod("worker-a1", "web", "front-66d5f7c9b-a8sd0", eviction.Gone, 21*time.Second, 1, nil),
		pod("worker-a1", "web", "front-66d5f7c9b-d8sd3", eviction.Gone, 19*time.Second, 1, nil),
		pod("worker-a1", "checkout", "cart-7f9c-t5w2r", eviction.Planned, 41*time.Second, 0, &waits.Wait{For: waits.ForSlot}),
		pod("worker-a2", "checkout", "cart-7f9c-x2x9q", eviction.BudgetBlocked, 38*time.Second, 3, blocked),
		pod("worker-a2", "checkout", "cart-7f9c-p81mm", eviction.BudgetBlocked, 38*time.Second, 1, blocked),
		pod("worker-a2", "web", "front-66d5f7c9b-b8sd1", eviction.Terminating, 7*time.Second, 1, &waits.Wait{For: waits.ForGrace, Until: moment.Add(23 * time.Second)}),
		pod("worker-a2", "jobs", "report-5k2pl", eviction.StuckTerminating, 33*time.Second, 1, &waits.Wait{For: waits.ForFinalizers, Finalizers: []string{"example.com/hold"}}),
		pod("worker-a2", "web", "front-66d5f7c9b-e8sd4", eviction.Requested, 1*time.Second, 1, &waits.Wait{For: waits.ForAnswer}),
	}
	return s
}
