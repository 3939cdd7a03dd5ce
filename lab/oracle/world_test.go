package oracle

import (
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

const (
	nodesPerWorld = 4
	podsPerNode   = 8
	setsPerWorld  = 4 // sets of flags
)

// world is a small random cluster.
type world struct {
	now        time.Time
	nodes      []string
	pods       []*corev1.Pod
	daemonSets []*appsv1.DaemonSet
}

func (w *world) objects() []runtime.Object {
	var all []runtime.Object
	for _, p := range w.pods {
		all = append(all, p)
	}
	for _, d := range w.daemonSets {
		all = append(all, d)
	}
	return all
}

// client is a fake API server that holds the world. That of client-go does not
// know field selectors, which kubectl lists the pods of a node by.
func (w *world) client() *fake.Clientset {
	client := fake.NewClientset(w.objects()...)
	client.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		restrictions := action.(clienttesting.ListAction).GetListRestrictions()
		list := &corev1.PodList{}
		for _, p := range w.pods {
			if restrictions.Fields.Matches(fields.Set{"spec.nodeName": p.Spec.NodeName}) {
				list.Items = append(list.Items, *p)
			}
		}
		return true, list, nil
	})
	return client
}

func (w *world) podsOn(node string) []*corev1.Pod {
	var on []*corev1.Pod
	for _, p := range w.pods {
		if p.Spec.NodeName == node {
			on = append(on, p)
		}
	}
	return on
}

// owners are the controllers that pods of a world may name. Only some of the
// DaemonSets exist: "ds-0" and "ds-1" in namespace a, "ds-0" in b.
var owners = []metav1.OwnerReference{
	{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ds-0"},
	{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ds-1"},
	{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ds-gone"},
	{APIVersion: "apps/v1beta2", Kind: "DaemonSet", Name: "ds-0"},
	{APIVersion: "extensions/v1beta1", Kind: "DaemonSet", Name: "ds-0"},
	{APIVersion: "apps.kruise.io/v1alpha1", Kind: "DaemonSet", Name: "ds-1"},
	{APIVersion: "v1", Kind: "DaemonSet", Name: "ds-0"},
	{APIVersion: "apps/v1", Kind: "daemonset", Name: "ds-0"},
	{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "rs"},
	{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "sts"},
	{APIVersion: "v1", Kind: "ReplicationController", Name: "rc"},
	{APIVersion: "batch/v1", Kind: "Job", Name: "job"},
	{APIVersion: "v1", Kind: "Node", Name: "node-0"},
	{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "cs"},
}

func newWorld(random *rand.Rand, now time.Time) *world {
	w := &world{now: now}
	for _, name := range []string{"a/ds-0", "a/ds-1", "b/ds-0"} {
		w.daemonSets = append(w.daemonSets, &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: name[:1], Name: name[2:], UID: types.UID("ds " + name)},
		})
	}
	for i := range nodesPerWorld {
		node := fmt.Sprintf("node-%d", i)
		w.nodes = append(w.nodes, node)
		for k := range random.IntN(podsPerNode + 1) {
			w.pods = append(w.pods, randomPod(random, now, node, fmt.Sprintf("pod-%d-%d", i, k)))
		}
	}
	return w
}

// one tells, with a chance of one in n, that something rare is so.
func one(random *rand.Rand, n int) bool { return random.IntN(n) == 0 }

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func randomPod(random *rand.Rand, now time.Time, node, name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(random, "a", "b"), Name: name, UID: types.UID("uid of " + name),
		Labels: map[string]string{"app": pick(random, "x", "y"), "tier": pick(random, "1", "2")},
	}}
	if one(random, 8) {
		p.Labels = nil
	}
	p.Spec.NodeName = node
	p.Status.Phase = pick(random, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending,
		corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown, "")
	if one(random, 6) {
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: pick(random, "hash", "")}
	} else if one(random, 4) {
		p.Annotations = map[string]string{"example.com/other": "x"}
	}
	if one(random, 6) { // marks of other projects, which decide nothing without --honor
		p.Labels = map[string]string{"app": "x", "cluster.x-k8s.io/drain": pick(random, "skip", "wait-completed")}
	}
	if p.Annotations != nil && one(random, 2) {
		p.Annotations["karpenter.sh/do-not-disrupt"] = "true"
		p.Annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] = "false"
	}
	p.OwnerReferences = randomOwners(random, p.Namespace)
	p.Spec.Volumes = randomVolumes(random)
	if one(random, 4) {
		// kubectl reads the clock again: stay away from the limits of whole seconds.
		at := metav1.NewTime(now.Add(time.Duration(random.IntN(240)-120)*time.Second - 500*time.Millisecond))
		p.DeletionTimestamp = &at
		p.Finalizers = []string{"example.com/held"} // the fake client refuses a deleted object without
	}
	return p
}

// randomOwners are none, a controller, an owner that is not the controller, or
// both.
func randomOwners(random *rand.Rand, namespace string) []metav1.OwnerReference {
	var refs []metav1.OwnerReference
	if one(random, 6) {
		plain := pick(random, owners...)
		plain.UID = types.UID("plain " + plain.Name)
		if one(random, 2) {
			no := false
			plain.Controller = &no
		}
		refs = append(refs, plain)
	}
	if !one(random, 4) {
		yes := true
		controller := pick(random, owners...)
		controller.Controller = &yes
		controller.UID = types.UID(controller.Kind + " " + namespace + "/" + controller.Name)
		refs = append(refs, controller)
	}
	return refs
}

func randomVolumes(random *rand.Rand) []corev1.Volume {
	var volumes []corev1.Volume
	for i := range random.IntN(3) {
		v := corev1.Volume{Name: fmt.Sprintf("v%d", i)}
		switch random.IntN(6) {
		case 0:
			v.EmptyDir = &corev1.EmptyDirVolumeSource{}
		case 1:
			v.EmptyDir = &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}
		case 2:
			v.HostPath = &corev1.HostPathVolumeSource{Path: "/data"}
		case 3:
			v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}
		case 4:
			v.ConfigMap = &corev1.ConfigMapVolumeSource{}
		case 5:
			v.Ephemeral = &corev1.EphemeralVolumeSource{}
		}
		volumes = append(volumes, v)
	}
	return volumes
}

func randomFlags(random *rand.Rand) plan.Options {
	o := plan.DefaultOptions()
	o.Force, o.IgnoreDaemonSets = one(random, 2), one(random, 2)
	o.DeleteEmptyDirData, o.DisableEviction = one(random, 2), one(random, 3)
	if one(random, 3) {
		o.PodSelector = pick(random, "app=x", "app!=x", "app in (x,y),tier=1", "!app", "tier", "app=nobody")
		selector, err := labels.Parse(o.PodSelector)
		if err != nil {
			panic(err)
		}
		o.Selector = selector
	}
	if one(random, 2) {
		o.SkipWaitForDelete = time.Duration(random.IntN(100)) * time.Second
	}
	return o
}

func describe(o plan.Options) string {
	return fmt.Sprintf("force=%v ignore-daemonsets=%v delete-emptydir-data=%v disable-eviction=%v pod-selector=%q skip=%v",
		o.Force, o.IgnoreDaemonSets, o.DeleteEmptyDirData, o.DisableEviction, o.PodSelector, o.SkipWaitForDelete)
}
