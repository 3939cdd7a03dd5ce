package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// addVolumes gives each pod of some StatefulSets a volume of a CSI driver. The
// attach-detach controller is the real one; `lab attacher` plays the rest.
func (w *world) addVolumes(rng *rand.Rand) {
	if !chance(rng, 30) {
		return
	}
	for i := range 1 + rng.IntN(2) {
		name := fmt.Sprintf("db-%d", i+1)
		w.Apps = append(w.Apps, app{
			Namespace: pick(rng, w.Namespaces...), Name: name, Group: name, Kind: "StatefulSet", Pods: 2 + rng.IntN(2),
			Driver: fmt.Sprintf("%s.run-%d.soak", pick(rng, "disk", "disk", "nas"), w.Run),
		})
		if chance(rng, 30) {
			w.addBudget(rng, w.Apps[len(w.Apps)-1])
		}
	}
	w.Timeout += 4 * time.Second // detaching takes a second for each
	w.Flags[0] = "--timeout=" + w.Timeout.String()
	if chance(rng, 40) {
		w.Flags = append(w.Flags, pick(rng, "--max-parallel-volumes=0", "--max-parallel-volumes=2"))
	}
}

// volumesAtOnce is how many pods of a node and driver may be on their way at once;
// 0 is any number.
func (w world) volumesAtOnce() int {
	switch {
	case w.has("--max-parallel-volumes=0"):
		return 0
	case w.has("--max-parallel-volumes=2"):
		return 2
	}
	return 1
}

// drivers are those of the world's volumes.
func (w world) drivers() []string {
	var all []string
	seen := map[string]bool{}
	for _, a := range w.Apps {
		if a.Driver != "" && !seen[a.Driver] {
			all, seen[a.Driver] = append(all, a.Driver), true
		}
	}
	return all
}

// claim is the name of the claim of one pod of a StatefulSet.
func (a app) claim(pod string) string { return "data-" + pod }

// volume is the name of that pod's volume.
func (a app) volume(pod string) string { return a.Namespace + "-" + pod }

// makeVolumes makes drivers, volumes and claims, and returns when they are bound:
// the controller makes no attachment for a pod that is older than its claim's bond.
func (b builder) makeVolumes(ctx context.Context, w world) error {
	attaches := true
	for _, name := range w.drivers() {
		driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: storagev1.CSIDriverSpec{AttachRequired: &attaches}}
		if _, err := b.client.StorageV1().CSIDrivers().Create(ctx, driver, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("make driver %s: %w", name, err)
		}
	}
	return w.eachVolume(func(a app, pod string) error {
		return b.makeVolume(ctx, a, pod)
	}, func(a app, pod string) error {
		return until(ctx, "the claims to be bound", func() (bool, error) {
			claim, err := b.client.CoreV1().PersistentVolumeClaims(a.Namespace).Get(ctx, a.claim(pod),
				metav1.GetOptions{})
			return err == nil && claim.Status.Phase == corev1.ClaimBound, err
		})
	})
}

// eachVolume does one thing after the other with every pod that has a volume.
func (w world) eachVolume(things ...func(a app, pod string) error) error {
	for _, do := range things {
		for _, a := range w.Apps {
			for i := range a.Pods {
				if a.Driver == "" {
					continue
				}
				if err := do(a, fmt.Sprintf("%s-%d", a.Name, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b builder) makeVolume(ctx context.Context, a app, pod string) error {
	none, size := "", corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: a.volume(pod)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: a.Namespace,
				Name: a.claim(pod)},
		}}
	pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: a.Driver, VolumeHandle: pv.Name}
	if _, err := b.client.CoreV1().PersistentVolumes().Create(ctx, pv, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make volume %s: %w", pv.Name, err)
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: a.claim(pod)},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &none, VolumeName: pv.Name, AccessModes: modes,
			Resources: corev1.VolumeResourceRequirements{Requests: size},
		}}
	if _, err := b.client.CoreV1().PersistentVolumeClaims(a.Namespace).Create(ctx, claim,
		metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make claim %s/%s: %w", a.Namespace, claim.Name, err)
	}
	return nil
}

// waitAttached returns when the controller has attached every volume, each with
// its pod.
func (b builder) waitAttached(ctx context.Context, w world) error {
	return until(ctx, "the volumes to be attached", func() (bool, error) {
		list, err := b.client.StorageV1().VolumeAttachments().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, fmt.Errorf("list attachments: %w", err)
		}
		attached := map[string]bool{}
		for _, a := range list.Items {
			attached[*a.Spec.Source.PersistentVolumeName] = a.Status.Attached
		}
		missing := errors.New("not attached")
		err = w.eachVolume(func(a app, pod string) error {
			if !attached[a.volume(pod)] {
				return missing
			}
			return nil
		})
		return err == nil, nil
	})
}

// clearVolumes takes volumes and drivers away, after their pods and before their
// nodes: the controller detaches nothing from a node that is gone.
func (b builder) clearVolumes(ctx context.Context, w world) error {
	ours := map[string]bool{}
	_ = w.eachVolume(func(a app, pod string) error { ours[a.volume(pod)] = true; return nil }) // which cannot fail
	if err := until(ctx, "the volumes to be detached", func() (bool, error) {
		list, err := b.client.StorageV1().VolumeAttachments().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, fmt.Errorf("list attachments: %w", err)
		}
		for _, a := range list.Items {
			if ours[*a.Spec.Source.PersistentVolumeName] {
				return false, nil
			}
		}
		return true, nil
	}); err != nil {
		return err
	}
	for name := range ours {
		if err := b.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil &&
			!apierrors.IsNotFound(err) {
			return fmt.Errorf("delete volume %s: %w", name, err)
		}
	}
	for _, name := range w.drivers() {
		if err := b.client.StorageV1().CSIDrivers().Delete(ctx, name, metav1.DeleteOptions{}); err != nil &&
			!apierrors.IsNotFound(err) {
			return fmt.Errorf("delete driver %s: %w", name, err)
		}
	}
	return nil
}

// attachment is one VolumeAttachment from the moment at which it was seen.
type attachment struct {
	Volume, Node string
	Since, Gone  time.Time // Gone is zero while it is there
}

// attachmentFilm records attachments.
type attachmentFilm struct {
	watched
	seen map[string]*attachment // by UID
}

// filmAttachments starts with those that are there.
func (b builder) filmAttachments(ctx context.Context) (*attachmentFilm, error) {
	attachments := b.client.StorageV1().VolumeAttachments()
	list, err := attachments.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list attachments: %w", err)
	}
	f := &attachmentFilm{watched: watched{of: "attachments"}, seen: map[string]*attachment{}}
	for i := range list.Items {
		f.take(watch.Event{Type: watch.Added, Object: &list.Items[i]})
	}
	return f, f.follow(ctx, func(ctx context.Context) (watch.Interface, error) {
		return attachments.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	}, f.take)
}

func (f *attachmentFilm) take(e watch.Event) {
	a, ok := e.Object.(*storagev1.VolumeAttachment)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.seen[string(a.UID)]
	if one == nil {
		one = &attachment{Volume: *a.Spec.Source.PersistentVolumeName, Node: a.Spec.NodeName, Since: time.Now()}
		f.seen[string(a.UID)] = one
	}
	if e.Type == watch.Deleted {
		one.Gone = time.Now()
	}
}

// end is everything that was recorded.
func (f *attachmentFilm) end() ([]attachment, error) {
	if err := f.over(); err != nil {
		return nil, err
	}
	var all []attachment
	for _, a := range f.seen {
		all = append(all, *a)
	}
	return all, nil
}
