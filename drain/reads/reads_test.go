package reads_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/drain/reads"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// within are the records of a scope.
func within(all []kube.Record, of kube.Scope) (records []kube.Record) {
	for _, record := range all {
		m := record.Meta()
		p, _ := record.(*kube.Pod)
		switch {
		case m.Kind != of.Kind:
		case of.Namespace != "" && m.Namespace != of.Namespace:
		case of.Unbound && p.Node != "":
		case of.Node != "" && p != nil && p.Node != of.Node:
		case of.Node != "" && p == nil && m.Name != of.Node:
		default:
			records = append(records, record)
		}
	}
	return records
}

// narrow is what a drain sees that reads only its own scopes, once all of them are in.
func narrow(objects []runtime.Object, d reads.Drain) (*kube.Snapshot, []kube.Scope) {
	s := kube.NewStore(func() time.Time { return kubetest.Now })
	s.SetHealth(kube.Health{Live: true, LastContact: kubetest.Now})
	var read []kube.Scope
	records := make([]kube.Record, len(objects))
	for i, o := range objects {
		records[i] = kubetest.Convert(o)
	}
	for {
		missing := slices.DeleteFunc(reads.Of(s.Snapshot(), d), func(of kube.Scope) bool { return slices.Contains(read, of) })
		if len(missing) == 0 {
			return s.Snapshot(), read
		}
		for _, of := range missing {
			s.Open(of)
			s.Replace(of, within(records, of), 1, kube.SyncState{Phase: kube.Synced, Since: kubetest.Now})
		}
		read = append(read, missing...)
	}
}

