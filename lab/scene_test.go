package main

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// actor is a workload or a bare pod of a scene.
type actor struct {
	kind, namespace, name string
	labels                labels.Set // of its pods
	spec                  corev1.PodSpec
	replicas              int
	nodes                 map[string]int // how many of its pods are where; nil for a DaemonSet
}

func mustRead(t *testing.T, name string) *scene {
	t.Helper()
	s, err := readScene(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// actors are all of a scene that have pods.
func actors(t *testing.T, s *scene) []actor {
	t.Helper()
	var all []actor
	for _, object := range s.objects {
		a := actor{kind: object.GetKind(), namespace: object.GetNamespace(), name: object.GetName(), replicas: 1}
		switch a.kind {
		case "Pod":
			a.labels = object.GetLabels()
			convert(t, object, &a.spec, "spec")
		case "Deployment", "StatefulSet", "DaemonSet", "Job":
			template := corev1.PodTemplateSpec{}
			convert(t, object, &template, "spec", "template")
			a.labels, a.spec = template.Labels, template.Spec
			for _, field := range []string{"replicas", "completions"} {
				if count, found, _ := unstructured.NestedInt64(object.Object, "spec", field); found {
					a.replicas = int(count)
				}
			}
		default:
			continue
		}
		for _, p := range s.placements {
			if p.title == title(object) {
				a.nodes = map[string]int{}
				for _, node := range p.nodes {
					a.nodes[node]++
				}
				a.replicas += len(p.held)
			}
		}
		if a.nodes == nil && a.spec.NodeName != "" {
			a.nodes = map[string]int{a.spec.NodeName: 1}
		}
		all = append(all, a)
	}
	return all
}

func convert(t *testing.T, object *unstructured.Unstructured, into any, path ...string) {
	t.Helper()
	part, found, err := unstructured.NestedMap(object.Object, path...)
	if err == nil && found {
		err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(part, into, true)
	}
	if err != nil || !found {
		t.Fatalf("%s: %v: found %t, %v", title(object), path, found, err)
	}
}

func TestEveryPodOfASceneHasAPlaceThatExists(t *testing.T) {
	for _, name := range simulatedScenes() {
		s := mustRead(t, name)
		for _, p := range s.placements {
			for node := range p.sick {
				if !slices.Contains(p.nodes, node) {
					t.Errorf("%s, %s: nothing is placed on %s to be sick", name, p.title, node)
				}
			}
			for node := range p.held {
				if !slices.Contains(p.nodes, node) {
					t.Errorf("%s, %s: nothing is placed on %s to be deleted", name, p.title, node)
				}
			}
		}
		for _, a := range actors(t, s) {
			count := 0
			for node, pods := range a.nodes {
				count += pods
				if !slices.Contains(s.nodes, node) {
					t.Errorf("%s, %s/%s: there is no node %s", name, a.namespace, a.name, node)
				}
			}
			if a.kind != "DaemonSet" && count != a.replicas {
				t.Errorf("%s, %s/%s: %d places for %d pods", name, a.namespace, a.name, count, a.replicas)
			}
		}
	}
}

// simulatedScenes are all but that of real nodes, whose pods the scheduler places.
func simulatedScenes() []string {
	return slices.DeleteFunc(sceneNames(), func(name string) bool { return name == realScene })
}

// The numbers that the screens show have to look like those of a cluster in use.
func TestNodesAreNeitherEmptyNorOverfull(t *testing.T) {
	for _, name := range simulatedScenes() {
		s := mustRead(t, name)
		requested := map[string]int64{}
		for _, a := range actors(t, s) {
			cpu := int64(0)
			for _, container := range a.spec.Containers {
				cpu += container.Resources.Requests.Cpu().MilliValue()
			}
			if cpu == 0 {
				t.Errorf("%s, %s/%s: no CPU requested", name, a.namespace, a.name)
			}
			for _, node := range s.nodes {
				pods := a.nodes[node]
				switch {
				case a.kind == "DaemonSet":
					pods = 1
				case a.labels[ours+"finishes"] == "true":
					pods = 0
				}
				requested[node] += cpu * int64(pods)
			}
		}
		for _, object := range s.objects {
			if !isNode(object) {
				continue
			}
			node := corev1.Node{}
			convert(t, object, &node.Status, "status")
			allocatable := node.Status.Allocatable.Cpu().MilliValue()
			percent := requested[object.GetName()] * 100 / allocatable
			if percent > 92 || (name == "demo" && percent < 30) {
				t.Errorf("%s, node %s: %d%% of its CPU is requested", name, object.GetName(), percent)
			}
		}
	}
}

func TestOurAnnotationsDoNotReachTheCluster(t *testing.T) {
	for _, name := range sceneNames() {
		for _, object := range mustRead(t, name).objects {
			for key := range object.GetAnnotations() {
				if strings.HasPrefix(key, ours) {
					t.Errorf("%s, %s keeps %s", name, title(object), key)
				}
			}
		}
	}
}

func TestPlacesAreRead(t *testing.T) {
	for text, want := range map[string][]string{
		"a":        {"a"},
		"a*2 b":    {"a", "a", "b"},
		"  a  b*1": {"a", "b"},
	} {
		if got, err := parsePlaces(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"a*", "a*x", "a*0", "a*-1"} {
		if got, err := parsePlaces(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	if _, err := parsePairs("worker-1"); err == nil {
		t.Error("a pair without = is taken")
	}
}

// budgetsOf returns the names of the budgets that select the pods of an actor.
func budgetsOf(t *testing.T, s *scene, a actor) []string {
	t.Helper()
	var names []string
	for _, object := range s.objects {
		if object.GetKind() != "PodDisruptionBudget" || object.GetNamespace() != a.namespace {
			continue
		}
		budget := policyv1.PodDisruptionBudget{}
		convert(t, object, &budget.Spec, "spec")
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			t.Fatal(err)
		}
		if selector.Matches(a.labels) {
			names = append(names, object.GetName())
		}
	}
	slices.Sort(names)
	return names
}
