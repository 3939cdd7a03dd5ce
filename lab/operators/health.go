package operators

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Two controllers open their budgets when the data is healthy. In the scene the data is not, and it gets so some time
// after the cordon, with which it has nothing to do: so a drain has to wait each time.

var elasticsearches = schema.GroupVersionResource{Group: "elasticsearch.k8s.elastic.co", Version: "v1",
	Resource: "elasticsearches"}

const elasticLabel = "elasticsearch.k8s.elastic.co/cluster-name"

// elastic lets one pod go while the health is green, and none otherwise.
func (o *operators) elastic(ctx context.Context) error {
	return o.each(ctx, elasticsearches, func(ctx context.Context, c custom) error {
		all, healthy := 0, 0
		for i := range o.pods {
			pod := &o.pods[i]
			if pod.Namespace != c.GetNamespace() || pod.Labels[elasticLabel] != c.GetName() {
				continue
			}
			all++
			if ready(pod) && pod.DeletionTimestamp == nil {
				healthy++
			}
		}
		health, allowed := "yellow", 0
		if recovered := len(o.cordoned) > 0 && o.over("recovery of "+c.GetName()); recovered && all == healthy {
			health, allowed = "green", 1
		}
		if c.text("status", "health") != health {
			if err := o.setStatus(ctx, c, map[string]any{"health": health}); err != nil {
				return err
			}
		}
		return o.setMinAvailable(ctx, c, 2-allowed)
	})
}

var cephClusters = schema.GroupVersionResource{Group: "ceph.rook.io", Version: "v1", Resource: "cephclusters"}

// rook replaces the budgets that block a failure domain by one that lets any OSD go, when the health is HEALTH_OK.
func (o *operators) rook(ctx context.Context) error {
	return o.each(ctx, cephClusters, func(ctx context.Context, c custom) error {
		if c.text("status", "ceph", "health") != "HEALTH_OK" {
			if len(o.cordoned) == 0 || !o.over("recovery of "+c.GetName()) {
				return nil
			}
			if err := o.setStatus(ctx, c, map[string]any{"ceph": map[string]any{"health": "HEALTH_OK"}}); err != nil {
				return err
			}
		}
		return o.unblock(ctx, c)
	})
}

func (o *operators) unblock(ctx context.Context, c custom) error {
	const usual = "rook-ceph-osd"
	there := false
	budgets := o.typed.PolicyV1().PodDisruptionBudgets(c.GetNamespace())
	for _, b := range o.budgetsOf(c) {
		if b.Name == usual {
			there = true
			continue
		}
		if err := budgets.Delete(ctx, b.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete budget %s: %w", b.Name, err)
		}
		fmt.Fprintf(o.log, "lab: budget %s: deleted\n", b.Name)
	}
	if there {
		return nil
	}
	one := intstr.FromInt32(1)
	_, err := budgets.Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: usual, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(c, c.GroupVersionKind())}},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one,
			Selector: metav1.SetAsLabelSelector(labels.Set{"app": usual})},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("make budget %s: %w", usual, err)
	}
	return nil
}
