package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// stage builds workloads and clears them away.
type stage struct{ client kubernetes.Interface }

// patience is for one step of building; it takes some seconds.
const patience = 2 * time.Minute

// build makes a workload and returns when it has settled: every pod of it runs
// on a node to be drained, and every budget has counted it.
func (s stage) build(ctx context.Context, w workload) error {
	if err := s.makeNodes(ctx, w.drained()); err != nil {
		return err
	}
	for _, g := range w.groups {
		if _, err := s.client.AppsV1().Deployments(namespace).Create(ctx, g.deployment(),
			metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make deployment %s: %w", g.name, err)
		}
	}
	if err := until(ctx, "all pods to run", func() (bool, error) { return s.allRun(ctx, w.pods()) }); err != nil {
		return err
	}
	for _, g := range w.groups {
		if g.maxUnavailable == "" {
			continue
		}
		if _, err := s.client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, g.budget(),
			metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make budget %s: %w", g.name, err)
		}
	}
	if err := s.makeNodes(ctx, w.spare()); err != nil {
		return err
	}
	return until(ctx, "the budgets to be counted", func() (bool, error) { return s.allCounted(ctx, w) })
}

// makeNodes returns when the scheduler may use them.
func (s stage) makeNodes(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := s.client.CoreV1().Nodes().Create(ctx, newNode(name), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make node %s: %w", name, err)
		}
	}
	for _, name := range names {
		err := until(ctx, "node "+name+" to be ready", func() (bool, error) {
			node, err := s.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			return err == nil && len(node.Spec.Taints) == 0 && nodeReady(node), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newNode(name string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("250"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux",
			"lab.kdrain-tui.dev/kubelet": "simulated",
		}},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room, NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.36.3"}},
	}
}

func nodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (g group) labels() map[string]string { return map[string]string{"app": g.name} }

func (g group) deployment() *appsv1.Deployment {
	replicas := int32(g.pods)
	grace := int64(30)
	var annotations map[string]string
	if g.stopsAfter > 0 {
		grace = int64(g.stopsAfter)
		annotations = map[string]string{"lab.kdrain-tui.dev/stops-after": fmt.Sprintf("%ds", g.stopsAfter)}
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: g.name, Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: g.labels()},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: g.labels(), Annotations: annotations},
				Spec: corev1.PodSpec{
					TerminationGracePeriodSeconds: &grace,
					Containers:                    []corev1.Container{{Name: "main", Image: "registry.local/main:1"}},
					TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
						MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
						LabelSelector: &metav1.LabelSelector{MatchLabels: g.labels()},
					}},
				},
			},
		},
	}
}

func (g group) budget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: g.name, Namespace: namespace},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: g.limit(), Selector: &metav1.LabelSelector{MatchLabels: g.labels()},
		},
	}
}

func (s stage) allRun(ctx context.Context, want int) (bool, error) {
	pods, err := s.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("list the pods: %w", err)
	}
	ready := 0
	for i := range pods.Items {
		for _, condition := range pods.Items[i].Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	return ready == want && len(pods.Items) == want, nil
}

func (s stage) allCounted(ctx context.Context, w workload) (bool, error) {
	for _, g := range w.groups {
		if g.maxUnavailable == "" {
			continue
		}
		budget, err := s.client.PolicyV1().PodDisruptionBudgets(namespace).Get(ctx, g.name, metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("look at budget %s: %w", g.name, err)
		}
		status := budget.Status
		if status.ObservedGeneration < budget.Generation || int(status.CurrentHealthy) != g.pods ||
			status.DisruptionsAllowed == 0 {
			return false, nil
		}
	}
	return true, nil
}

// clear takes everything away that build made, and what came of it.
func (s stage) clear(ctx context.Context) error {
	all, now := metav1.ListOptions{}, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	background := metav1.DeletePropagationBackground
	apps, core := s.client.AppsV1(), s.client.CoreV1()
	for _, step := range []struct {
		what  string
		clear func() error
	}{
		{"budgets", func() error {
			return s.client.PolicyV1().PodDisruptionBudgets(namespace).DeleteCollection(ctx, now, all)
		}},
		{"deployments", func() error {
			return apps.Deployments(namespace).DeleteCollection(ctx,
				metav1.DeleteOptions{PropagationPolicy: &background}, all)
		}},
		{"replica sets", func() error { return apps.ReplicaSets(namespace).DeleteCollection(ctx, now, all) }},
		{"pods", func() error { return core.Pods(namespace).DeleteCollection(ctx, now, all) }},
		{"nodes", func() error { return core.Nodes().DeleteCollection(ctx, now, all) }},
	} {
		if err := step.clear(); err != nil {
			return fmt.Errorf("clear away the %s: %w", step.what, err)
		}
	}
	return until(ctx, "the pods to be cleared away", func() (bool, error) {
		sets, err := apps.ReplicaSets(namespace).List(ctx, all)
		if err != nil {
			return false, fmt.Errorf("list the replica sets: %w", err)
		}
		pods, err := core.Pods(namespace).List(ctx, all)
		if err != nil {
			return false, fmt.Errorf("list the pods: %w", err)
		}
		if len(pods.Items) > 0 {
			// A replica set made them after we had deleted all.
			err = core.Pods(namespace).DeleteCollection(ctx, now, all)
		}
		return len(sets.Items)+len(pods.Items) == 0, err
	})
}

func (s stage) makeNamespace(ctx context.Context) error {
	_, err := s.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make namespace %s: %w", namespace, err)
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
