package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func withAddress(address string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}, {Type: corev1.NodeHostName, Address: n.Name}}
	}
}

func TestPlanOfOurselves(t *testing.T) {
	mirror := func(p *corev1.Pod) {
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
		p.Labels["component"] = "kube-apiserver"
	}
	s := kubetest.SnapshotOf(kubetest.Now,
		kubetest.Node("w1", withAddress("10.0.0.1")), kubetest.Node("w2", withAddress("10.0.0.2")), kubetest.Node("w3", withAddress("10.0.0.3")),
		kubetest.ReplicaSet("ops/kdrain", 2), kubetest.Pod("ops/kdrain-0", kubetest.OwnedBy("apps/v1", "ReplicaSet", "kdrain"), kubetest.On("w1")),
		kubetest.Pod("kube-system/kube-apiserver-w2", kubetest.OwnedBy("v1", "Node", "w2"), kubetest.On("w2"), mirror),
	)
	table := []struct {
		name  string
		self  preflight.Self
		nodes []string
		codes []string
		order []string
	}{
		{"outside, the address is of no pod", preflight.Self{Addresses: []string{"192.0.2.1"}}, []string{"w1", "w3"}, nil, []string{"w1", "w3"}},
		{"our pod", preflight.Self{Namespace: "ops", Pod: "kdrain-0"}, []string{"w1", "w3"}, []string{"OwnPod"}, []string{"w3", "w1"}},
		{"a pod of that name in another namespace", preflight.Self{Namespace: "shop", Pod: "kdrain-0"}, []string{"w1", "w3"}, nil, []string{"w1", "w3"}},
		{"our pod, by its UID", preflight.Self{Namespace: "ops", Pod: "kdrain-0", UID: kubetest.Pod("ops/kdrain-0").UID}, []string{"w1", "w3"}, []string{"OwnPod"}, []string{"w3", "w1"}},
		{"a pod of another cluster with our names", preflight.Self{Namespace: "ops", Pod: "kdrain-0", UID: "elsewhere"}, []string{"w1", "w3"}, nil, []string{"w1", "w3"}},
		{"our pod is on another node", preflight.Self{Namespace: "ops", Pod: "kdrain-0"}, []string{"w3"}, nil, []string{"w3"}},
		{"the API server's address", preflight.Self{Server: "https://10.0.0.2:6443", Addresses: []string{"10.0.0.2"}}, []string{"w2", "w3"}, []string{"OwnAPIServer"}, []string{"w3", "w2"}},
		{"both", preflight.Self{Namespace: "ops", Pod: "kdrain-0", Addresses: []string{"10.0.0.2"}}, []string{"w1", "w2", "w3"}, []string{"OwnAPIServer", "OwnPod"}, []string{"w3", "w2", "w1"}},
		{"the only API server, behind another address", preflight.Self{Addresses: []string{"192.0.2.1"}}, []string{"w2", "w3"}, []string{"OwnAPIServer"}, []string{"w2", "w3"}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			plan := preflight.Check(s, plantest.New(t, s, plantest.Options(), row.nodes...), preflight.Env{Now: kubetest.Now, Self: row.self})
			var codes, order []string
			for _, f := range plan.Findings {
				if strings.HasPrefix(f.Code, "Own") {
					codes = append(codes, f.Code)
				}
			}
			for _, n := range plan.Nodes {
				order = append(order, n.Name)
				for _, p := range n.Pods {
					if want := slices.Contains(codes, preflight.FindingOwnPod) && p.Name == "kdrain-0"; p.Self != want {
						t.Errorf("%s: self is %v", p.Name, p.Self)
					}
				}
			}
			if !slices.Equal(codes, row.codes) || !slices.Equal(order, row.order) {
				t.Errorf("findings %v, order %v; want %v, %v", codes, order, row.codes, row.order)
			}
		})
	}
}

// Our own pod goes when nothing else is left, also where a budget holds others
// for a while, and though it stands on the first node.
func TestOwnPodGoesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddNode("c")
		own := s.AddPod("kdrain", "a")
		for range 3 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 2)
		s.AddPod("other", "b")
		o := plan.DefaultOptions()
		o.MaxParallelNodes = 2
		plan, err := plan.New(s.Snapshot(), []string{"a", "b"}, o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		plan = preflight.Check(s.Snapshot(), plan, preflight.Env{Now: time.Now(), Self: preflight.Self{Namespace: own.Namespace, Pod: own.Name}})
		e, err := Start(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, plan, drain.RunFacts{ID: "r1", Context: "lab", User: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		confirmAll(t.Context(), s, e)
		if n := len(s.Accepted); n != 5 || s.Accepted[n-1] != own.Name || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("%s: evicted in the order %v, want %s last", e.State().Outcome, s.Accepted, own.Name)
		}
	})
}
