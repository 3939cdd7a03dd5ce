package landing

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// world is a list of objects that reads like a sentence in a test.
type world struct{ objects []runtime.Object }

func (w *world) add(objects ...runtime.Object) { w.objects = append(w.objects, objects...) }

func (w *world) snapshot() *kube.Snapshot {
	return kubetest.SnapshotOf(time.Unix(1000, 0), w.objects...)
}

func amounts(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

// node adds a node of 4 CPUs, 8Gi and 110 pods in a zone.
func (w *world) node(name, zone string, changes ...func(*corev1.Node)) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelTopologyZone: zone,
	}}}
	n.Status.Allocatable = amounts("4", "8Gi")
	n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("110")
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, change := range changes {
		change(n)
	}
	w.add(n)
}

// pod adds a pod of one container that asks for 1 CPU and 1Gi.
func (w *world) pod(name, node string, changes ...func(*corev1.Pod)) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "web"},
	}}
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: amounts("1", "1Gi")}}}
	for _, change := range changes {
		change(p)
	}
	w.add(p)
}

func web() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
}

func near(key string, s *metav1.LabelSelector) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: key, LabelSelector: s}},
		}}
	}
}

func apart(key string, s *metav1.LabelSelector) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: key, LabelSelector: s}},
		}}
	}
}

func spreadOver(key string, change func(*corev1.TopologySpreadConstraint)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		s := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: web()}
		if change != nil {
			change(&s)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, s)
	}
}

func claims(names ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for i, name := range names {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: fmt.Sprint("v", i), VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
			}})
		}
	}
}

// alone is the verdict on the pod of that name, with nodes cordoned.
func alone(t *testing.T, w *world, name string, planned ...string) Verdict {
	t.Helper()
	s := w.snapshot()
	p := s.PodNamed("shop", name)
	if p == nil {
		t.Fatalf("no pod %s", name)
	}
	return New(s, planned).Alone(p)
}
