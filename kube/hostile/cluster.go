package hostile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// The names that are as they should be, so that the objects of a Cluster meet.
const (
	Node      = "node"
	NodeUID   = "uid-node"
	Namespace = "shop"
)

// Marks say how the program's own annotations are called, and the Lease of Node.
type Marks struct {
	Notes []string // annotations that are read
	JSON  []string // those of them that hold JSON
	Lease metav1.ObjectMeta
}

// Cluster is a cluster of hostile objects whose names are valid: pods of every
// sort on one node, what counts them, owns them and is attached for them. It was
// there since that moment.
func Cluster(r *rand.Rand, marks Marks, since time.Time) []runtime.Object {
	var all []runtime.Object
	for i := range 6 {
		for _, o := range Objects(r, marks.Notes) {
			if _, is := o.(*corev1.Node); is && i > 1 || !ground(o, i, marks) {
				continue
			}
			o.(metav1.Object).SetCreationTimestamp(metav1.NewTime(since))
			all = append(all, o)
		}
	}
	return all
}

// ground gives an object a valid name and what makes it matter to a drain; false
// leaves it out.
func ground(o runtime.Object, i int, marks Marks) bool {
	m := o.(metav1.Object)
	name := fmt.Sprintf("x-%d", i)
	m.SetName(name)
	m.SetNamespace(Namespace)
	m.SetUID(types.UID(fmt.Sprintf("%T-%d", o, i)))
	m.SetDeletionTimestamp(nil)
	m.SetResourceVersion("1")
	app := map[string]string{"app": "x"}
	switch o := o.(type) {
	case *corev1.Pod:
		o.Labels, o.Spec.NodeName, o.Status.Phase = app, Node, corev1.PodRunning
		delete(o.Annotations, corev1.MirrorPodAnnotationKey)
		o.Spec.Volumes = append(o.Spec.Volumes, corev1.Volume{Name: "c", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		if i == 0 {
			o.OwnerReferences = nil
		} else if i == 1 {
			yes := true
			o.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: Texts[1],
				UID: "*v1.ReplicaSet-1", Controller: &yes}}
		}
	case *corev1.Node:
		o.Namespace = ""
		o.Labels = map[string]string{corev1.LabelTopologyZone: Texts[i]}
		if i == 0 {
			o.Name, o.UID = Node, NodeUID
		}
		mark, _ := json.Marshal(map[string]string{"run": Texts[0], "by": Texts[1], "reason": Texts[2], "was": Texts[3]})
		for _, key := range marks.JSON {
			o.Annotations[key] = string(mark)
		}
	case *policyv1.PodDisruptionBudget:
		o.Spec.Selector = &metav1.LabelSelector{MatchLabels: app}
		o.Status.ExpectedPods, o.Status.DesiredHealthy, o.Status.DisruptionsAllowed = 6, 4, 2
		return i == 0
	case *coordinationv1.Lease:
		o.Name, o.Namespace, o.Labels = marks.Lease.Name, marks.Lease.Namespace, marks.Lease.Labels
		return i == 0
	case *storagev1.VolumeAttachment:
		o.Namespace, o.Spec.NodeName, o.Spec.Source.PersistentVolumeName = "", Node, &name
	case *corev1.PersistentVolumeClaim:
		o.Spec.VolumeName = name
	case *appsv1.ReplicaSet:
		o.Spec.Selector = &metav1.LabelSelector{MatchLabels: app}
	case *autoscalingv2.HorizontalPodAutoscaler:
		o.Spec.ScaleTargetRef.Kind, o.Spec.ScaleTargetRef.Name = "ReplicaSet", name
	case *corev1.Service:
		o.Spec.Selector = app
	case *batchv1.Job:
	default:
		if clusterWide(o) {
			m.SetNamespace("")
		}
	}
	return true
}

func clusterWide(o runtime.Object) bool {
	switch o.(type) {
	case *corev1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSINode, *storagev1.CSIDriver, *corev1.Namespace:
		return true
	}
	return fmt.Sprintf("%T", o) == "*v1.ValidatingWebhookConfiguration" ||
		fmt.Sprintf("%T", o) == "*v1.MutatingWebhookConfiguration"
}
