package operators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// custom is a custom resource.
type custom struct {
	*unstructured.Unstructured
	kind schema.GroupVersionResource
}

// text is a field of the resource, "" where it has none.
func (c custom) text(path ...string) string {
	value, _, _ := unstructured.NestedString(c.Object, path...)
	return value
}

// list lists the custom resources of a kind.
func (o *operators) list(ctx context.Context, kind schema.GroupVersionResource) ([]custom, error) {
	found, err := o.dynamic.Resource(kind).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", kind.GroupResource(), err)
	}
	all := make([]custom, len(found.Items))
	for i := range found.Items {
		all[i] = custom{&found.Items[i], kind}
	}
	return all, nil
}

// each does a step for each custom resource of a kind, also after it has failed for one.
func (o *operators) each(ctx context.Context, kind schema.GroupVersionResource,
	step func(context.Context, custom) error) error {
	all, err := o.list(ctx, kind)
	failed := []error{err}
	for _, c := range all {
		failed = append(failed, step(ctx, c))
	}
	return errors.Join(failed...)
}

// setStatus changes fields of the status.
func (o *operators) setStatus(ctx context.Context, c custom, status map[string]any) error {
	return o.patch(ctx, c, map[string]any{"status": status})
}

// patch changes a custom resource.
func (o *operators) patch(ctx context.Context, c custom, change map[string]any) error {
	patch, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("write a patch: %w", err)
	}
	_, err = o.dynamic.Resource(c.kind).Namespace(c.GetNamespace()).Patch(ctx, c.GetName(), types.MergePatchType, patch,
		metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("change %s %s: %w", c.GetKind(), c.GetName(), err)
	}
	fmt.Fprintf(o.log, "lab: %s %s: %s\n", c.GetKind(), c.GetName(), patch)
	return nil
}

func ownedBy(object metav1.Object, uid types.UID) bool {
	owner := metav1.GetControllerOf(object)
	return owner != nil && owner.UID == uid
}

// podsOf returns the pods of a custom resource by name. Terminating pods are left out.
func (o *operators) podsOf(c custom) map[string]*corev1.Pod {
	pods := map[string]*corev1.Pod{}
	for i := range o.pods {
		if pod := &o.pods[i]; ownedBy(pod, c.GetUID()) && pod.DeletionTimestamp == nil {
			pods[pod.Name] = pod
		}
	}
	return pods
}

// budgetsOf are the budgets of a custom resource.
func (o *operators) budgetsOf(c custom) []*policyv1.PodDisruptionBudget {
	var budgets []*policyv1.PodDisruptionBudget
	for i := range o.budgets {
		if ownedBy(&o.budgets[i], c.GetUID()) {
			budgets = append(budgets, &o.budgets[i])
		}
	}
	return budgets
}

// setMinAvailable opens or closes the budgets of a custom resource.
func (o *operators) setMinAvailable(ctx context.Context, c custom, pods int) error {
	for _, b := range o.budgetsOf(c) {
		if b.Spec.MinAvailable.IntValue() == pods {
			continue
		}
		patch := fmt.Sprintf(`{"spec":{"minAvailable":%d}}`, pods)
		if _, err := o.typed.PolicyV1().PodDisruptionBudgets(b.Namespace).Patch(ctx, b.Name, types.MergePatchType,
			[]byte(patch), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("change budget %s: %w", b.Name, err)
		}
		fmt.Fprintf(o.log, "lab: budget %s: minAvailable %d\n", b.Name, pods)
	}
	return nil
}

// restore creates the named pod of a custom resource like the last one of its pods that was seen, unless it is there.
func (o *operators) restore(ctx context.Context, c custom, name string, labels map[string]string) error {
	for _, pod := range o.podsOf(c) {
		o.last[c.GetUID()] = pod
	}
	for i := range o.pods { // also one that ends: its name is not free yet
		if o.pods[i].Namespace == c.GetNamespace() && o.pods[i].Name == name {
			return nil
		}
	}
	if like := o.last[c.GetUID()]; like != nil {
		return o.create(ctx, like, name, labels)
	}
	return nil
}

// create creates a pod like another one. The scheduler chooses its node.
func (o *operators) create(ctx context.Context, like *corev1.Pod, name string, labels map[string]string) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: like.Namespace, Name: name, OwnerReferences: like.OwnerReferences,
			Labels: map[string]string{}, Annotations: like.Annotations},
		Spec: *like.Spec.DeepCopy(),
	}
	pod.Spec.NodeName = ""
	for _, set := range []map[string]string{like.Labels, labels} {
		for key, value := range set {
			pod.Labels[key] = value
		}
	}
	if _, err := o.typed.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pod %s: %w", name, err)
	}
	fmt.Fprintf(o.log, "lab: pod %s/%s: created\n", pod.Namespace, name)
	return nil
}

// patchPod changes a pod, or its status if the subresource is named.
func (o *operators) patchPod(ctx context.Context, pod *corev1.Pod, patch string, subresource ...string) error {
	_, err := o.typed.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(patch),
		metav1.PatchOptions{}, subresource...)
	if err != nil {
		return fmt.Errorf("change pod %s: %w", pod.Name, err)
	}
	fmt.Fprintf(o.log, "lab: pod %s/%s: %s\n", pod.Namespace, pod.Name, patch)
	return nil
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// finished reports whether the containers of a pod have ended for good.
func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
