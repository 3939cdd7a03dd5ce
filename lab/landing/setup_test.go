//go:build landing

package landing

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func must(t *testing.T, err error, mayExist bool) {
	t.Helper()
	if err != nil && !(mayExist && apierrors.IsAlreadyExists(err)) {
		t.Fatal(err)
	}
}

// each does something with all of a list, some at a time.
func each[T any](t *testing.T, list []T, do func(T) error) {
	t.Helper()
	var group sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, item := range list {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := do(item); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// create makes the world in the cluster.
func (r *rig) create(t *testing.T, w *world) {
	t.Helper()
	ctx, core, storage, o := t.Context(), r.client.CoreV1(), r.client.StorageV1(), metav1.CreateOptions{}
	each(t, w.nodes, func(n *corev1.Node) error { _, err := core.Nodes().Create(ctx, n, o); return err })
	for _, n := range w.csiNodes {
		_, err := storage.CSINodes().Create(ctx, n, o)
		must(t, err, false)
	}
	each(t, w.volumes, func(v *corev1.PersistentVolume) error {
		_, err := core.PersistentVolumes().Create(ctx, v, o)
		return err
	})
	each(t, w.claims, func(c *corev1.PersistentVolumeClaim) error {
		_, err := core.PersistentVolumeClaims(c.Namespace).Create(ctx, c, o)
		return err
	})
	for _, a := range w.attachments {
		_, err := storage.VolumeAttachments().Create(ctx, a, o)
		must(t, err, false)
	}
	each(t, w.pods, func(p *corev1.Pod) error {
		if _, err := core.Pods(p.Namespace).Create(ctx, p, o); err != nil {
			return err
		}
		if len(p.Finalizers) == 0 {
			return nil
		}
		return core.Pods(p.Namespace).Delete(ctx, p.Name, now())
	})
	r.finish(t, w)
	r.settle(t)
}

// finish makes some pods those that have run to their end.
func (r *rig) finish(t *testing.T, w *world) {
	t.Helper()
	for i, p := range w.pods {
		if i%11 == 7 && len(p.Finalizers) == 0 {
			patch := []byte(`{"status":{"phase":"Succeeded"}}`)
			_, err := r.client.CoreV1().Pods(p.Namespace).Patch(t.Context(), p.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
			must(t, err, false)
		}
	}
}

func now() metav1.DeleteOptions {
	zero := int64(0)
	return metav1.DeleteOptions{GracePeriodSeconds: &zero}
}

// settle waits until the controllers are done with nodes and volumes, and the
// scheduler has seen all of it.
func (r *rig) settle(t *testing.T) {
	t.Helper()
	until(t, "nodes and volumes", func(context.Context) bool {
		q := r.list(t)
		for i := range q.Nodes.Items {
			n := &q.Nodes.Items[i]
			tainted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
			if tainted != n.Spec.Unschedulable || slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady }) {
				return false
			}
		}
		for i := range q.Claims.Items {
			if c := &q.Claims.Items[i]; c.Spec.VolumeName != "" && c.Status.Phase != corev1.ClaimBound {
				return false
			}
		}
		for i := range q.Volumes.Items {
			if phase := q.Volumes.Items[i].Status.Phase; phase == corev1.VolumePending || phase == "" {
				return false
			}
		}
		return true
	})
	time.Sleep(150 * time.Millisecond)
}

// clear takes everything away again.
func (r *rig) clear(t *testing.T) {
	t.Helper()
	ctx, core, storage := t.Context(), r.client.CoreV1(), r.client.StorageV1()
	none := []byte(`{"metadata":{"finalizers":null}}`)
	until(t, "an empty cluster", func(context.Context) bool {
		q := r.list(t)
		each(t, q.Pods.Items, func(p corev1.Pod) error {
			if len(p.Finalizers) > 0 {
				_, err := core.Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, none, metav1.PatchOptions{})
				return gone(err)
			}
			return gone(core.Pods(p.Namespace).Delete(ctx, p.Name, now()))
		})
		if len(q.Pods.Items) > 0 {
			return false
		}
		each(t, q.Claims.Items, func(c corev1.PersistentVolumeClaim) error {
			return gone(core.PersistentVolumeClaims(c.Namespace).Delete(ctx, c.Name, now()))
		})
		each(t, q.Volumes.Items, func(v corev1.PersistentVolume) error {
			if len(q.Claims.Items) > 0 {
				return nil
			}
			if _, err := core.PersistentVolumes().Patch(ctx, v.Name, types.MergePatchType, none, metav1.PatchOptions{}); err != nil {
				return gone(err)
			}
			return gone(core.PersistentVolumes().Delete(ctx, v.Name, now()))
		})
		for _, a := range q.Attachments.Items {
			must(t, gone(storage.VolumeAttachments().Delete(ctx, a.Name, now())), false)
		}
		for _, n := range q.CSINodes.Items {
			must(t, gone(storage.CSINodes().Delete(ctx, n.Name, now())), false)
		}
		each(t, q.Nodes.Items, func(n corev1.Node) error { return gone(core.Nodes().Delete(ctx, n.Name, now())) })
		return len(q.Claims.Items)+len(q.Volumes.Items)+len(q.Nodes.Items)+len(q.Attachments.Items) == 0
	})
}

func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
