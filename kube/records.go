package kube

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// UID is the identity of an object: a name can come back, a UID cannot.
type UID = types.UID

// Resources are amounts of what the scheduler counts: CPU in millicores, the
// others in bytes or pieces.
type Resources struct {
	CPUMilli       int64
	MemoryBytes    int64
	EphemeralBytes int64
	Pods           int64
	Extended       map[corev1.ResourceName]int64 // nil for most
}

// SystemCriticalPriority is the lowest priority of the system's own classes
// (k8s.io/kubernetes pkg/apis/scheduling SystemCriticalPriority).
const SystemCriticalPriority = 2_000_000_000

// VolumeKind is the part of a volume's source that matters to a drain.
type VolumeKind string

// The kinds of volumes a record keeps; all others (config maps, secrets,
// projections) do not matter to a drain and are left out.
const (
	VolumeEmptyDir  VolumeKind = "EmptyDir"
	VolumeMemory    VolumeKind = "Memory" // an emptyDir of medium Memory
	VolumeClaim     VolumeKind = "Claim"
	VolumeEphemeral VolumeKind = "Ephemeral" // a claim made from the pod's template
	VolumeHostPath  VolumeKind = "HostPath"
	VolumeMounted   VolumeKind = "Mounted" // inline, and never attached to a node: CSI, NFS
	VolumeInline    VolumeKind = "Inline"  // of another in-tree driver, named in the pod itself
	VolumeDisk      VolumeKind = "Disk"    // inline, and the scheduler has rules of its own for it
)

// Volume is a volume of a pod, reduced to what a drain asks of it.
type Volume struct {
	Name  string
	Kind  VolumeKind
	Claim string // name of the PersistentVolumeClaim, for Claim and Ephemeral
}

// HostPort is a port that a pod takes on its node.
type HostPort struct {
	IP       string
	Protocol corev1.Protocol
	Port     int32
}

// PodSpec holds what pods of one owner have in common. Equal specs are one
// value in memory, so pointers may be compared to group pods.
type PodSpec struct {
	Priority       int32 // 0 where the pod has none
	PriorityClass  string
	NeverPreempts  bool  // preemptionPolicy Never
	GraceSeconds   int64 // terminationGracePeriodSeconds, 30 where unset
	Requests       Resources
	HostPorts      []HostPort
	HostNetwork    bool
	NodeSelector   map[string]string
	Affinity       *corev1.Affinity
	Tolerations    []corev1.Toleration
	Spread         []corev1.TopologySpreadConstraint
	Volumes        []Volume
	SchedulerName  string
	PreStop        bool // some container has a preStop hook
	ResourceClaims int
	Gated          bool // has scheduling gates
	PodGroup       string
	// Storage tells that the pod serves volumes: it mounts the kubelet's plugin
	// folder, as CSI drivers do.
	Storage       bool
	RestartPolicy corev1.RestartPolicy
}

// Trouble says why a pod is not Ready, in the kubelet's or scheduler's words.
type Trouble struct {
	Container string // "" when the pod as a whole is meant
	Reason    string // CrashLoopBackOff, ImagePullBackOff, Unschedulable, ...
	Message   string
	// Termination is what the container wrote as it ended, often the last lines of its
	// log (terminationMessagePolicy): for a screen, never for a file.
	Termination string
	ExitCode    int32 // of the last termination; valid when HasExit
	HasExit     bool
	Restarts    int32
	// Running means that the container was restarted: `kubectl logs --previous` has the log of the termination.
	Running bool
}

// Starting tells whether the trouble is only that the pod has not come up yet.
// How long it may be so is for the reader to judge (Pod.Created, ReadySince).
func (t *Trouble) Starting() bool {
	switch t.Reason {
	case "ContainerCreating", "PodInitializing", "ContainersNotReady", "ContainersNotInitialized":
		return t.Restarts == 0 && !t.HasExit
	}
	return false
}

