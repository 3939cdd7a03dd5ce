package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// placement says where the pods of one workload, or one bare pod, are bound when
// a scene is built, and what else is done to some of them.
type placement struct {
	title     string
	namespace string
	pod       string          // a bare pod; else
	selector  labels.Selector // the pods of a workload
	nodes     []string        // one entry per pod
	sick      map[string]string
	held      map[string]string
}

func newPlacement(object *unstructured.Unstructured, said map[string]string) (placement, error) {
	p := placement{title: title(object), namespace: object.GetNamespace()}
	var err error
	if p.nodes, err = parsePlaces(said["place"]); err != nil {
		return p, err
	}
	if p.sick, err = parsePairs(said["make-sick"]); err != nil {
		return p, err
	}
	if p.held, err = parsePairs(said["delete-held"]); err != nil {
		return p, err
	}
	switch object.GetKind() {
	case "Pod":
		p.pod = object.GetName()
	case "Job":
		p.selector = labels.SelectorFromSet(labels.Set{"batch.kubernetes.io/job-name": object.GetName()})
	default:
		match, _, err := unstructured.NestedStringMap(object.Object, "spec", "selector", "matchLabels")
		if err != nil || len(match) == 0 {
			return p, errors.New("it has no selector with matchLabels")
		}
		p.selector = labels.SelectorFromSet(match)
	}
	return p, nil
}

// parsePlaces reads "worker-a1*2 worker-b1".
func parsePlaces(text string) ([]string, error) {
	var nodes []string
	for _, word := range strings.Fields(text) {
		node, times, counted := strings.Cut(word, "*")
		count := 1
		if counted {
			var err error
			if count, err = strconv.Atoi(times); err != nil || count < 1 {
				return nil, fmt.Errorf("place %q is not NODE or NODE*COUNT", word)
			}
		}
		for range count {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// parsePairs reads "worker-b1=CrashLoopBackOff worker-b2=...".
func parsePairs(text string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, word := range strings.Fields(text) {
		node, what, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not NODE=SOMETHING", word)
		}
		pairs[node] = what
	}
	return pairs, nil
}

func (p *placement) matches(pod *corev1.Pod) bool {
	if pod.Namespace != p.namespace {
		return false
	}
	if p.selector == nil {
		return pod.Name == p.pod
	}
	return p.selector.Matches(labels.Set(pod.Labels))
}

// arrange binds pods as they come until every place is taken.
func (c *cluster) arrange(ctx context.Context, s *scene) error {
	return poll(ctx, scenePatience, "pods to be placed", func(ctx context.Context) (string, error) {
		pods, err := c.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return "", fmt.Errorf("list pods: %w", err)
		}
		var missing []string
		for i := range s.placements {
			lacks, err := c.place(ctx, &s.placements[i], pods.Items)
			if err != nil {
				return "", err
			}
			if lacks != "" {
				missing = append(missing, lacks)
			}
		}
		return strings.Join(missing, ", "), nil
	})
}

// place does the next step for one workload and says what it still lacks.
func (c *cluster) place(ctx context.Context, p *placement, pods []corev1.Pod) (string, error) {
	open := map[string]int{}
	for _, node := range p.nodes {
		open[node]++
	}
	var unbound []*corev1.Pod
	held := 0
	for i := range pods {
		pod := &pods[i]
		switch {
		case !p.matches(pod):
			continue
		case pod.Spec.NodeName == "":
			unbound = append(unbound, pod)
			continue
		}
		open[pod.Spec.NodeName]--
		if finalizer := p.held[pod.Spec.NodeName]; finalizer != "" {
			held++
			if err := c.deleteHeld(ctx, pod, finalizer); err != nil {
				return "", err
			}
			if pod.DeletionTimestamp == nil {
				return p.title + " (deleting one)", nil
			}
		}
	}
	left := 0
	for _, node := range p.nodes {
		if open[node] <= 0 {
			continue
		}
		open[node]--
		if len(unbound) == 0 {
			left++
			continue
		}
		err := c.bind(ctx, unbound[0], node, p.sick[node])
		if apierrors.IsConflict(err) {
			// by a try of ours that the server did, and answered with an error
			return p.title + " (bound meanwhile)", nil
		}
		if err != nil {
			return "", err
		}
		unbound = unbound[1:]
	}
	switch {
	case left > 0:
		return fmt.Sprintf("%s (%d pods)", p.title, left), nil
	case held < len(p.held):
		return p.title + " (a pod to delete)", nil
	}
	return "", nil
}

// bind is what the scheduler does to a pod, after a note to the simulated
// kubelet of how the pod will fare there.
func (c *cluster) bind(ctx context.Context, pod *corev1.Pod, node, sick string) error {
	pods := c.typed.CoreV1().Pods(pod.Namespace)
	if sick != "" {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, ours+"sick", sick)
		if _, err := pods.Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("make pod %s/%s sick: %w", pod.Namespace, pod.Name, err)
		}
	}
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node},
	}
	if err := pods.Bind(ctx, binding, metav1.CreateOptions{FieldManager: fieldManager}); err != nil {
		return fmt.Errorf("bind pod %s/%s to %s: %w", pod.Namespace, pod.Name, node, err)
	}
	return nil
}

// deleteHeld deletes a pod that runs, with a finalizer on it that no controller will
// ever take away.
func (c *cluster) deleteHeld(ctx context.Context, pod *corev1.Pod, finalizer string) error {
	if pod.DeletionTimestamp != nil || !ready(pod) {
		return nil
	}
	pods := c.typed.CoreV1().Pods(pod.Namespace)
	patch := fmt.Sprintf(`{"metadata":{"finalizers":[%q]}}`, finalizer)
	if _, err := pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(patch),
		metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("put a finalizer on pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if err := pods.Delete(ctx, pod.Name,
		metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}); err != nil {
		return fmt.Errorf("delete pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

func ready(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
