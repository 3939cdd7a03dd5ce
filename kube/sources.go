package kube

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	admissionv1client "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	autoscalingv2client "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	batchv1client "k8s.io/client-go/kubernetes/typed/batch/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	policyv1client "k8s.io/client-go/kubernetes/typed/policy/v1"
	storagev1client "k8s.io/client-go/kubernetes/typed/storage/v1"
)

type (
	listFunc  func(context.Context, listOptions) (runtime.Object, error)
	watchFunc func(context.Context, listOptions) (watch.Interface, error)
)

// source is where a kind comes from. The typed clients are used because they
// ask for protobuf, which costs a quarter of the time of JSON.
type source struct {
	object runtime.Object
	list   func(kubernetes.Interface) listFunc
	watch  func(kubernetes.Interface) watchFunc
}

// typed is what all typed clients have in common.
type typed[L runtime.Object] interface {
	List(context.Context, listOptions) (L, error)
	Watch(context.Context, listOptions) (watch.Interface, error)
}

func sourceOf[L runtime.Object, C typed[L]](object runtime.Object, client func(kubernetes.Interface) C) source {
	return source{
		object: object,
		list: func(cs kubernetes.Interface) listFunc {
			return func(ctx context.Context, o listOptions) (runtime.Object, error) {
				return client(cs).List(ctx, o)
			}
		},
		watch: func(cs kubernetes.Interface) watchFunc { return client(cs).Watch },
	}
}

var sources = map[Kind]source{
	KindNodes: sourceOf[*corev1.NodeList](&corev1.Node{},
		func(cs kubernetes.Interface) corev1client.NodeInterface { return cs.CoreV1().Nodes() }),
	KindPods: sourceOf[*corev1.PodList](&corev1.Pod{},
		func(cs kubernetes.Interface) corev1client.PodInterface { return cs.CoreV1().Pods("") }),
	KindBudgets: sourceOf[*policyv1.PodDisruptionBudgetList](&policyv1.PodDisruptionBudget{},
		func(cs kubernetes.Interface) policyv1client.PodDisruptionBudgetInterface {
			return cs.PolicyV1().PodDisruptionBudgets("")
		}),
	KindReplicaSets: sourceOf[*appsv1.ReplicaSetList](&appsv1.ReplicaSet{},
		func(cs kubernetes.Interface) appsv1client.ReplicaSetInterface { return cs.AppsV1().ReplicaSets("") }),
	KindDeployments: sourceOf[*appsv1.DeploymentList](&appsv1.Deployment{},
		func(cs kubernetes.Interface) appsv1client.DeploymentInterface { return cs.AppsV1().Deployments("") }),
	KindStatefulSets: sourceOf[*appsv1.StatefulSetList](&appsv1.StatefulSet{},
		func(cs kubernetes.Interface) appsv1client.StatefulSetInterface { return cs.AppsV1().StatefulSets("") }),
	KindDaemonSets: sourceOf[*appsv1.DaemonSetList](&appsv1.DaemonSet{},
		func(cs kubernetes.Interface) appsv1client.DaemonSetInterface { return cs.AppsV1().DaemonSets("") }),
	KindJobs: sourceOf[*batchv1.JobList](&batchv1.Job{},
		func(cs kubernetes.Interface) batchv1client.JobInterface { return cs.BatchV1().Jobs("") }),
	KindReplicationControllers: sourceOf[*corev1.ReplicationControllerList](&corev1.ReplicationController{},
		func(cs kubernetes.Interface) corev1client.ReplicationControllerInterface {
			return cs.CoreV1().ReplicationControllers("")
		}),
	KindClaims: sourceOf[*corev1.PersistentVolumeClaimList](&corev1.PersistentVolumeClaim{},
		func(cs kubernetes.Interface) corev1client.PersistentVolumeClaimInterface {
			return cs.CoreV1().PersistentVolumeClaims("")
		}),
	KindVolumes: sourceOf[*corev1.PersistentVolumeList](&corev1.PersistentVolume{},
		func(cs kubernetes.Interface) corev1client.PersistentVolumeInterface {
			return cs.CoreV1().PersistentVolumes()
		}),
	KindStorageClasses: sourceOf[*storagev1.StorageClassList](&storagev1.StorageClass{},
		func(cs kubernetes.Interface) storagev1client.StorageClassInterface {
			return cs.StorageV1().StorageClasses()
		}),
	KindCSINodes: sourceOf[*storagev1.CSINodeList](&storagev1.CSINode{},
		func(cs kubernetes.Interface) storagev1client.CSINodeInterface { return cs.StorageV1().CSINodes() }),
	KindCSIDrivers: sourceOf[*storagev1.CSIDriverList](&storagev1.CSIDriver{},
		func(cs kubernetes.Interface) storagev1client.CSIDriverInterface { return cs.StorageV1().CSIDrivers() }),
	KindAttachments: sourceOf[*storagev1.VolumeAttachmentList](&storagev1.VolumeAttachment{},
		func(cs kubernetes.Interface) storagev1client.VolumeAttachmentInterface {
			return cs.StorageV1().VolumeAttachments()
		}),
	KindLeases: sourceOf[*coordinationv1.LeaseList](&coordinationv1.Lease{}, leaseClient(DefaultLeaseNamespace)),
	KindNamespaces: sourceOf[*corev1.NamespaceList](&corev1.Namespace{},
		func(cs kubernetes.Interface) corev1client.NamespaceInterface { return cs.CoreV1().Namespaces() }),
	KindServices: sourceOf[*corev1.ServiceList](&corev1.Service{},
		func(cs kubernetes.Interface) corev1client.ServiceInterface { return cs.CoreV1().Services("") }),
	KindValidatingWebhooks: sourceOf[*admissionv1.ValidatingWebhookConfigurationList](&admissionv1.ValidatingWebhookConfiguration{},
		func(cs kubernetes.Interface) admissionv1client.ValidatingWebhookConfigurationInterface {
			return cs.AdmissionregistrationV1().ValidatingWebhookConfigurations()
		}),
	KindMutatingWebhooks: sourceOf[*admissionv1.MutatingWebhookConfigurationList](&admissionv1.MutatingWebhookConfiguration{},
		func(cs kubernetes.Interface) admissionv1client.MutatingWebhookConfigurationInterface {
			return cs.AdmissionregistrationV1().MutatingWebhookConfigurations()
		}),
	KindAutoscalers: sourceOf[*autoscalingv2.HorizontalPodAutoscalerList](&autoscalingv2.HorizontalPodAutoscaler{},
		func(cs kubernetes.Interface) autoscalingv2client.HorizontalPodAutoscalerInterface {
			return cs.AutoscalingV2().HorizontalPodAutoscalers("")
		}),
	KindQuotas: sourceOf[*corev1.ResourceQuotaList](&corev1.ResourceQuota{},
		func(cs kubernetes.Interface) corev1client.ResourceQuotaInterface {
			return cs.CoreV1().ResourceQuotas("")
		}),
}
