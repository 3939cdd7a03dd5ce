package film

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// makeMarkers makes a pod that no scheduler takes and a budget that selects
// nothing; CatchUp changes them and waits until the film shows it.
func (f *Film) makeMarkers(ctx context.Context) error {
	meta := metav1.ObjectMeta{Name: "marker", Namespace: markers}
	core := f.client.CoreV1()
	_, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: markers}},
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the namespace of the film's markers: %w", err)
	}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{
		SchedulerName: "nobody", Containers: []corev1.Container{{Name: "none", Image: "none"}},
	}}
	if _, err := core.Pods(markers).Create(ctx, pod, metav1.CreateOptions{}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the film's marker among the pods: %w", err)
	}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"film": "nothing"}},
	}}
	if _, err := f.client.PolicyV1().PodDisruptionBudgets(markers).Create(ctx, budget,
		metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make the film's marker among the budgets: %w", err)
	}
	return nil
}

// catchUpPatience is far more than a watch takes, also on a busy machine.
const catchUpPatience = 90 * time.Second

// CatchUp returns when everything that has happened so far is on film.
func (f *Film) CatchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpPatience)
	defer cancel()
	touch := fmt.Appendf(nil, `{"metadata":{"annotations":{"film":%q}}}`, time.Now().Format(time.RFC3339Nano))
	pod, err := f.client.CoreV1().Pods(markers).Patch(ctx, "marker", types.MergePatchType, touch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("touch the film's marker among the pods: %w", err)
	}
	budget, err := f.client.PolicyV1().PodDisruptionBudgets(markers).Patch(ctx, "marker", types.MergePatchType, touch,
		metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("touch the film's marker among the budgets: %w", err)
	}
	for {
		f.mu.Lock()
		reached := f.rvs["pods"] >= number(pod.ResourceVersion) && f.rvs["budgets"] >= number(budget.ResourceVersion)
		err, changed := f.err, f.changed
		f.mu.Unlock()
		if err != nil || reached {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the film to catch up: %w", context.Cause(ctx))
		}
	}
}
