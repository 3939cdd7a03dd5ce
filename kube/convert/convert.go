package convert

import (
	"fmt"
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Record makes the compact record of an API object. It keeps nothing of the
// object but small shared parts. All texts of a record are safe to print: messages
// are cleaned (Clean), names made visible (Visible), which leaves valid names as they
// are.
func Record(object any) (kube.Record, error) {
	record, err := convert(object)
	if _, pod := record.(*kube.Pod); err == nil && !pod { // those are many: their converter does it
		makeVisible(reflect.ValueOf(record))
	}
	return record, err
}

func convert(object any) (kube.Record, error) {
	switch o := object.(type) {
	case *corev1.Pod:
		return Pod(o), nil
	case *corev1.Node:
		return Node(o), nil
	case *policyv1.PodDisruptionBudget:
		return Budget(o), nil
	case *appsv1.ReplicaSet:
		return ReplicaSet(o), nil
	case *appsv1.Deployment:
		return deployment(o), nil
	case *appsv1.StatefulSet:
		return statefulSet(o), nil
	case *appsv1.DaemonSet:
		return DaemonSet(o), nil
	case *batchv1.Job:
		return job(o), nil
	case *corev1.ReplicationController:
		return replicationController(o), nil
	}
	if record := storageRecord(object); record != nil {
		return record, nil
	}
	if record := servingRecord(object); record != nil {
		return record, nil
	}
	return nil, fmt.Errorf("making a record: %T is not of a kind that the store keeps", object)
}

// controllerOf is the shared record of an object's controller, nil without one.
func controllerOf(refs []metav1.OwnerReference) *kube.Owner {
	for i := range refs {
		r := &refs[i]
		if r.Controller == nil || !*r.Controller {
			continue
		}
		var buffer [256]byte
		key := appendText(appendText(buffer[:0], r.APIVersion), r.Kind)
		key = appendText(appendText(key, r.Name), string(r.UID))
		return sharedOwners.get(digestOf(key), func() *kube.Owner {
			return &kube.Owner{
				APIVersion: Share(r.APIVersion), Kind: Share(r.Kind),
				Name: Share(r.Name), UID: kube.UID(Share(string(r.UID))),
			}
		})
	}
	return nil
}

// keptAnnotations are the annotations that records keep, cleaned; nil if none.
func keptAnnotations(all map[string]string) map[string]string {
	var kept map[string]string
	for _, key := range kube.KeptAnnotations {
		value, ok := all[key]
		if !ok {
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[key] = Share(kube.CleanText(value))
	}
	return kept
}

// copyMap copies a map of an API object, sharing its strings.
func copyMap(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	copied := make(map[string]string, len(m))
	for k, v := range m {
		copied[Share(k)] = Share(v)
	}
	return copied
}

// selectorOf follows the API: no selector matches nothing, an empty one
// everything. The API server treats an invalid one as matching nothing
// (pkg/registry/core/pod/storage/eviction.go).
func selectorOf(s *metav1.LabelSelector) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func valueOr[T any](p *T, missing T) T {
	if p == nil {
		return missing
	}
	return *p
}

// amounts turns a resource list into the numbers that the scheduler compares.
func amounts(list corev1.ResourceList) kube.Resources {
	var r kube.Resources
	for name, quantity := range list {
		switch name {
		case corev1.ResourceCPU:
			r.CPUMilli = quantity.MilliValue()
		case corev1.ResourceMemory:
			r.MemoryBytes = quantity.Value()
		case corev1.ResourceEphemeralStorage:
			r.EphemeralBytes = quantity.Value()
		case corev1.ResourcePods:
			r.Pods = quantity.Value()
		default:
			if r.Extended == nil {
				r.Extended = map[corev1.ResourceName]int64{}
			}
			r.Extended[corev1.ResourceName(Share(string(name)))] = quantity.Value()
		}
	}
	return r
}
