package landing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// Three nodes, the pod asked for on the first of them, which is planned.
func TestAlone(t *testing.T) {
	taint := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	}
	port := func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	tests := map[string]struct {
		build  func(*world)
		answer Answer
		why    string
	}{
		"fits": {func(w *world) { w.pod("p", "n1"); w.node("n3", "b") }, Fits, "2 of 3 nodes could take it"},
		"cpu": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = amounts("5", "9Gi") })
			w.node("n3", "b")
		}, DoesNotFit, "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Insufficient memory."},
		"extended": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) {
				p.Spec.Containers[0].Resources.Requests["x.io/gpu"] = resource.MustParse("1")
			})
			w.node("n3", "b")
		}, DoesNotFit, "2 Insufficient x.io/gpu"},
		"taint": {func(w *world) { w.pod("p", "n1"); w.node("n3", "b", taint) }, Fits, "1 of 3"},
		"tolerates the cordon": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) {
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
				p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
			})
		}, Fits, "all of them nodes of this plan"},
		"selector": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} })
		}, DoesNotFit, "1 node(s) didn't match Pod's node affinity/selector"},
		"port": {func(w *world) { w.pod("p", "n1", port); w.pod("q", "n2", port) }, DoesNotFit, "1 node(s) didn't have free ports"},
		"apart": {func(w *world) { w.pod("p", "n1", apart(corev1.LabelHostname, web())); w.pod("q", "n2") },
			DoesNotFit, "1 node(s) didn't match pod anti-affinity rules"},
		"apart, others": {func(w *world) { w.pod("p", "n1"); w.pod("q", "n2", apart(corev1.LabelHostname, web())) },
			DoesNotFit, "1 node(s) didn't satisfy existing pods anti-affinity rules"},
		"near":                    {func(w *world) { w.pod("p", "n1", near(corev1.LabelTopologyZone, web())); w.pod("q", "n2") }, Fits, "1 of 2"},
		"near, first of its kind": {func(w *world) { w.pod("p", "n1", near(corev1.LabelTopologyZone, web())) }, Fits, "1 of 2"},
		"near, others are elsewhere": {func(w *world) {
			w.pod("p", "n1", near(corev1.LabelHostname, web()))
			w.pod("q", "n1")
		}, DoesNotFit, "1 node(s) didn't match pod affinity rules"},
		"spread counts the cordoned zone": {func(w *world) {
			w.node("n3", "b")
			w.pod("p", "n1", spreadOver(corev1.LabelTopologyZone, nil))
			w.pod("q", "n2")
		}, DoesNotFit, "2 node(s) didn't match pod topology spread constraints"},
		"spread over what it tolerates": {func(w *world) {
			w.node("n3", "b")
			honor := corev1.NodeInclusionPolicyHonor
			w.pod("p", "n1", spreadOver(corev1.LabelTopologyZone, func(s *corev1.TopologySpreadConstraint) { s.NodeTaintsPolicy = &honor }))
			w.pod("q", "n2")
		}, Fits, "2 of 3"},
		"room by preemption": {func(w *world) { w.pod("p", "n1", priority(10)); w.full("n2", 0) }, Unknown, WhyPreempts},
		"none is lower":      {func(w *world) { w.pod("p", "n1", priority(10)); w.full("n2", 10) }, DoesNotFit, "Insufficient cpu"},
		"those that are lower free little": {func(w *world) {
			w.pod("p", "n1", priority(10), func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = amounts("3", "1Gi") })
			w.full("n2", 10)
			w.pod("q", "n2", priority(0))
		}, DoesNotFit, "Insufficient cpu"},
		"never preempts": {func(w *world) {
			never := corev1.PreemptNever
			w.pod("p", "n1", priority(10), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = &never })
			w.full("n2", 0)
		}, DoesNotFit, "Insufficient cpu"},
		"away from pods of lower priority": {func(w *world) {
			w.pod("p", "n1", priority(10), apart(corev1.LabelHostname, web()))
			w.full("n2", 0)
		}, Unknown, WhyPreempts},
		"away from pods of the same priority": {func(w *world) {
			w.pod("p", "n1", priority(10), apart(corev1.LabelHostname, web()))
			w.pod("q", "n2", priority(10))
		}, DoesNotFit, "anti-affinity"},
		"a taint is not preempted": {func(w *world) {
			w.pod("p", "n1", priority(10), func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "c"} })
			w.node("n3", "c", taint)
			w.full("n3", 0)
		}, DoesNotFit, "untolerated taint"},
		"other scheduler": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" })
		}, Unknown, "volcano"},
		"resource claim": {func(w *world) {
			w.pod("p", "n1", func(p *corev1.Pod) { p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}} })
		}, Unknown, "resource claims"},
		"no claim": {func(w *world) { w.pod("p", "n1", claims("data")) }, DoesNotFit, `0/2 nodes are available: persistentvolumeclaim "data" not found.`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			w.node("n1", "a", func(n *corev1.Node) { n.Status.Allocatable["x.io/gpu"] = resource.MustParse("1") })
			w.node("n2", "b")
			tt.build(w)
			if v := alone(t, w, "p", "n1"); v.Answer != tt.answer || !strings.Contains(v.Why, tt.why) {
				t.Errorf("%s: %s, want %s: %s", v.Answer, v.Why, tt.answer, tt.why)
			}
		})
	}
}

