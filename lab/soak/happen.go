package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// happen does what others do while a drain runs, each at its moment. What is
// no longer there by then does not happen.
func (b builder) happen(ctx context.Context, w world) error {
	for _, h := range w.Happenings {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(h.After):
		}
		err := b.one(ctx, w, h)
		if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			return fmt.Errorf("%s %s/%s: %w", h.What, h.Namespace, h.Name, err)
		}
	}
	return nil
}

// The replicas that others scale to.
const (
	scaledUp   = 9
	scaledDown = 1
)

func (b builder) one(ctx context.Context, w world, h happening) error {
	core, budgets := b.client.CoreV1(), b.client.PolicyV1().PodDisruptionBudgets(h.Namespace)
	var err error
	switch h.What {
	case "release": // every pod that a finalizer holds
		for _, name := range w.Namespaces {
			pods, err := core.Pods(name).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range pods.Items {
				if err := b.release(ctx, &pods.Items[i]); err != nil {
					return err
				}
			}
		}
	case "loosen":
		_, err = budgets.Patch(ctx, h.Name, types.MergePatchType,
			[]byte(`{"spec":{"minAvailable":null,"maxUnavailable":"100%"}}`), metav1.PatchOptions{})
	case "tighten":
		_, err = budgets.Patch(ctx, h.Name, types.MergePatchType,
			[]byte(`{"spec":{"minAvailable":null,"maxUnavailable":1}}`), metav1.PatchOptions{})
	case "unguard":
		err = budgets.Delete(ctx, h.Name, metav1.DeleteOptions{})
	case "delete a pod":
		pods, err := b.podsOf(ctx, app{Namespace: h.Namespace, Name: h.Name})
		if err != nil || len(pods) == 0 {
			return err
		}
		return core.Pods(h.Namespace).Delete(ctx, pods[0].Name, metav1.DeleteOptions{})
	case "scale", "scale down":
		number := scaledUp
		if h.What == "scale down" {
			number = scaledDown
		}
		patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, number)
		if _, err = b.client.AppsV1().Deployments(h.Namespace).Patch(ctx, h.Name, types.MergePatchType, patch,
			metav1.PatchOptions{}); apierrors.IsNotFound(err) {
			_, err = b.client.AppsV1().StatefulSets(h.Namespace).Patch(ctx, h.Name, types.MergePatchType, patch,
				metav1.PatchOptions{})
		}
	case "uncordon":
		_, err = core.Nodes().Patch(ctx, h.Name, types.MergePatchType, []byte(`{"spec":{"unschedulable":null}}`),
			metav1.PatchOptions{})
	case "end namespace":
		err = core.Namespaces().Delete(ctx, h.Namespace, metav1.DeleteOptions{})
	}
	return err
}