func TestWhatADrainReads(t *testing.T) {
	d, rs := kubetest.Deployment("shop/web", 2)
	base := []runtime.Object{
		kubetest.Node("w1", kubetest.InZone("a")), kubetest.Node("w2", kubetest.InZone("a")), kubetest.Node("cp", kubetest.ControlPlane),
		d, rs, kubetest.Pod("shop/web-1", kubetest.ByDeployment("web")), kubetest.Pod("shop/web-2", kubetest.ByDeployment("web"), kubetest.On("w2")),
		kubetest.DaemonSet("kube-system/agent"), kubetest.Pod("kube-system/agent-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "agent")),
		kubetest.Pod("kube-system/dns-1", kubetest.On("w2")), kubetest.Pod("other/x-1", kubetest.On("w2")),
	}
	is := func(k kube.Kind) kube.Scope { return kube.Scope{Kind: k} }
	in := func(k kube.Kind, namespace string) kube.Scope { return kube.Scope{Kind: k, Namespace: namespace} }
	on := func(k kube.Kind, node string) kube.Scope { return kube.Scope{Kind: k, Node: node} }
	claims := kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom("topology.kubernetes.io/zone", "a"))
	for _, c := range []struct {
		name      string
		objects   []runtime.Object
		drain     reads.Drain
		read, not []kube.Scope
	}{
		{"its node, and the namespaces of its pods", nil, reads.Drain{},
			[]kube.Scope{on(kube.KindNodes, "w1"), on(kube.KindPods, "w1"), {Kind: kube.KindPods, Unbound: true}, in(kube.KindPods, "shop"),
				in(kube.KindBudgets, "shop"), in(kube.KindReplicaSets, "shop"), in(kube.KindDaemonSets, "kube-system"), is(kube.KindLeases)},
			[]kube.Scope{is(kube.KindPods), is(kube.KindNodes), in(kube.KindPods, "kube-system"), in(kube.KindPods, "other"),
				in(kube.KindBudgets, "kube-system"), is(kube.KindVolumes), in(kube.KindClaims, "shop"), on(kube.KindPods, "w2")}},
		{"a pod whose DaemonSet is gone may be evicted", []runtime.Object{kubetest.Pod("kube-system/old-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "old"))},
			reads.Drain{}, []kube.Scope{in(kube.KindBudgets, "kube-system"), in(kube.KindPods, "kube-system")}, nil},
		{"a finished pod of a DaemonSet is evicted", []runtime.Object{kubetest.Pod("kube-system/agent-2", kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"),
			kubetest.Phase(corev1.PodSucceeded))}, reads.Drain{}, []kube.Scope{in(kube.KindBudgets, "kube-system")}, nil},
		{"claims and volumes", append(claims, kubetest.Pod("shop/db-1", kubetest.Claiming("data"))), reads.Drain{},
			[]kube.Scope{in(kube.KindClaims, "shop"), is(kube.KindVolumes), is(kube.KindNodes)}, []kube.Scope{is(kube.KindPods), in(kube.KindClaims, "other")}},
		{"a volume that is not reached from here", append(kubetest.Claim("shop/data", "pv-1", kubetest.ReachedFrom("topology.kubernetes.io/zone", "b")),
			kubetest.Pod("shop/db-1", kubetest.Claiming("data"))), reads.Drain{}, []kube.Scope{is(kube.KindVolumes)}, []kube.Scope{is(kube.KindNodes)}},
		{"claims of pods that left", claims, reads.Drain{Namespaces: []string{"other"}, Claims: []reads.Claim{{Namespace: "shop", Name: "data"}}},
			[]kube.Scope{in(kube.KindPods, "other"), in(kube.KindClaims, "shop"), is(kube.KindNodes)}, nil},
		{"a pod that waits elsewhere for a volume", append(claims, kubetest.Pod("third/db-1", kubetest.Unscheduled("no node"), kubetest.Claiming("data"))),
			reads.Drain{}, []kube.Scope{in(kube.KindClaims, "third")}, []kube.Scope{in(kube.KindPods, "third")}},
		{"the control plane", nil, reads.Drain{Nodes: []string{"cp"}}, []kube.Scope{is(kube.KindNodes), on(kube.KindPods, "cp")},
			[]kube.Scope{is(kube.KindPods), on(kube.KindPods, "w1")}},
		{"no node", nil, reads.Drain{Nodes: []string{}}, nil, []kube.Scope{is(kube.KindNodes), is(kube.KindPods), in(kube.KindPods, "shop")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.drain.Nodes == nil {
				c.drain.Nodes = []string{"w1"}
			}
			c.drain.Options = &plan.Options{}
			_, read := narrow(append(slices.Clone(base), c.objects...), c.drain)
			for _, of := range c.read {
				if !slices.Contains(read, of) {
					t.Errorf("%+v is not read", of)
				}
			}
			for _, of := range c.not {
				if slices.Contains(read, of) {
					t.Errorf("%+v is read", of)
				}
			}
		})
	}
}

// Many nodes or namespaces are read in whole; what was begun by namespace goes on so.
func TestManyAreReadInWhole(t *testing.T) {
	var nodes []string
	var objects []runtime.Object
	for i := range 51 {
		nodes = append(nodes, "n"+strconv.Itoa(i))
		objects = append(objects, kubetest.Pod("ns"+strconv.Itoa(i)+"/a-1", kubetest.On(nodes[i])))
	}
	pods := kube.Scope{Kind: kube.KindPods}
	if _, read := narrow(objects, reads.Drain{Options: &plan.Options{}}); !slices.Contains(read, pods) {
		t.Error("which nodes are drained is not known, and not all pods are read")
	}
	for n, whole := range map[int]bool{25: false, 26: true, 50: true, 51: true} {
		_, read := narrow(objects, reads.Drain{Nodes: nodes[:n], Options: &plan.Options{}})
		if slices.Contains(read, pods) != whole {
			t.Errorf("%d nodes, each with a namespace: all pods are read: %v", n, !whole)
		}
	}
	s := kube.NewStore(func() time.Time { return kubetest.Now })
	s.Open(kube.Scope{Kind: kube.KindBudgets, Namespace: "ns3"})
	for i, node := range nodes[:30] {
		of := kube.Scope{Kind: kube.KindPods, Node: node}
		s.Open(of)
		s.Replace(of, []kube.Record{kubetest.Convert(objects[i])}, 1, kube.SyncState{Phase: kube.Synced})
	}
	if slices.Contains(reads.Of(s.Snapshot(), reads.Drain{Nodes: nodes[:30], Options: &plan.Options{}}), pods) {
		t.Error("both are read")
	}
}

// world draws a cluster: workloads of all kinds on some nodes, with budgets, volumes and Services.
func world(r *rand.Rand) (objects []runtime.Object, nodes []string) {
	some := func(n int) bool { return r.IntN(n) == 0 }
	for i := range 5 {
		name := "w" + strconv.Itoa(i+1)
		nodes = append(nodes, name)
		options := []func(*corev1.Node){kubetest.InZone("z" + strconv.Itoa(r.IntN(3))), func(n *corev1.Node) {
			n.Labels["kubernetes.io/hostname"] = name
			n.Spec.Unschedulable = i < 2 || some(5)
		}}
		if some(4) {
			options = append(options, kubetest.ControlPlane)
			etcd := kubetest.Pod("kube-system/etcd-"+name, kubetest.On(name), kubetest.Mirrored)
			etcd.Labels["component"] = "etcd"
			objects = append(objects, etcd)
		}
		objects = append(objects, kubetest.Node(name, options...))
	}
	pod := func(name string, more ...kubetest.PodOption) *corev1.Pod {
		options := append([]kubetest.PodOption{kubetest.On(nodes[r.IntN(len(nodes))])}, more...)
		switch r.IntN(10) {
		case 0:
			options = append(options, kubetest.NotReady(time.Minute))
		case 1:
			options = append(options, kubetest.Phase(corev1.PodSucceeded))
		case 2:
			options = append(options, kubetest.Deleted(0))
		case 3:
			options = append(options, kubetest.Unscheduled("no node"))
		}
		p := kubetest.Pod(name, options...)
		objects = append(objects, p)
		return p
	}
	for i := range 4 {
		for _, app := range []string{"web", "db", "bare", "agent"} {
			name := "ns" + strconv.Itoa(i) + "/" + app
			if some(2) {
				continue
			}
			count := 1 + r.IntN(4)
			var owner kubetest.PodOption = func(*corev1.Pod) {}
			ready := 0
			switch app {
			case "web":
				d, rs := kubetest.Deployment(name, int32(count))
				objects = append(objects, d)
				if !some(6) {
					objects = append(objects, rs)
				}
				owner = kubetest.ByDeployment(app)
			case "db":
				objects = append(objects, kubetest.StatefulSet(name, 0)...)
				owner = kubetest.OwnedBy("apps/v1", "StatefulSet", app)
			case "agent":
				owner, count = kubetest.OwnedBy("apps/v1", "DaemonSet", app), len(nodes)
			}
			for n := range count {
				more := []kubetest.PodOption{owner}
				if app == "agent" {
					more = append(more, kubetest.On(nodes[n]))
				}
				if app == "db" || some(6) {
					claim, volume := fmt.Sprintf("%s-%s-%d", app, "data", n), fmt.Sprintf("pv-%d-%s-%d", i, app, n)
					where := kubetest.ReachedFrom("topology.kubernetes.io/zone", "z"+strconv.Itoa(r.IntN(3)))
					if some(2) {
						where = kubetest.ReachedFrom("kubernetes.io/hostname", nodes[r.IntN(len(nodes))])
					}
					objects = append(objects, kubetest.Claim(fmt.Sprintf("ns%d/%s", i, claim), volume, where)...)
					more = append(more, kubetest.Claiming(claim))
				}
				if p := pod(fmt.Sprintf("%s-%d", name, n), more...); p.Spec.NodeName != "" && kubetest.IsReady(p) &&
					p.DeletionTimestamp == nil {
					ready++
				}
			}
			if app == "agent" && !some(5) {
				set := kubetest.DaemonSet(name)
				set.Status = appsv1.DaemonSetStatus{NumberReady: int32(ready), DesiredNumberScheduled: int32(count)}
				objects = append(objects, set)
			}
			if some(2) {
				allowed := int32(r.IntN(2))
				objects = append(objects, kubetest.Budget(name, int32(ready)-allowed, int32(ready), allowed, int32(count)))
			}
			if some(3) {
				objects = append(objects, kubetest.Budget(name+"-all", 0, int32(ready), 1, int32(count),
					kubetest.SelectsAll, func(b *policyv1.PodDisruptionBudget) {}))
			}
			if some(2) {
				service := &corev1.Service{ObjectMeta: kubetest.Meta("Service", name)}
				service.Spec.Selector = map[string]string{"app": app}
				objects = append(objects, service)
			}
		}
	}
	return objects, nodes[:1+r.IntN(2)]
}

// decisions are what a drain of the nodes decides as it sees the cluster: its plan without where the pods could go,
// its first steps, and what is said of the machines.
func decisions(t *testing.T, s *kube.Snapshot, o plan.Options, nodes []string) []string {
	t.Helper()
	planned := plantest.New(t, s, o, nodes...)
	var said []string
	for i := range planned.Nodes {
		for _, p := range planned.Nodes[i].Pods {
			p.Landing, p.Pinned = nil, ""
			said = append(said, text(t, p))
		}
	}
	planned.Findings = nil
	state, now := drain.Fold(nil, drain.StartEvent(planned, drain.RunFacts{ID: "r1"})), kubetest.Now
	var in []drain.Input
	for range 6 {
		out := drain.Step(state, s, in, now)
		said, state, in = append(said, text(t, out.Events)), out.State, nil
		for _, w := range out.Writes {
			said = append(said, fmt.Sprintf("%+v", w))
		}
		if q := state.Question; q != nil {
			in = []drain.Input{drain.Confirm{Phase: q.Phase}}
		}
	}
	return append(said, text(t, checklist.OfAll(s, nodes, kubetest.Now)))
}

func text(t *testing.T, of any) string {
	t.Helper()
	b, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A drain that reads what it touches decides as one that reads the whole cluster.
func TestNarrowAndWholeDecideAlike(t *testing.T) {
	evicted := 0
	for seed := range uint64(2000) {
		objects, nodes := world(rand.New(rand.NewPCG(seed, 1)))
		o := plantest.Options(plantest.Force, plantest.IgnoreDaemonSets, plantest.DeleteEmptyDir)
		o.LeaseNamespace = ""
		seen, read := narrow(objects, reads.Drain{Nodes: nodes, Options: &o})
		if slices.Contains(read, kube.Scope{Kind: kube.KindPods}) {
			t.Fatalf("seed %d: all pods are read", seed)
		}
		got, want := decisions(t, seen, o, nodes), decisions(t, kubetest.SnapshotOf(kubetest.Now, objects...), o, nodes)
		if !reflect.DeepEqual(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("seed %d, nodes %v:\n   narrow %s\n   whole  %s", seed, nodes, got[min(i, len(got)-1)], want[i])
				}
			}
		}
		evicted += len(want)
	}
	if evicted < 20_000 {
		t.Errorf("%d decisions: the worlds are too small", evicted)
	}
}
