package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// builder makes worlds on a cluster and takes them away.
type builder struct{ client kubernetes.Interface }

// patience is also for controllers that a fault of the run before has put off.
const patience = 2 * time.Minute

// empty takes away the nodes of a lab that was used before: pods are meant to
// run where a world has them.
func (b builder) empty(ctx context.Context) error {
	if err := b.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete the nodes of the lab: %w", err)
	}
	return nil
}

// build makes a world and returns when its pods run, or are as sick as they are
// meant to be.
func (b builder) build(ctx context.Context, w world) error {
	for _, name := range w.Namespaces {
		if _, err := b.client.CoreV1().Namespaces().Create(ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make namespace %s: %w", name, err)
		}
	}
	first := append(append([]string{}, w.Targets...), w.Others...)
	if err := b.makeNodes(ctx, w.Run, first); err != nil {
		return err
	}
	if err := b.makeVolumes(ctx, w); err != nil {
		return err
	}
	for _, a := range w.Apps {
		if err := b.create(ctx, w.Run, a); err != nil {
			return err
		}
	}
	for i := range w.Crowd {
		one := app{Namespace: w.Namespaces[0], Name: fmt.Sprintf("crowd-%d", i), Kind: "ReplicaSet"}
		if err := b.create(ctx, w.Run, one); err != nil {
			return err
		}
	}
	missing := ""
	err := until(ctx, "the pods to run", func() (ok bool, err error) {
		missing, err = b.missing(ctx, w, len(first))
		return missing == "", err
	})
	if err != nil {
		return fmt.Errorf("%w (%s)", err, missing)
	}
	if err := b.waitAttached(ctx, w); err != nil {
		return err
	}
	for _, a := range w.Apps {
		if err := b.prepare(ctx, a); err != nil {
			return err
		}
	}
	if err := b.makeNodes(ctx, w.Run, w.Late); err != nil {
		return err
	}
	for _, budget := range w.Budgets {
		if _, err := b.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Create(ctx, budget.object(),
			metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make budget %s/%s: %w", budget.Namespace, budget.Name, err)
		}
	}
	for _, t := range w.Traces {
		if err := b.leave(ctx, t); err != nil {
			return err
		}
	}
	if w.Unsettled {
		return nil
	}
	return b.waitCounted(ctx, w)
}

// leave does to a node what somebody has done to it before the drain.
func (b builder) leave(ctx context.Context, t trace) error {
	patch := map[string]string{
		"cordon": `{"spec":{"unschedulable":true}}`,
		"exclude from load balancers": fmt.Sprintf(`{"metadata":{"labels":{%q:"by-hand"}}}`,
			corev1.LabelNodeExcludeBalancers),
		"label and annotate": `{"metadata":{"labels":{"rack":"7"},"annotations":{"example.com/note":"fan is loud"}}}`,
	}[t.What]
	_, err := b.client.CoreV1().Nodes().Patch(ctx, t.Node, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "by-hand"})
	if err != nil {
		return fmt.Errorf("%s node %s: %w", t.What, t.Node, err)
	}
	return until(ctx, "the controllers to follow", func() (bool, error) {
		node, err := b.client.CoreV1().Nodes().Get(ctx, t.Node, metav1.GetOptions{})
		return err == nil && node.Spec.Unschedulable == (len(node.Spec.Taints) > 0), err
	})
}

// countPatience is how long the budgets may take. Some are never counted: where
// two select a pod, the disruption controller follows only one of them.
const countPatience = 3 * time.Second