func priority(n int32) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Priority = &n } }

// full puts four pods of that priority on a node: they ask for all its CPU.
func (w *world) full(node string, of int32) {
	for i := range 4 {
		w.pod(fmt.Sprint(node, "-", i), node, priority(of))
	}
}

// Of two pods that move together the one of high priority may preempt the other, which has
// taken the last room.
func TestTogetherPreempts(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "a", func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("2") })
	w.pod("low", "n1", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = amounts("2", "1Gi") })
	w.pod("high", "n1", priority(10))
	s := w.snapshot()
	e := New(s, []string{"n1"}).Together([]*kube.Pod{s.PodNamed("shop", "low"), s.PodNamed("shop", "high")})
	if e.Verdicts[0].Answer != Fits || e.Verdicts[1].Answer != Unknown || e.Verdicts[1].Why != WhyPreempts {
		t.Errorf("%+v", e.Verdicts)
	}
}

func TestNamespacesBySelector(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"colour": "red"}}})
	red := func(p *corev1.Pod) {
		apart(corev1.LabelHostname, web())(p)
		p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector =
			&metav1.LabelSelector{MatchLabels: map[string]string{"colour": "red"}}
	}
	w.pod("p", "n1")
	w.pod("q", "n2", red, func(p *corev1.Pod) { p.Namespace = "elsewhere" })
	if v := alone(t, w, "p", "n1"); v.Answer != DoesNotFit {
		t.Errorf("%+v", v)
	}
	store := kubetest.StoreOf(time.Unix(1000, 0), w.objects...)
	store.SetSync(kube.KindNamespaces, kube.SyncState{Phase: kube.Denied})
	s := store.Snapshot()
	if v := New(s, []string{"n1"}).Alone(s.PodNamed("shop", "p")); v.Answer != Unknown {
		t.Errorf("without namespaces: %+v", v)
	}
}

// A selector that an unlabelled namespace matches is read in two ways.
func TestNamespacesByLackOfLabel(t *testing.T) {
	lacking := func(labels *metav1.LabelSelector) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			apart(corev1.LabelHostname, labels)(p)
			p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector = &metav1.LabelSelector{
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpDoesNotExist}},
			}
		}
	}
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"tier": "front"}}})
	w.pod("q", "n2")
	w.pod("p", "n1", lacking(web()))
	w.pod("r", "n1", lacking(&metav1.LabelSelector{MatchLabels: map[string]string{"app": "none"}}))
	if v := alone(t, w, "p", "n1"); v.Answer != Unknown || !strings.Contains(v.Why, "141526") {
		t.Errorf("where it matters: %+v", v)
	}
	if v := alone(t, w, "r", "n1"); v.Answer != Fits {
		t.Errorf("where it does not: %+v", v)
	}
}

// Pods of one template share an answer, unless it matters which of them goes.
func TestPodsOfOneTemplate(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.node("n3", "c")
	rule := apart(corev1.LabelHostname, web())
	for _, n := range []string{"n1", "n2", "n3"} {
		w.pod("p-"+n, n, rule)
	}
	s := w.snapshot()
	c := New(s, nil) // nothing is cordoned: each can go back to where it was
	for _, n := range []string{"n1", "n2", "n3"} {
		if nodes := c.Feasible(s.PodNamed("shop", "p-"+n)); len(nodes) != 1 || nodes[0] != n {
			t.Errorf("p-%s could go to %v", n, nodes)
		}
		if v := c.Alone(s.PodNamed("shop", "p-"+n)); v.Nodes != 1 {
			t.Errorf("p-%s: %+v", n, v)
		}
	}
}

func TestWhatIsNotSeenIsUnknown(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.data("data", "b", "fast")
	w.pod("p", "n1", claims("data"))
	w.pod("plain", "n1")
	store := kubetest.StoreOf(time.Unix(1000, 0), w.objects...)
	store.SetSync(kube.KindVolumes, kube.SyncState{Phase: kube.Denied})
	s := store.Snapshot()
	c := New(s, []string{"n1"})
	if v := c.Alone(s.PodNamed("shop", "p")); v.Answer != Unknown || v.Why != "uses volumes: persistentvolumes cannot be seen" {
		t.Errorf("with a claim: %+v", v)
	}
	if v := c.Alone(s.PodNamed("shop", "plain")); v.Answer != Fits {
		t.Errorf("without: %+v", v)
	}
	store.SetSync(kube.KindNodes, kube.SyncState{Phase: kube.NotSynced})
	s = store.Snapshot()
	if v := New(s, nil).Alone(s.PodNamed("shop", "plain")); v.Answer != Unknown || v.Why != "nodes are not read yet" {
		t.Errorf("without nodes: %+v", v)
	}
}

