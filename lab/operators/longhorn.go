package operators

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	longhornGroup    = schema.GroupVersion{Group: "longhorn.io", Version: "v1beta2"}
	longhornNodes    = longhornGroup.WithResource("nodes")
	instanceManagers = longhornGroup.WithResource("instancemanagers")
	longhornReplicas = longhornGroup.WithResource("replicas")
	longhornSettings = longhornGroup.WithResource("settings")
)

// volumeLabel is on the pods that use a volume of Longhorn; in the lab it stands for their claim.
const volumeLabel = "lab.kdrain-tui.dev/volume"

// longhorn deletes the budget of an instance manager on a cordoned node, when the volumes there are detached and the
// setting node-drain-policy allows it. It moves the replicas of a node away on request.
func (o *operators) longhorn(ctx context.Context) error {
	err := o.each(ctx, longhornNodes, o.moveReplicas)
	return errors.Join(err, o.each(ctx, instanceManagers, func(ctx context.Context, m custom) error {
		node := m.text("spec", "nodeID")
		if !o.cordoned[node] || !o.budgetExists(m.GetNamespace(), m.GetName()) || o.usesVolumes(node) {
			return nil
		}
		if held, err := o.heldByReplica(ctx, node); held || err != nil || !o.over("detaching of the volumes of "+node) {
			return err
		}
		if err := o.typed.PolicyV1().PodDisruptionBudgets(m.GetNamespace()).Delete(ctx, m.GetName(),
			metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete budget %s: %w", m.GetName(), err)
		}
		fmt.Fprintf(o.log, "lab: budget %s: deleted\n", m.GetName())
		return nil
	}))
}

// moveReplicas moves the replicas of a node whose evictionRequested is set to another node that takes new ones.
func (o *operators) moveReplicas(ctx context.Context, from custom) error {
	if requested, _, _ := unstructured.NestedBool(from.Object, "spec", "evictionRequested"); !requested ||
		!o.over("eviction of the replicas of "+from.GetName()) {
		return nil
	}
	nodes, err := o.list(ctx, longhornNodes)
	if err != nil {
		return err
	}
	for _, to := range nodes {
		takes, _, _ := unstructured.NestedBool(to.Object, "spec", "allowScheduling")
		if !takes || o.cordoned[to.GetName()] {
			continue
		}
		return o.each(ctx, longhornReplicas, func(ctx context.Context, r custom) error {
			if r.text("spec", "nodeID") != from.GetName() {
				return nil
			}
			return o.patch(ctx, r, map[string]any{"spec": map[string]any{"nodeID": to.GetName()}})
		})
	}
	return nil
}

func (o *operators) budgetExists(namespace, name string) bool {
	for _, b := range o.budgets {
		if b.Namespace == namespace && b.Name == name {
			return true
		}
	}
	return false
}

// usesVolumes reports whether a pod on the node keeps a volume attached.
func (o *operators) usesVolumes(node string) bool {
	for i := range o.pods {
		if pod := &o.pods[i]; pod.Spec.NodeName == node && pod.Labels[volumeLabel] != "" && !finished(pod) {
			return true
		}
	}
	return false
}

// heldByReplica reports whether the policy blocks a drain for the last healthy replica of a volume.
func (o *operators) heldByReplica(ctx context.Context, node string) (bool, error) {
	settings, err := o.list(ctx, longhornSettings)
	if err != nil {
		return false, err
	}
	replicas, err := o.list(ctx, longhornReplicas)
	if err != nil {
		return false, err
	}
	policy := "block-if-contains-last-replica"
	for _, s := range settings {
		if s.GetName() == "node-drain-policy" {
			policy = s.text("value")
		}
	}
	elsewhere := map[string]bool{} // volumes with a healthy replica on another node
	for _, r := range replicas {
		if r.text("spec", "nodeID") != node && r.text("spec", "healthyAt") != "" && r.text("spec", "failedAt") == "" {
			elsewhere[r.text("spec", "volumeName")] = true
		}
	}
	for _, r := range replicas {
		if r.text("spec", "nodeID") == node && !elsewhere[r.text("spec", "volumeName")] {
			return policy == "block-if-contains-last-replica", nil
		}
	}
	return false, nil
}
