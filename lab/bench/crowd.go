package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	crowdNodes  = 5_000
	crowdApps   = 200 // namespaces, each with a budget over its pods
	crowdMakers = 32  // requests at once while it is made
)

// buildCrowd makes everything of the large cluster but its pods.
func (s stage) buildCrowd(ctx context.Context) error {
	err := parallel(ctx, 0, crowdNodes, func(i int) error {
		node := newNode(crowdNode(i))
		delete(node.Labels, "lab.kdrain-tui.dev/kubelet")
		_, err := s.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("make %d nodes: %w", crowdNodes, err)
	}
	if err := parallel(ctx, 0, crowdApps, func(i int) error { return s.makeCrowdNamespace(ctx, i) }); err != nil {
		return fmt.Errorf("make %d namespaces: %w", crowdApps, err)
	}
	if err := parallel(ctx, 0, crowdApps, func(i int) error { return s.makeCrowdBudget(ctx, i) }); err != nil {
		return fmt.Errorf("make %d budgets: %w", crowdApps, err)
	}
	return nil
}

func crowdNode(i int) string { return fmt.Sprintf("crowd-%04d", i%crowdNodes) }

func crowdNamespace(i int) string { return fmt.Sprintf("crowd-%03d", i%crowdApps) }

func (s stage) makeCrowdNamespace(ctx context.Context, i int) error {
	_, err := s.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: crowdNamespace(i)}}, metav1.CreateOptions{})
	return err
}

// makeCrowdPod makes a pod that is bound and never started: an eviction of it is a
// deletion, whatever its budget. Its names and values are random, so that they compress as
// badly as those of a real cluster; each run of the benchmark makes the same ones.
func (s stage) makeCrowdPod(ctx context.Context, i int) error {
	some := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("128Mi")}
	random := rand.New(rand.NewPCG(1, uint64(i)))
	word := func() string { return fmt.Sprintf("%016x", random.Uint64()) }
	var env []corev1.EnvVar
	for range 8 {
		env = append(env, corev1.EnvVar{Name: "VALUE_" + word()[:6], Value: word() + word()})
	}
	_, err := s.client.CoreV1().Pods(crowdNamespace(i)).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("crowd-%06d-%s", i, word()[:5]),
			Labels:      map[string]string{"app": "crowd", "pod-template-hash": word()[:10]},
			Annotations: map[string]string{"checksum/config": word() + word() + word() + word()},
		},
		Spec: corev1.PodSpec{
			NodeName: crowdNode(i),
			Containers: []corev1.Container{{Name: "main", Image: "registry.local/main@sha256:" + word() + word(),
				Env: env, Resources: corev1.ResourceRequirements{Requests: some}}},
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}},
		},
	}, metav1.CreateOptions{})
	return err
}

func (s stage) makeCrowdBudget(ctx context.Context, i int) error {
	one := intstr.FromInt32(1)
	_, err := s.client.PolicyV1().PodDisruptionBudgets(crowdNamespace(i)).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "crowd"},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "crowd"}}},
	}, metav1.CreateOptions{})
	return err
}

// parallel does it for the numbers in between, many at once, until one fails.
func parallel(ctx context.Context, from, to int, do func(int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range crowdMakers {
		workers.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := from; i < to && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
