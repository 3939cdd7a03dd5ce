package drain

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func (c *shownCluster) editPod(name string, e edit) {
	p := c.pods[name]
	if e.has("gone") || e.has("replaced") {
		c.store.Remove(&kube.Pod{UID: p.UID})
		delete(c.pods, name)
		c.countReady(p.Labels["app"])
	}
	if e.has("gone") {
		return
	}
	if p == nil || e.has("replaced") {
		p = c.newPod(name, p, e)
	}
	p = p.DeepCopy()
	if on := e.values["on"]; on != "" {
		p.Spec.NodeName = on
	}
	for _, word := range e.words {
		c.editPodWord(p, word)
	}
	for key, value := range e.values {
		switch key {
		case "grace":
			seconds := int64(e.duration("grace").Seconds())
			p.Spec.TerminationGracePeriodSeconds = &seconds
		case "finalizer":
			p.Finalizers = []string{value}
		case "claim":
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: value, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: value}}})
		case "label":
			k, v, _ := strings.Cut(value, ":")
			p.Labels[k] = v
		case "unschedulable": // in the scheduler's words
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonUnschedulable, Message: value})
		case "fails": // its container, with 1
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", RestartCount: 1,
				State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: value}},
				LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}}
		case "annotation":
			k, v, _ := strings.Cut(value, ":")
			p.Annotations = map[string]string{k: v}
		}
	}
	p.ResourceVersion = c.nextVersion()
	c.pods[name] = p
	c.put(p)
}

func (c *shownCluster) newPod(name string, before *corev1.Pod, e edit) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name),
		Labels: map[string]string{"app": appOf(name)}, CreationTimestamp: metav1.NewTime(c.now.Add(c.offset))}}
	if before != nil {
		p.UID, p.Spec.NodeName = before.UID+"'", before.Spec.NodeName
	}
	if uid := e.values["uid"]; uid != "" {
		p.UID = types.UID(uid)
	}
	kind, app, controller := "ReplicaSet", appOf(name), true
	if e.values["owner"] != "" {
		kind = e.values["owner"]
	}
	group, uid := "apps/v1", app
	switch kind {
	case "Job":
		group = "batch/v1"
	case "VirtualMachineInstance":
		group = "kubevirt.io/v1"
	case "ReplicationController":
		group, uid = "v1", app+"-rc"
		p.Labels["app"] = uid
	}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: group, Kind: kind, Name: app, UID: types.UID(uid), Controller: &controller}}
	p.Status.Phase = corev1.PodRunning
	setPodReady(p, true, c.now)
	return p
}

// lastWords is what a container wrote as it ended: it is shown, and is in no journal.
const lastWords = "the password is hunter2"

func setPodReady(p *corev1.Pod, ready bool, now time.Time) {
	kubetest.SetReady(p, ready)
	p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now)
}

func (c *shownCluster) editPodWord(p *corev1.Pod, word string) {
	switch word {
	case "ready":
		p.Status.Phase, p.Status.ContainerStatuses = corev1.PodRunning, nil
		setPodReady(p, true, c.now)
	case "not-ready":
		setPodReady(p, false, c.now)
	case "crashing":
		setPodReady(p, false, c.now)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: lastWords}},
		}}
	case "pending":
		p.Status.Phase = corev1.PodPending
		setPodReady(p, false, c.now)
	case "finished":
		p.Status.Phase = corev1.PodSucceeded
		setPodReady(p, false, c.now)
	case "terminating":
		grace := int64(30)
		if p.Spec.TerminationGracePeriodSeconds != nil {
			grace = *p.Spec.TerminationGracePeriodSeconds
		}
		at := metav1.NewTime(c.now.Add(c.offset + time.Duration(grace)*time.Second))
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, &grace
	case "bare":
		p.OwnerReferences = nil
	case "owned": // again
		p.OwnerReferences = c.newPod(p.Name, nil, edit{}).OwnerReferences
	case "mirror":
		p.Annotations = map[string]string{"kubernetes.io/config.mirror": "x"}
	case "tolerates":
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	case "critical":
		kubetest.Critical(p)
	case "csi-driver":
		kubetest.CsiDriver(p)
	case "prestop":
		p.Spec.Containers = []corev1.Container{{Name: "c", Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{}}}}}
	}
}
