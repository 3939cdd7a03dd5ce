package main

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Annotations and labels by which a pod tells the lab's kubelets how it fares.
const (
	labSick    = "lab.kdrain-tui.dev/sick"
	labStarts  = "lab.kdrain-tui.dev/starts-after"
	labStops   = "lab.kdrain-tui.dev/stops-after"
	labKubelet = "lab.kdrain-tui.dev/kubelet"
)

// ofRun is on the nodes of a run, and its pods go nowhere else: a scheduler that
// an outage has left behind may still know the nodes of the run before.
const ofRun = "soak.kdrain-tui.dev/run"

// ofZone is the zone of a node, for rolls that never have nodes of two out at once.
const ofZone = "soak.kdrain-tui.dev/zone"

// managedAttach is what a kubelet writes on its node: the controller is to attach.
const managedAttach = "volumes.kubernetes.io/controller-managed-attach-detach"

// finalizer holds pods until a happening, or the end of the run.
const finalizer = "soak.kdrain-tui.dev/held"

func newNode(name string, run int) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{managedAttach: "true"},
			Labels: map[string]string{corev1.LabelHostname: name, labKubelet: "simulated", ofRun: strconv.Itoa(run),
				ofZone: zone(name)}},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room,
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.36.3"}},
	}
}

func (a app) labels() map[string]string { return map[string]string{"app": a.Group, "own": a.Name} }

func (a app) template(run int) corev1.PodTemplateSpec {
	annotations := map[string]string{}
	if a.Sick != "" {
		annotations[labSick] = a.Sick
	}
	if a.StopsAfter != "" {
		annotations[labStops] = a.StopsAfter
	}
	if a.StartsAfter != "" {
		annotations[labStarts] = a.StartsAfter
	}
	if a.Cost != "" {
		annotations[deletionCost] = a.Cost
	}
	grace := int64(5)
	spec := corev1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		NodeSelector:                  map[string]string{ofRun: strconv.Itoa(run)},
		Containers:                    []corev1.Container{{Name: "main", Image: "registry.local/main:1"}},
	}
	if a.EmptyDir {
		spec.Volumes = []corev1.Volume{{Name: "scratch",
			VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	}
	if a.Driver != "" {
		for i := range spec.Containers { // or the volume would not be one of the pod's
			spec.Containers[i].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		}
	}
	if a.Kind == "Job" {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: a.labels(), Annotations: annotations},
		Spec: spec}
}

// object is the workload as the API knows it.
func (a app) object(run int) runtime.Object {
	meta := metav1.ObjectMeta{Name: a.Name, Namespace: a.Namespace}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"own": a.Name}}
	count, template := int32(a.Pods), a.template(run)
	switch a.Kind {
	case "ReplicaSet":
		return &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &count, Selector: selector,
			Template: template}}
	case "StatefulSet":
		return &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Replicas: &count, Selector: selector, Template: template, PodManagementPolicy: appsv1.ParallelPodManagement,
			VolumeClaimTemplates: a.claimTemplates(),
		}}
	case "DaemonSet":
		return &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}}
	case "Job":
		return &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Parallelism: &count, Completions: &count,
			Template: template}}
	case "Pod":
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: a.Name, Namespace: a.Namespace, Labels: template.Labels, Annotations: template.Annotations,
		}, Spec: template.Spec}
	}
	return &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &count, Selector: selector,
		Template: template}}
}

// claimTemplates name the claims, which are there before the set.
func (a app) claimTemplates() []corev1.PersistentVolumeClaim {
	if a.Driver == "" {
		return nil
	}
	return []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		}}}
}

func (b budget) object() *policyv1.PodDisruptionBudget {
	object := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	object.Spec.Selector = &metav1.LabelSelector{}
	if b.Group != "" {
		object.Spec.Selector.MatchLabels = map[string]string{"app": b.Group}
	}
	if b.Min != "" {
		limit := intstr.Parse(b.Min)
		object.Spec.MinAvailable = &limit
	}
	if b.Max != "" {
		limit := intstr.Parse(b.Max)
		object.Spec.MaxUnavailable = &limit
	}
	if b.Policy != "" {
		policy := policyv1.UnhealthyPodEvictionPolicyType(b.Policy)
		object.Spec.UnhealthyPodEvictionPolicy = &policy
	}
	return object
}