// Pod is the compact record of a pod. Records are immutable: a change makes a
// new one.
type Pod struct {
	Namespace string
	Name      string
	UID       UID
	Node      string // spec.nodeName, "" while unscheduled
	Owner     *Owner // the controller, nil if there is none
	Labels    labels.Set
	// Annotations holds only the keys listed in KeptAnnotations.
	Annotations map[string]string
	Spec        *PodSpec

	Created       time.Time
	Deleted       time.Time // deletionTimestamp (the moment grace ends), zero if not terminating
	DeletionGrace int64     // deletionGracePeriodSeconds, valid when Deleted is set
	Finalizers    []string

	Phase      corev1.PodPhase
	Reason     string // status.reason, e.g. Evicted
	Message    string
	Ready      bool      // the Ready condition is True (podutil.IsPodReady)
	ReadySince time.Time // last transition of the Ready condition, either way
	Trouble    *Trouble  // nil while nothing is known to be wrong
	State      *PodState // of its containers

	Version uint64 // resourceVersion, 0 if it is no number

	// Shared is the copy of Labels that records share, which lives while one of them
	// points to it.
	Shared *labels.Set
}

// Mirror tells whether the pod is the mirror of a static pod (kubectl
// filters.go mirrorPodFilter: the annotation kubernetes.io/config.mirror).
func (p *Pod) Mirror() bool {
	_, ok := p.Annotations[corev1.MirrorPodAnnotationKey]
	return ok
}

// Terminating tells whether the pod's deletion has been accepted.
func (p *Pod) Terminating() bool { return !p.Deleted.IsZero() }

// Finished tells whether the pod ran to its end (Succeeded or Failed).
func (p *Pod) Finished() bool {
	return p.Phase == corev1.PodSucceeded || p.Phase == corev1.PodFailed
}

// Healthy is the stateful set controller's isHealthy: running, ready and not
// terminating.
func (p *Pod) Healthy() bool { return p.Phase == corev1.PodRunning && p.Ready && !p.Terminating() }

// AvailableAt is from when on a Ready pod counts as available, by the server's clock: after it
// was Ready for so many seconds (podutil.IsPodAvailable).
func (p *Pod) AvailableAt(minReadySeconds int32) time.Time {
	if minReadySeconds == 0 {
		return p.ReadySince
	}
	// Its rule is "before now".
	return p.ReadySince.Add(time.Duration(minReadySeconds)*time.Second + time.Millisecond)
}

// The values of a node's Ready condition, and none where it has no condition.
const (
	NodeReady    = corev1.ConditionTrue
	NodeNotReady = corev1.ConditionFalse
	NodeUnknown  = corev1.ConditionUnknown // the kubelet is silent, or was
)

// Silent reports whether nothing was heard of the kubelet since the node is Unknown. When a kubelet comes back, its
// first status brings the heartbeats only, and the node stays Unknown for some seconds. This is for sentences and
// for what is waited for: a kubelet that was heard once may be gone again, so what is safe is decided by Ready.
func (n *Node) Silent() bool { return n.Ready == NodeUnknown && !n.Heartbeat.After(n.ReadySince) }

// Cordon says who made a node unschedulable, from managedFields.
type Cordon struct {
	Manager string    // the field manager that owns spec.unschedulable, "" if none does
	Since   time.Time // when that manager last wrote, zero if unknown
	// Mark is the content of our own annotation on the node, "" if there is
	// none. It counts only while the node is unschedulable.
	Mark string
}

// Node is the compact record of a node. Records are immutable.
type Node struct {
	Name            string
	UID             UID
	ResourceVersion string
	Labels          labels.Set
	Annotations     map[string]string // only the keys listed in KeptAnnotations
	Created         time.Time
	Ready           corev1.ConditionStatus
	ReadySince      time.Time
	ReadyReason     string
	ReadyMessage    string
	Heartbeat       time.Time // last heartbeat of the Ready condition
	Unschedulable   bool
	Cordon          *Cordon // nil unless Unschedulable
	LBLabelOurs     bool    // we alone own the label for load balancers (managedFields)
	Taints          []corev1.Taint
	Allocatable     Resources
	Addresses       []string // IPs and host names
	KubeletVersion  string
	BootID          string
	MachineID       string
	Runtime         string // containerRuntimeVersion, such as containerd://2.1.0
	VolumesInUse    []string
	VolumesAttached []string

	// What hangs on the object: it is gone once it is Deleted and has no finalizer.
	Deleted    time.Time // deletionTimestamp, zero if not terminating
	Finalizers []string
	Owners     []Owner
	ProviderID string
}

