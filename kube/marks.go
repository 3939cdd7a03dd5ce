package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
)

// Every name that we write into a cluster, in one place; docs/marks.md lists
// them for operators.
const (
	FieldManager = "kdrain-tui"
	// CordonAnnotation on a node says who cordoned it, for which run and why. It
	// counts only while the node is unschedulable.
	CordonAnnotation = "kdrain-tui.dev/cordon"
	// LoadBalancerLabel on a node is Kubernetes' own: external load balancers
	// leave the node out.
	LoadBalancerLabel = "node.kubernetes.io/exclude-from-external-load-balancers"
	// ManagedByLabel with ManagedByValue, RunLabel and MadeAtAnnotation are on
	// every temporary budget and every Lease: whose it is, of which run, since when.
	ManagedByLabel   = "app.kubernetes.io/managed-by"
	ManagedByValue   = FieldManager
	RunLabel         = "kdrain-tui.dev/run"
	MadeAtAnnotation = "kdrain-tui.dev/made-at"
	// LeasePrefix begins the name of the Lease of a node; see LeaseName.
	LeasePrefix = "kdrain-node-"
	// ByAnnotation and ReasonAnnotation on a Lease say whose run holds it, and why.
	ByAnnotation     = "kdrain-tui.dev/by"
	ReasonAnnotation = "kdrain-tui.dev/reason"
	// OutOfServiceAnnotation on a node says which run declared its machine off, with
	// Kubernetes' own taint. It counts only while the node has that taint.
	OutOfServiceAnnotation = "kdrain-tui.dev/out-of-service"
	// OutOfServiceTaint is Kubernetes' own, on a node whose machine is off.
	OutOfServiceTaint = "node.kubernetes.io/out-of-service"
	// RestartedAtAnnotation on a pod template is kubectl's: another value starts a
	// rollout.
	RestartedAtAnnotation = "kubectl.kubernetes.io/restartedAt"
	// SurgeAnnotation on a Deployment or ReplicaSet says which run has raised its
	// replicas, why, and what they were before. It goes with the raise.
	SurgeAnnotation = "kdrain-tui.dev/surge"
	// DeletionCostAnnotation on a pod is Kubernetes' own: of pods that are equally
	// Ready a ReplicaSet removes those of the lowest cost first.
	DeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost"
	// The reasons of the Events that a run writes on its nodes.
	ReasonDrainStarted = "DrainStarted"
	ReasonDrainBlocked = "DrainBlocked"
	ReasonDrainDone    = "DrainDone"
	ReasonDrainAborted = "DrainAborted"
)

// LeaseName is the name of the Lease by which runs keep off each other's nodes.
// It comes from the UID: a node that is made again under its old name is another.
func LeaseName(node UID) string { return LeasePrefix + string(node) }

// KeptAnnotations are the only annotations that records keep: what a drain
// reads, ours and the marks of other drainers.
var KeptAnnotations = []string{
	"kubernetes.io/config.mirror",
	"cluster-autoscaler.kubernetes.io/safe-to-evict",
	"karpenter.sh/do-not-disrupt",
	"weave.works/kured-node-lock",
	"weave.works/kured-reboot-in-progress",
	"machineconfiguration.openshift.io/desiredDrain",
	"machineconfiguration.openshift.io/lastAppliedDrain",
	"machineconfiguration.openshift.io/state",
	"cluster.x-k8s.io/delete-machine",
	clusterapi.MachineAnnotation,
	clusterapi.ClusterNamespaceAnnotation,
	"node.machine.sapcloud.io/trigger-deletion-by-mcm",
	CordonAnnotation,
	OutOfServiceAnnotation,
	MadeAtAnnotation,
	DeletionCostAnnotation,
}

// OutOfService is the taint that tells the cluster that a machine is off (KEP-2268):
// pods that terminate there are forgotten and their volumes detached.
var OutOfService = corev1.Taint{Key: OutOfServiceTaint, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// OutOfService tells whether the node has the taint of a machine that is off.
func (n *Node) OutOfService() bool { return slices.ContainsFunc(n.Taints, isOutOfService) }

// TaintsWith and TaintsWithout are the node's taints with and without the one that
// says that the machine is off.
func (n *Node) TaintsWith() []corev1.Taint {
	return append(n.TaintsWithout(), OutOfService)
}

// TaintsWithout are the taints of the node but for that one.
func (n *Node) TaintsWithout() []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Taints), isOutOfService)
}

func isOutOfService(t corev1.Taint) bool { return t.Key == OutOfServiceTaint }

// TemporaryOf is the run that made the budget, "" if none of ours did.
func (b *Budget) TemporaryOf() string {
	if b.Labels[ManagedByLabel] != ManagedByValue {
		return ""
	}
	return b.Labels[RunLabel]
}
