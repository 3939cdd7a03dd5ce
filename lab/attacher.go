package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// The attach-detach controller of a lab is the real one. It makes a
// VolumeAttachment for a pod with a CSI volume and takes it away when the pod is
// gone, and it needs two others for that, whom `lab attacher` plays:
//
//   - the kubelet's volume manager, which says in node.status.volumesInUse what is
//     mounted, and hands attaching to the controller with an annotation;
//   - the external-attacher of the CSI driver, which attaches (status.attached) and,
//     before an attachment that was deleted may vanish, detaches (its finalizer).

const (
	// managedAttach is what a kubelet writes on its node: the controller leaves
	// nodes without it alone.
	managedAttach     = "volumes.kubernetes.io/controller-managed-attach-detach"
	attacherFinalizer = "external-attacher/" + "lab-kdrain-tui-dev"
	// How long the parts take: a real kubelet unmounts in a second or two, and a
	// storage back end detaches in some more.
	unmountTakes = 300 * time.Millisecond
	attachTakes  = 200 * time.Millisecond
	detachTakes  = 700 * time.Millisecond
)

// attacher plays kubelet and external-attacher for all nodes and drivers.
type attacher struct {
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	changed chan struct{}
	since   map[string]time.Time // by what is under way: when it began
	wake    time.Duration        // until the next of it is over, 0 for none
	inUse   map[string][]string  // by node: what was mounted at the last look
	disks   disks                // of real nodes
}

// playAttacher plays until the context ends.
func playAttacher(ctx context.Context, dir string, log io.Writer) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	c, err := lab.connect("system:lab")
	if err != nil {
		return err
	}
	a := &attacher{client: c.typed, factory: informers.NewSharedInformerFactory(c.typed, 0),
		changed: make(chan struct{}, 1),
		since:   map[string]time.Time{}, inUse: map[string][]string{}, disks: disks{dir: lab.path("disks")}}
	for _, informer := range []cache.SharedIndexInformer{
		a.factory.Core().V1().Nodes().Informer(), a.factory.Core().V1().Pods().Informer(),
		a.factory.Core().V1().PersistentVolumes().Informer(), a.factory.Core().V1().PersistentVolumeClaims().Informer(),
		a.factory.Storage().V1().VolumeAttachments().Informer(),
	} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { a.signal() }, UpdateFunc: func(_, _ any) { a.signal() }, DeleteFunc: func(any) { a.signal() },
		}); err != nil {
			return fmt.Errorf("watch the cluster: %w", err)
		}
	}
	a.factory.Start(ctx.Done())
	for kind, synced := range a.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("read %s: %w", kind, context.Cause(ctx))
		}
	}
	fmt.Fprintln(log, "lab: attaching and detaching volumes until it is interrupted")
	a.play(ctx, log)
	return nil
}

func (a *attacher) signal() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// play goes on until the context ends: as those whom it stands in for, it outlives a
// server that is away or does not answer in time.
func (a *attacher) play(ctx context.Context, log io.Writer) {
	for {
		a.wake = time.Hour
		if err := a.look(ctx); err != nil && ctx.Err() == nil {
			a.wake = 50 * time.Millisecond // somebody else was quicker: look again
			if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
				fmt.Fprintln(log, "lab: attaching and detaching volumes:", err)
				a.wake = time.Second
			}
		}
		timer := time.NewTimer(a.wake)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// over tells whether something that began when it was first asked about has taken
// its time.
func (a *attacher) over(what string, takes time.Duration) bool {
	began, known := a.since[what]
	if !known {
		began = time.Now()
		a.since[what] = began
	}
	rest := takes - time.Since(began)
	if rest > 0 {
		a.wake = min(a.wake, rest)
		return false
	}
	return true
}

func (a *attacher) look(ctx context.Context) error {
	attachments, err := a.factory.Storage().V1().VolumeAttachments().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list attachments: %w", err)
	}
	for _, va := range attachments {
		if err := a.attachOrDetach(ctx, va); err != nil {
			return err
		}
	}
	nodes, err := a.factory.Core().V1().Nodes().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	mounted, err := a.mounted()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if err := a.reportInUse(ctx, node, mounted[node.Name]); err != nil {
			return err
		}
	}
	return nil
}

