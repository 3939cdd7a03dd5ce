//go:build lab

package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// deployRequesting makes a Deployment whose pods request CPU and run on the nodes, also on
// those that come later.
func (s *stage) deployRequesting(name string, replicas int32, cpu string, nodes ...string) {
	s.Helper()
	labels, none, one, grace := map[string]string{"app": name}, intstr.FromInt32(0), intstr.FromInt32(1), int64(1)
	_, err := s.client.AppsV1().Deployments(s.namespace).Create(s.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &none, MaxUnavailable: &one}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: &grace,
					Containers: []corev1.Container{{Name: "main", Image: "registry.local/" + name,
						Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": quantity(cpu)}}}},
					Tolerations: []corev1.Toleration{{Key: "test.kdrain-tui.dev/own", Operator: corev1.TolerationOpExists}},
					Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
						NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
							{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}}}},
					}}},
				},
			},
		},
	}, metav1.CreateOptions{})
	s.must(err)
}

// image makes the pods of the Deployment healthy, or sick from now on.
func (s *stage) image(deployment, sick string) {
	s.Helper()
	value := "null"
	if sick != "" {
		value = `"` + sick + `"`
	}
	patch := `{"spec":{"template":{"metadata":{"annotations":{"lab.kdrain-tui.dev/sick":` + value + `}}}}}`
	_, err := s.client.AppsV1().Deployments(s.namespace).Patch(s.Context(), deployment, mergePatch, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}

// ready waits until so many pods of the Deployment are, and how many of them on the node.
func (s *stage) ready(source Source, deployment string, pods int) (on map[string]int) {
	s.Helper()
	s.until(source, "the pods of "+deployment+" are Ready", func(snap *kube.Snapshot) bool {
		on = map[string]int{}
		found := 0
		for _, p := range snap.PodsIn(s.namespace) {
			if strings.HasPrefix(p.Name, deployment+"-") && p.Ready && !p.Terminating() {
				on[p.Node]++
				found++
			}
		}
		return found == pods
	})
	return on
}

func waitingOptions() plan.Options {
	o := bareOptions()
	o.WaitReplacements, o.StrictOrder = 10*time.Minute, true
	return o
}

// moved is the first pod that the run moves; DaemonSets of the cluster have others on the node.
func moved(s *drain.State) *eviction.Record {
	i := slices.IndexFunc(s.Pods, func(p *eviction.Record) bool { return p.Action == plan.ActionEvict })
	if i < 0 {
		return nil
	}
	return s.Pods[i]
}

// A replacement for which there is no room is Pending in the words of the real scheduler, and the run
// waits; a node that comes takes it, and the run is done.
func TestReplacementWithoutRoom(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect("")
	first, second, third := s.addNode("w1"), s.addNode("w2"), s.namespace+"-w3"
	w := s.watchOwners(c)
	s.deployRequesting("web", 2, "5", first, second, third) // 8 CPUs: one to a node
	if on := s.ready(w, "web", 2); on[first] != 1 || on[second] != 1 {
		t.Fatalf("the pods are on %v", on)
	}
	r := s.drain(w, c, waitingOptions(), first)
	pending := moved(r.until("the replacement has no room", func(state *drain.State) bool {
		p := moved(state)
		return p != nil && p.Replacement.State == replacement.Pending && p.Replacement.Reason != ""
	})).Replacement
	if pending.Reason != corev1.PodReasonUnschedulable || !strings.Contains(pending.Why, "Insufficient cpu") || pending.Owner != "Deployment/web" {
		t.Errorf("%+v", pending.Facts)
	}
	if outcome := r.State().Outcome; outcome != "" {
		t.Fatalf("the run ended as %s", outcome)
	}
	s.addNode("w3")
	state := r.ends(drain.OutcomeDone)
	if got := moved(state).Replacement; got.State != replacement.Ready || got.Node != third || got.UID != pending.UID || got.Took() <= 0 {
		t.Errorf("%+v", got)
	}
}

// A bad image that is rolled out while the first node drains closes the health gate for the second, which
// names the workload; it opens by itself when the image is good again.
func TestHealthGateOverABadImage(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect("")
	first, second := s.addNode("w1"), s.addNode("w2")
	held, other := s.addPod("held", first), s.addPod("other", second)
	s.addBudget("held", "held", 1)
	w := s.watchOwners(c)
	s.running(w, held, other)
	s.budgetHas(w, "held", 1, 0)
	s.deployRequesting("web", 2, "100m", first, s.namespace+"-w3")
	s.ready(w, "web", 2) // both on the first node, the only one there is for them
	s.addNode("w3")
	r := s.drain(w, c, waitingOptions(), first, second)
	r.until("the web pods have left, and their replacements are Ready", func(state *drain.State) bool {
		tally := replacement.Tally{}
		for _, p := range state.Pods {
			tally.Add(&p.Replacement)
		}
		return tally.Wanted > 0 && tally.Ready == tally.Wanted && state.Baseline != nil
	})
	s.image("web", "ImagePullBackOff")
	s.until(w, "one pod of the Deployment is away", func(snap *kube.Snapshot) bool {
		for _, p := range snap.PodsIn(s.namespace) {
			if strings.HasPrefix(p.Name, "web-") && p.Trouble != nil && p.Trouble.Reason == "ImagePullBackOff" {
				return true
			}
		}
		return false
	})
	s.deleteBudget("held")
	gate := r.until("the gate is closed", func(state *drain.State) bool { return state.Gate != nil }).Gate
	if len(gate.Workloads) != 1 || gate.Workloads[0].Name != "web" || !strings.Contains(gate.Sentence(), "ImagePullBackOff") {
		t.Errorf("%s", gate.Sentence())
	}
	if n := r.State().Node(second); n.State != drain.NodeCordoned {
		t.Errorf("the second node is %s", n.State)
	}
	s.image("web", "")
	state := r.ends(drain.OutcomeDone)
	if state.Gate != nil || state.Node(second).State != drain.NodeDrained {
		t.Errorf("gate %+v, node %s", state.Gate, state.Node(second).State)
	}
}
