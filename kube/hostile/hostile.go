// Package hostile makes API objects with control sequences in every field, for
// tests: whoever may write an object may write such a text into most of its
// fields, and none may reach a terminal. It knows nothing of what reads the objects.
package hostile

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Texts are what no output may hold as it is.
var Texts = []string{
	"\x1b[2K\x1b[1A", "\x1b]52;c;ZXZpbA==\a", "\u009b31m", "\u202egnp.exe", "two\nlines", "\r", "\x7f", "a\u2028b",
	"\u2066x", "\x1b[31mred\x1b[0m", "\x1b]0;title", "\ufdd0", "\x00",
}

// Objects are an object of each kind that the program watches, filled; notes are
// the annotations that it reads.
func Objects(r *rand.Rand, notes []string) []runtime.Object {
	all := kinds()
	for _, o := range all {
		fill(r, reflect.ValueOf(o).Elem(), 12)
		meaningful(r, o, notes)
	}
	return all
}

func kinds() []runtime.Object {
	return []runtime.Object{
		&corev1.Pod{}, &corev1.Node{}, &policyv1.PodDisruptionBudget{}, &appsv1.ReplicaSet{}, &appsv1.Deployment{},
		&appsv1.StatefulSet{}, &appsv1.DaemonSet{}, &batchv1.Job{}, &corev1.ReplicationController{},
		&corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{}, &storagev1.StorageClass{}, &storagev1.CSINode{},
		&storagev1.CSIDriver{}, &storagev1.VolumeAttachment{}, &coordinationv1.Lease{}, &corev1.Namespace{},
		&corev1.Service{}, &admissionv1.ValidatingWebhookConfiguration{}, &admissionv1.MutatingWebhookConfiguration{},
		&autoscalingv2.HorizontalPodAutoscaler{}, &corev1.ResourceQuota{},
	}
}

// Fill fills the object that a pointer is to.
func Fill(r *rand.Rand, object any) { fill(r, reflect.ValueOf(object).Elem(), 12) }

// fill fills a value with random content and a hostile text in every string.
// Half of the pointers and sums stay nil, or only one branch would be seen.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	text := func() string { return fmt.Sprintf("t%d%s", r.IntN(4), Texts[r.IntN(len(Texts))]) }
	if number, is := v.Addr().Interface().(*intstr.IntOrString); is {
		*number = intstr.FromString(text()) // its third sort is none
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(3))
	case reflect.Pointer:
		if depth > 0 && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth-1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 || depth == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key, depth-1)
			fill(r, value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Type.PkgPath() != "time" {
				fill(r, v.Field(i), depth-1)
			}
		}
	}
}

// meaningful makes of an object one that its converter does not skip over.
func meaningful(r *rand.Rand, object runtime.Object, notes []string) {
	m := object.(metav1.Object)
	annotations := map[string]string{}
	for _, key := range notes {
		annotations[key] = Texts[r.IntN(len(Texts))]
	}
	m.SetAnnotations(annotations)
	yes := true
	owners := m.GetOwnerReferences()
	for i := range owners { // the first one is the controller
		owners[i].Controller = &yes
	}
	m.SetOwnerReferences(owners)
	switch o := object.(type) {
	case *corev1.Node:
		o.Spec.Unschedulable = true
		o.Status.Conditions = append(o.Status.Conditions[:1], corev1.NodeCondition{Type: corev1.NodeReady,
			Status: "\x1b[31m", Reason: Texts[0], Message: Texts[1]})
		o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: Texts[0],
			FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
	case *corev1.Pod:
		o.Status.Conditions = append(o.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: "False",
			Reason: Texts[0]})
		if r.IntN(2) == 0 {
			o.Spec.NodeName = ""
			o.Status.Conditions = append(o.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled,
				Status: "False", Message: Texts[0]})
		}
	case *policyv1.PodDisruptionBudget:
		o.Status.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Reason: Texts[0],
			Message: Texts[1]}}
	case *appsv1.ReplicaSet:
		o.Status.Conditions = []appsv1.ReplicaSetCondition{{Type: appsv1.ReplicaSetReplicaFailure, Status: "True",
			Message: Texts[1]}}
	case *batchv1.Job:
		o.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Message: Texts[1]}}
	case *autoscalingv2.HorizontalPodAutoscaler:
		o.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale,
			Status: "False", Message: Texts[1]}}
	}
}