func (b builder) waitCounted(ctx context.Context, w world) error {
	ctx, cancel := context.WithTimeout(ctx, countPatience)
	defer cancel()
	err := until(ctx, "the budgets to be counted", func() (bool, error) { return b.allCounted(ctx, w) })
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

func (b builder) create(ctx context.Context, run int, a app) error {
	var err error
	switch object := a.object(run).(type) {
	case *appsv1.Deployment:
		_, err = b.client.AppsV1().Deployments(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	case *appsv1.ReplicaSet:
		_, err = b.client.AppsV1().ReplicaSets(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	case *appsv1.StatefulSet:
		_, err = b.client.AppsV1().StatefulSets(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	case *appsv1.DaemonSet:
		_, err = b.client.AppsV1().DaemonSets(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	case *batchv1.Job:
		_, err = b.client.BatchV1().Jobs(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	case *corev1.Pod:
		_, err = b.client.CoreV1().Pods(a.Namespace).Create(ctx, object, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("make %s %s/%s: %w", a.Kind, a.Namespace, a.Name, err)
	}
	return nil
}

func (b builder) makeNodes(ctx context.Context, run int, names []string) error {
	for _, name := range names {
		if _, err := b.client.CoreV1().Nodes().Create(ctx, newNode(name, run), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make node %s: %w", name, err)
		}
	}
	return until(ctx, "the nodes to be ready", func() (bool, error) {
		for _, name := range names {
			node, err := b.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil || len(node.Spec.Taints) > 0 || len(node.Status.Conditions) == 0 {
				return false, err
			}
		}
		return true, nil
	})
}

// missing says which app does not have its pods yet, "" where all have.
func (b builder) missing(ctx context.Context, w world, nodes int) (string, error) {
	for _, a := range w.Apps {
		pods, err := b.podsOf(ctx, a)
		if err != nil {
			return "", err
		}
		want, have, others := a.Pods, 0, ""
		if a.Kind == "DaemonSet" {
			want = nodes
		}
		for i := range pods {
			if asMeant(&pods[i], a.Sick) {
				have++
			} else {
				others = fmt.Sprintf("; %s is %s on node %q", pods[i].Name, pods[i].Status.Phase, pods[i].Spec.NodeName)
			}
		}
		if have < want {
			return fmt.Sprintf("%s %s has %d pods as they are meant to be, of %d%s", a.Kind, a.Name, have, want,
				others), nil
		}
	}
	return "", nil
}

func (b builder) podsOf(ctx context.Context, a app) ([]corev1.Pod, error) {
	pods, err := b.client.CoreV1().Pods(a.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "own=" + a.Name})
	if err != nil {
		return nil, fmt.Errorf("list the pods of %s/%s: %w", a.Namespace, a.Name, err)
	}
	return pods.Items, nil
}

func asMeant(pod *corev1.Pod, sick string) bool {
	if sick != "" {
		statuses := pod.Status.ContainerStatuses
		if len(statuses) == 0 {
			return false
		}
		state := statuses[0].State
		return sick == "Error" && state.Terminated != nil || state.Waiting != nil && state.Waiting.Reason == sick
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// prepare does to an app what is to be done once its pods run.
func (b builder) prepare(ctx context.Context, a app) error {
	if a.SickHeirs {
		patch := fmt.Appendf(nil, `{"spec":{"template":{"metadata":{"annotations":{%q:"CrashLoopBackOff"}}}}}`, labSick)
		if _, err := b.client.AppsV1().ReplicaSets(a.Namespace).Patch(ctx, a.Name, types.MergePatchType, patch,
			metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("make the heirs of %s/%s sick: %w", a.Namespace, a.Name, err)
		}
	}
	pods, err := b.podsOf(ctx, a)
	if err != nil {
		return err
	}
	for _, pod := range pods[:min(a.Held, len(pods))] {
		patch := fmt.Appendf(nil, `{"metadata":{"finalizers":[%q]}}`, finalizer)
		if _, err := b.client.CoreV1().Pods(a.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("hold pod %s/%s: %w", a.Namespace, pod.Name, err)
		}
	}
	return nil
}

func (b builder) allCounted(ctx context.Context, w world) (bool, error) {
	for _, budget := range w.Budgets {
		got, err := b.client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Get(ctx, budget.Name,
			metav1.GetOptions{})
		if err != nil || got.Status.ObservedGeneration < got.Generation {
			return false, err
		}
	}
	return true, nil
}

// clear takes a world away, whatever the run has made of it. It returns when no
// pod and no node of it is left; its namespaces may take longer.
func (b builder) clear(ctx context.Context, w world) error {
	core, now := b.client.CoreV1(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	for _, name := range w.Namespaces {
		if err := core.Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil &&
			!apierrors.IsNotFound(err) {
			return fmt.Errorf("delete namespace %s: %w", name, err)
		}
	}
	err := until(ctx, "the pods to be gone", func() (bool, error) {
		left := 0
		for _, name := range w.Namespaces {
			pods, err := core.Pods(name).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, fmt.Errorf("list pods in %s: %w", name, err)
			}
			left += len(pods.Items)
			for i := range pods.Items {
				if err := b.release(ctx, &pods.Items[i]); err != nil {
					return false, err
				}
			}
			if err := core.Pods(name).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
				return false, fmt.Errorf("delete the pods in %s: %w", name, err)
			}
		}
		return left == 0, nil
	})
	if err != nil {
		return err
	}
	if err := b.clearVolumes(ctx, w); err != nil {
		return err
	}
	for _, group := range [][]string{w.Targets, w.Others, w.Late} {
		for _, name := range group {
			if err := core.Nodes().Delete(ctx, name, now); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("delete node %s: %w", name, err)
			}
		}
	}
	return nil
}

// release takes the finalizer off a pod.
func (b builder) release(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Finalizers) == 0 {
		return nil
	}
	_, err := b.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("release pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// until asks again and again until it is so.
func until(ctx context.Context, goal string, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		done, err := ask()
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", goal, context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}