// attachOrDetach is the external-attacher's part for one attachment.
func (a *attacher) attachOrDetach(ctx context.Context, va *storagev1.VolumeAttachment) error {
	attachments := a.client.StorageV1().VolumeAttachments()
	switch {
	case va.DeletionTimestamp != nil && slices.Contains(va.Finalizers, attacherFinalizer):
		if !a.over("detach "+string(va.UID), detachTakes) {
			return nil
		}
		if handle := a.handleOf(va); handle != "" {
			if err := a.disks.detach(handle, va.Spec.NodeName); err != nil {
				return err
			}
		}
		rest := slices.DeleteFunc(slices.Clone(va.Finalizers), func(f string) bool { return f == attacherFinalizer })
		return a.patch(ctx, func(data []byte) error {
			_, err := attachments.Patch(ctx, va.Name, types.MergePatchType, data,
				metav1.PatchOptions{FieldManager: fieldManager})
			return err
		}, map[string]any{"metadata": map[string]any{"finalizers": rest, "resourceVersion": va.ResourceVersion}})
	case va.DeletionTimestamp == nil && !slices.Contains(va.Finalizers, attacherFinalizer):
		return a.patch(ctx, func(data []byte) error {
			_, err := attachments.Patch(ctx, va.Name, types.MergePatchType, data,
				metav1.PatchOptions{FieldManager: fieldManager})
			return err
		}, map[string]any{"metadata": map[string]any{"finalizers": append(slices.Clone(va.Finalizers),
			attacherFinalizer), "resourceVersion": va.ResourceVersion}})
	case va.DeletionTimestamp == nil && !va.Status.Attached && a.over("attach "+string(va.UID), attachTakes):
		if handle := a.handleOf(va); handle != "" {
			if err := a.disks.attach(handle, va.Spec.NodeName); err != nil {
				return err
			}
		}
		return a.patch(ctx, func(data []byte) error {
			_, err := attachments.Patch(ctx, va.Name, types.MergePatchType, data,
				metav1.PatchOptions{FieldManager: fieldManager}, "status")
			return err
		}, map[string]any{"status": map[string]any{"attached": true}})
	}
	return nil
}

func (a *attacher) patch(_ context.Context, send func([]byte) error, change map[string]any) error {
	data, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("write a patch: %w", err)
	}
	return send(data)
}

// mounted are the CSI volumes of the pods on each node, as kubelets name them.
func (a *attacher) mounted() (map[string][]string, error) {
	pods, err := a.factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	claims, volumes := a.factory.Core().V1().PersistentVolumeClaims().Lister(),
		a.factory.Core().V1().PersistentVolumes().Lister()
	mounted := map[string][]string{}
	for _, pod := range pods {
		for _, v := range pod.Spec.Volumes {
			if pod.Spec.NodeName == "" || v.PersistentVolumeClaim == nil {
				continue
			}
			claim, err := claims.PersistentVolumeClaims(pod.Namespace).Get(v.PersistentVolumeClaim.ClaimName)
			if err != nil {
				continue // not there yet
			}
			volume, err := volumes.Get(claim.Spec.VolumeName)
			if err != nil || volume.Spec.CSI == nil {
				continue
			}
			name := "kubernetes.io/csi/" + volume.Spec.CSI.Driver + "^" + volume.Spec.CSI.VolumeHandle
			mounted[pod.Spec.NodeName] = append(mounted[pod.Spec.NodeName], name)
		}
	}
	return mounted, nil
}

// reportInUse is the kubelet's part for one node: a volume stays in use for a
// moment after its last pod is gone.
func (a *attacher) reportInUse(ctx context.Context, node *corev1.Node, mounted []string) error {
	if node.Labels[kubeletLabel] == "" {
		return nil
	}
	for _, name := range a.inUse[node.Name] {
		key := "unmount " + node.Name + " " + name
		if slices.Contains(mounted, name) {
			delete(a.since, key)
		} else if !a.over(key, unmountTakes) {
			mounted = append(mounted, name)
		} else {
			delete(a.since, key)
		}
	}
	slices.Sort(mounted)
	mounted = slices.Compact(mounted)
	a.inUse[node.Name] = mounted
	change := map[string]any{}
	if node.Annotations[managedAttach] == "" {
		change["metadata"] = map[string]any{"annotations": map[string]string{managedAttach: "true"}}
		if err := a.patchNode(ctx, node.Name, change); err != nil {
			return err
		}
	}
	said := make([]string, 0, len(node.Status.VolumesInUse))
	for _, name := range node.Status.VolumesInUse {
		said = append(said, string(name))
	}
	slices.Sort(said)
	if slices.Equal(said, mounted) {
		return nil
	}
	if mounted == nil {
		mounted = []string{}
	}
	return a.patchNode(ctx, node.Name, map[string]any{"status": map[string]any{"volumesInUse": mounted}}, "status")
}

func (a *attacher) patchNode(ctx context.Context, name string, change map[string]any, subresource ...string) error {
	return a.patch(ctx, func(data []byte) error {
		_, err := a.client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, data,
			metav1.PatchOptions{FieldManager: fieldManager}, subresource...)
		return err
	}, change)
}
