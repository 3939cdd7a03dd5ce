package operators

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var postgresClusters = schema.GroupVersionResource{Group: "postgresql.cnpg.io", Version: "v1", Resource: "clusters"}

const roleLabel = "cnpg.io/instanceRole"

// cloudNativePG makes another instance the primary once the node of the primary is cordoned. The budget selects the
// primary by its label, so that the old one can be evicted then. An instance that was evicted comes back elsewhere.
func (o *operators) cloudNativePG(ctx context.Context) error {
	clusters, err := o.list(ctx, postgresClusters)
	if err != nil {
		return err
	}
	for _, c := range clusters {
		if err := o.switchOver(ctx, c); err != nil {
			return err
		}
		instances, _, _ := unstructured.NestedInt64(c.Object, "spec", "instances")
		for i := range instances {
			name := fmt.Sprintf("%s-%d", c.GetName(), i+1)
			labels := map[string]string{"cnpg.io/instanceName": name, roleLabel: "replica"}
			if err := o.restore(ctx, c, name, labels); err != nil {
				return err
			}
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
