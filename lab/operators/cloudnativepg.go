package operators

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var postgresClusters = schema.GroupVersionResource{Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"}

const roleLabel = "cnpg.io/instanceRole"

// cloudNativePG makes another instance the primary once the node of the primary is cordoned. The budget selects the
// primary by its label, so that the old one can be evicted then. An instance that was evicted comes back elsewhere.
func (o *operators) cloudNativePG(ctx context.Context) error {
	return o.each(ctx, postgresClusters, func(ctx context.Context, c custom) error {
		if err := errors.Join(o.switchOver(ctx, c), o.primaryBudget(ctx, c)); err != nil {
			return err
		}
		instances, _, _ := unstructured.NestedInt64(c.Object, "spec", "instances")
		role := "replica"
		if instances == 1 {
			role = "primary"
		}
		for i := range instances {
			name := fmt.Sprintf("%s-%d", c.GetName(), i+1)
			labels := map[string]string{"cnpg.io/instanceName": name, roleLabel: role}
			if err := o.restore(ctx, c, name, labels); err != nil {
				return err
			}
		}
		return nil
	})
}

// primaryBudget deletes the budget of the primary while enablePDB is false, and makes it again afterwards.
func (o *operators) primaryBudget(ctx context.Context, c custom) error {
	wanted, set, _ := unstructured.NestedBool(c.Object, "spec", "enablePDB")
	wanted = wanted || !set // its default
	budgets := o.typed.PolicyV1().PodDisruptionBudgets(c.GetNamespace())
	found := o.budgetsOf(c)
	switch {
	case wanted && len(found) == 0:
		one := intstr.FromInt32(1)
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: c.GetName() + "-primary",
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(c, c.GroupVersionKind())}}}
		b.Spec.MinAvailable = &one
		b.Spec.Selector = metav1.SetAsLabelSelector(labels.Set{"cnpg.io/cluster": c.GetName(), roleLabel: "primary"})
		if _, err := budgets.Create(ctx, b, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make budget %s: %w", b.Name, err)
		}
		fmt.Fprintf(o.log, "lab: budget %s: made\n", b.Name)
	case !wanted:
		for _, b := range found {
			if err := budgets.Delete(ctx, b.Name, metav1.DeleteOptions{}); err != nil {
				return fmt.Errorf("delete budget %s: %w", b.Name, err)
			}
			fmt.Fprintf(o.log, "lab: budget %s: deleted\n", b.Name)
		}
	}
	return nil
}

func (o *operators) switchOver(ctx context.Context, c custom) error {
	current, target := c.text("status", "currentPrimary"), c.text("status", "targetPrimary")
	instances := o.podsOf(c)
	primary := instances[current]
	if current == target {
		if primary == nil || !o.cordoned[primary.Spec.NodeName] {
			return nil
		}
		for name, other := range instances {
			if ready(other) && !o.cordoned[other.Spec.NodeName] {
				return o.setStatus(ctx, c, map[string]any{"targetPrimary": name, "phase": "Switchover in progress"})
			}
		}
		return nil // a single instance: it waits for ever
	}
	if !o.over("switchover of " + c.GetName() + " to " + target) {
		return nil
	}
	// The old primary first: two primaries would open the budget for both.
	for _, turn := range []struct {
		pod  *corev1.Pod
		role string
	}{{primary, "replica"}, {instances[target], "primary"}} {
		if turn.pod == nil || turn.pod.Labels[roleLabel] == turn.role {
			continue
		}
		patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, roleLabel, turn.role)
		if err := o.patchPod(ctx, turn.pod, patch); err != nil {
			return err
		}
	}
	return o.setStatus(ctx, c, map[string]any{"currentPrimary": target, "phase": "Cluster in healthy state"})
}
