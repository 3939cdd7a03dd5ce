package kube

import corev1 "k8s.io/api/core/v1"

// PodState is what the containers of a pod do, in the words and numbers of kubectl get pods.
// Equal ones are one value in memory: those of most pods are.
type PodState struct {
	Status   string // kubectl's word while the pod is not being deleted: Running, Init:0/1, ...
	Ready    int32  // containers that are Ready, sidecars among them
	Total    int32
	Restarts int32
}

// nodeLost is the reason of a pod whose node is away (k8s.io/kubernetes pkg/util/node
// NodeUnreachablePodReason).
const nodeLost = "NodeLost"

// Status is the word that kubectl get pods has for the pod.
func (p *Pod) Status() string {
	switch {
	case p.Terminating() && p.Reason == nodeLost:
		return "Unknown"
	case p.Terminating() && !p.Finished():
		return "Terminating"
	case p.State != nil:
		return p.State.Status
	case p.Reason != "":
		return p.Reason
	}
	return string(p.Phase)
}

// Failing reports whether a container of the pod fails, or the pod cannot be scheduled. A pod that merely is not
// Ready does not: it starts, its probe says no, or its node is away.
func (p *Pod) Failing() bool {
	switch {
	case p.Phase == corev1.PodSucceeded || p.Terminating():
		return false
	case p.Phase == corev1.PodFailed || p.Phase == corev1.PodUnknown:
		return true
	}
	t := p.Trouble
	return !p.Ready && t != nil && !t.Starting() && (t.Container != "" || p.Node == "")
}