// Two nodes go, a third has room for two of their three pods.
func TestTogether(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.node("n3", "c", func(n *corev1.Node) {
		n.Status.Allocatable = amounts("3", "8Gi")
		n.Status.Allocatable["pods"] = resource.MustParse("9")
	})
	w.pod("small", "n1")
	w.pod("large", "n1", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = amounts("2", "1Gi") })
	w.pod("other", "n2")
	s := w.snapshot()
	pods := []*kube.Pod{s.PodNamed("shop", "small"), s.PodNamed("shop", "large"), s.PodNamed("shop", "other")}
	c := New(s, []string{"n1", "n2"})
	for _, p := range pods {
		if v := c.Alone(p); v.Answer != Fits {
			t.Errorf("%s alone: %+v", p.Name, v)
		}
	}
	e := c.Together(pods)
	if e.Verdicts[0].Answer != Fits || e.Verdicts[1].Answer != Fits || e.Targets[1] != "n3" ||
		e.Verdicts[2].Answer != DoesNotFit || e.Verdicts[2].Why != "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." {
		t.Errorf("together: %+v", e.Verdicts)
	}
	if e.Before.Total.CPU != (Amount{11000, 4000}) || e.After.Total.CPU != (Amount{3000, 3000}) || len(e.After.Zones) != 1 {
		t.Errorf("room before %+v, after %+v", e.Before, e.After)
	}
}

// Pods that keep away from each other need a node each.
func TestTogetherCountsWhatItPlaced(t *testing.T) {
	for name, rule := range map[string]func(*corev1.Pod){
		"anti-affinity": apart(corev1.LabelHostname, web()),
		"spread":        spreadOver(corev1.LabelHostname, nil),
		"ports": func(p *corev1.Pod) {
			p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			for _, n := range []string{"n1", "n2", "n3"} {
				w.node(n, "a")
			}
			w.pod("p", "n1", rule)
			w.pod("q", "n2", rule)
			s := w.snapshot()
			e := New(s, []string{"n1", "n2"}).Together([]*kube.Pod{s.PodNamed("shop", "p"), s.PodNamed("shop", "q")})
			if e.Verdicts[0].Answer != Fits || e.Verdicts[1].Answer != DoesNotFit {
				t.Errorf("%+v", e.Verdicts)
			}
		})
	}
}

// A cordoned node stays a domain of a spread constraint: once its last pod of the constraint
// has left, no other node may have more than maxSkew. A pod that leaves gives back what it has.
func TestTogetherCountsTheNodesOfThePlan(t *testing.T) {
	tolerates := func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	honor := corev1.NodeInclusionPolicyHonor
	for name, c := range map[string]struct {
		rule  func(*corev1.Pod)
		want  []Answer
		nodes string
	}{
		"cordoned nodes are domains": {spreadOver(corev1.LabelHostname, nil), []Answer{Fits, DoesNotFit}, "n2 "},
		"those that are left out by their taint are not": {spreadOver(corev1.LabelHostname, func(s *corev1.TopologySpreadConstraint) {
			s.NodeTaintsPolicy = &honor
		}), []Answer{Fits, Fits}, "n2 n3"},
		"no rule": {func(*corev1.Pod) {}, []Answer{Fits, Fits}, "n2 n3"},
		"another node is taken where it tolerates the cordon": {tolerates, []Answer{Fits, Fits}, "n2 n3"},
		"else its own": {func(p *corev1.Pod) {
			tolerates(p)
			p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
			p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80}}
		}, []Answer{DoesNotFit, Fits}, " n1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			for _, n := range []string{"n1", "n2", "n3", "n4"} {
				w.node(n, "a")
			}
			for i, n := range []string{"n1", "n1", "n2", "n3", "n4"} {
				w.pod(fmt.Sprint("p", i+1), n, c.rule)
			}
			s := w.snapshot()
			e := New(s, []string{"n1"}).Together([]*kube.Pod{s.PodNamed("shop", "p1"), s.PodNamed("shop", "p2")})
			if got := []Answer{e.Verdicts[0].Answer, e.Verdicts[1].Answer}; !slices.Equal(got, c.want) || strings.Join(e.Targets, " ") != c.nodes {
				t.Errorf("%v on %q: %+v", got, e.Targets, e.Verdicts)
			}
			if e.Before.Total.Nodes != 4 || e.After.Total.Nodes != 3 {
				t.Errorf("room on %d nodes, then on %d", e.Before.Total.Nodes, e.After.Total.Nodes)
			}
		})
	}
}

// Uncordoning a node makes room only where nothing else speaks against it.
func TestCordonedFeasible(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	cordoned := func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	w.node("n2", "a", cordoned)
	w.node("n3", "a", cordoned)
	w.node("n4", "b", cordoned, func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule})
	})
	w.pod("p", "")
	s := w.snapshot()
	if got := CordonedFeasible(s, []string{"n3"}, s.PodNamed("shop", "p")); strings.Join(got, " ") != "n2" {
		t.Errorf("%v", got)
	}
}