// Status is the word that kubectl get nodes has for the node (pkg/printers/internalversion printNode).
func (n *Node) Status() string {
	status := "NotReady"
	switch n.Ready {
	case NodeReady:
		status = "Ready"
	case "":
		status = "Unknown"
	}
	if n.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

// Zone is the node's topology zone, "" where the label is missing.
func (n *Node) Zone() string { return n.Labels[corev1.LabelTopologyZone] }

// ExcludedFromLB tells whether external load balancers leave the node out.
func (n *Node) ExcludedFromLB() bool {
	_, labelled := n.Labels[LoadBalancerLabel]
	return labelled
}

// Budget is the compact record of a PodDisruptionBudget.
type Budget struct {
	Namespace       string
	Name            string
	UID             UID
	ResourceVersion string
	Labels          labels.Set
	Annotations     map[string]string // only the keys listed in KeptAnnotations
	Owner           *Owner
	Created         time.Time

	// Selector matches nothing where the API's selector is nil, and every pod
	// of the namespace where it is empty (policy/v1).
	Selector        labels.Selector
	MinAvailable    *intstr.IntOrString
	MaxUnavailable  *intstr.IntOrString
	UnhealthyPolicy policyv1.UnhealthyPodEvictionPolicyType // "" is IfHealthyBudget

	Generation         int64
	ObservedGeneration int64
	DisruptionsAllowed int32
	CurrentHealthy     int32
	DesiredHealthy     int32
	ExpectedPods       int32
	// DisruptedPods are the pods (by name) whose eviction was accepted and not
	// yet seen by the disruption controller.
	DisruptedPods map[string]time.Time
	// The DisruptionAllowed condition; empty if there is none.
	ConditionStatus  string
	ConditionReason  string // SufficientPods, InsufficientPods, SyncFailed
	ConditionMessage string
}

// Observed tells whether the disruption controller has seen the budget's
// newest spec; while it has not, the server refuses every eviction under it.
func (b *Budget) Observed() bool { return b.ObservedGeneration >= b.Generation }

// Workload is the compact record of an owner of pods: ReplicaSet, Deployment,
// StatefulSet, DaemonSet, Job or ReplicationController, or any other that has a
// scale (watch.Owners).
type Workload struct {
	Kind            string
	Namespace       string
	Name            string
	UID             UID
	Owner           *Owner // a ReplicaSet's Deployment, a Job's CronJob
	Created         time.Time
	Replicas        int32 // desired: spec.replicas; DaemonSet: desiredNumberScheduled; Job: parallelism
	ReadyReplicas   int32
	Available       int32
	MinReadySeconds int32
	Selector        labels.Selector
	Finished        bool   // Job: Complete or Failed (cronjob utils getFinishedStatus)
	FinishedAs      string // "Complete" or "Failed"
	Failure         string // message of a ReplicaFailure condition
	// DeployedBy names the tool that takes foreign changes back (Argo CD, Flux,
	// Helm), "" if none is known. Not of a ReplicaSet that a Deployment owns.
	DeployedBy string
	// ReplicasOurs tells that we alone set spec.replicas, by managedFields.
	ReplicasOurs bool
	// ReplicasBy is a manager that sets spec.replicas again and again from a source
	// of its own (GitOps), by managedFields, "" if none is known.
	ReplicasBy string
	// ReplicasOwners are the entries of managedFields that own spec.replicas, but for
	// ours, as JSON without their fields, "" if there are none.
	ReplicasOwners string
	// SurgeMark is the content of our annotation about a surge, "" if there is none.
	SurgeMark string
	// ResourceVersion is that of a workload whose replicas a run may change.
	ResourceVersion string
	// Unobserved tells that its controller has not seen its newest spec.
	Unobserved bool
	// RollingOut tells that its pods are being replaced, or that it is Unobserved.
	RollingOut bool
	Rollout    *Rollout // of a Deployment

	// The following are set for owners of other kinds, of which only the scale
	// was read, once: Selector, ReadyReplicas and Available are not known then.
	APIVersion string // as in the reference of their pods
	Resource   string // as kubectl scale takes it, e.g. clonesets.apps.kruise.io; "" if the kind has no scale
	Hidden     string // why the scale is not known, "" where it is
}

// Rollout is how a Deployment replaces its pods.
type Rollout struct {
	Surge, Unavailable int32 // resolved for its replicas; both 0 for Recreate
	Paused             bool
}

// Usage is what the metrics API last said a node or pod used.
type Usage struct {
	CPUMilli    int64
	MemoryBytes int64
	At          time.Time
}
