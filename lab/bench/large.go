package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// The start benchmark asks how soon a drain of one node begins in a large cluster:
// the time from the call to the first write, of both programs in turn.

// startName is its name for -only.
const startName = "start"

// crowd is a cluster of many nodes and pods; no kubelet runs them.
type crowd struct {
	pods int
	most float64 // seconds that our first write may come after kubectl's
}

var crowds = []crowd{{30_000, 0.7}, {150_000, 1}}

const (
	crowdNodes  = 5_000
	crowdApps   = 200 // namespaces, each with a budget over its pods
	crowdMakers = 32  // requests at once while it is made
	startRounds = 3
)

// measureStarts makes the clusters one out of the other, in a lab that nothing else
// clears, and drains some of their nodes with each tool.
func measureStarts(ctx context.Context, settings settings, out, log io.Writer) (err error) {
	r, err := rig.Start(ctx, settings.lab, "", log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	s := stage{client: r.Client}
	both := slices.DeleteFunc(tools(r, settings.kdrain), func(t tool) bool { return !listed(settings.tools, t.name) })
	if _, err := r.Call(ctx, r.Kubectl(), "get", "nodes"); err != nil {
		return err // kubectl keeps what it has learned of the server
	}
	err = parallel(ctx, 0, crowdNodes, func(i int) error {
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
	made, turn := 0, 0
	for _, c := range crowds {
		began := time.Now()
		if err := parallel(ctx, made, c.pods, func(i int) error { return s.makeCrowdPod(ctx, i) }); err != nil {
			return fmt.Errorf("make %d pods: %w", c.pods, err)
		}
		fmt.Fprintf(log, "bench: %d pods made in %.0f s\n", c.pods-made, time.Since(began).Seconds())
		made = c.pods
		took := map[string][]float64{}
		for range startRounds {
			for _, t := range both {
				turn++
				seconds, err := startOf(ctx, r, t, crowdNode(turn))
				if err != nil {
					return err
				}
				fmt.Fprintf(log, "bench: %s begins after %.2f s among %d pods\n", t.name, seconds, c.pods)
				took[t.name] = append(took[t.name], seconds)
			}
			slices.Reverse(both)
		}
		printStarts(out, c, took)
	}
	return nil
}

// startOf drains one node and returns the seconds to the first write.
func startOf(ctx context.Context, r *rig.Rig, t tool, node string) (float64, error) {
	offset, err := audit.End(r.AuditLog())
	if err != nil {
		return 0, err
	}
	args := []string{"drain", node, "--force", "--grace-period=0", "--timeout=2m"}
	if t.agent != "kubectl" {
		args = append(args, "--yes")
	}
	result, err := r.Call(ctx, t.program, args...)
	if err != nil {
		return 0, err
	}
	requests, _, err := audit.Read(r.AuditLog(), offset)
	d := drained{result: result, requests: audit.Of(requests, t.agent)}
	if result.Code != 0 || len(d.requests) == 0 {
		return 0, errors.Join(err, fmt.Errorf("%s ended with code %d: %s", t.name, result.Code, result.Err))
	}
	return d.firstWrite().Sub(result.Began).Seconds(), err
}

func printStarts(out io.Writer, c crowd, took map[string][]float64) {
	name := func(tool string) string { return fmt.Sprintf("start/%d-pods/%s", c.pods, tool) }
	middle := func(all []float64) float64 {
		sorted := slices.Sorted(slices.Values(all))
		return sorted[(len(sorted)-1)/2]
	}
	for _, tool := range []string{"kubectl", "kdrain-tui"} {
		if len(took[tool]) > 0 {
			fmt.Fprintf(out, "%s %.3f s\n", name(tool), middle(took[tool]))
		}
	}
	if len(took) == 2 {
		bar(out, name("behind-kubectl"), middle(took["kdrain-tui"])-middle(took["kubectl"]) <= c.most)
	}
}

func crowdNode(i int) string { return fmt.Sprintf("crowd-%04d", i%crowdNodes) }

func crowdNamespace(i int) string { return fmt.Sprintf("crowd-%03d", i%crowdApps) }

func (s stage) makeCrowdNamespace(ctx context.Context, i int) error {
	_, err := s.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: crowdNamespace(i)}}, metav1.CreateOptions{})
	return err
}

// makeCrowdPod makes a pod that is bound and never started: an eviction of it is a
// deletion, whatever its budget.
func (s stage) makeCrowdPod(ctx context.Context, i int) error {
	some := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("128Mi")}
	_, err := s.client.CoreV1().Pods(crowdNamespace(i)).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("crowd-%06d", i), Labels: map[string]string{"app": "crowd"}},
		Spec: corev1.PodSpec{
			NodeName:    crowdNode(i),
			Containers:  []corev1.Container{{Name: "main", Image: "registry.local/main:1", Resources: corev1.ResourceRequirements{Requests: some}}},
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}},
		},
	}, metav1.CreateOptions{})
	return err
}

func (s stage) makeCrowdBudget(ctx context.Context, i int) error {
	one := intstr.FromInt32(1)
	_, err := s.client.PolicyV1().PodDisruptionBudgets(crowdNamespace(i)).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "crowd"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "crowd"}}},
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
