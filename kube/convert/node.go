package convert

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Node is the compact record of a node.
func Node(n *corev1.Node) *kube.Node {
	record := &kube.Node{
		Name: Share(n.Name), UID: n.UID, ResourceVersion: n.ResourceVersion,
		Labels: labels.Set(copyMap(n.Labels)), Annotations: keptAnnotations(n.Annotations),
		Created: n.CreationTimestamp.Time, Unschedulable: n.Spec.Unschedulable,
		Taints: slices.Clone(n.Spec.Taints), Allocatable: amounts(n.Status.Allocatable),
		KubeletVersion: Share(kube.CleanText(n.Status.NodeInfo.KubeletVersion)),
		BootID:         kube.CleanText(n.Status.NodeInfo.BootID),
		MachineID:      kube.CleanText(n.Status.NodeInfo.MachineID),
		Runtime:        Share(kube.CleanText(n.Status.NodeInfo.ContainerRuntimeVersion)),
		ProviderID:     kube.Visible(n.Spec.ProviderID),
	}
	if n.DeletionTimestamp != nil {
		record.Deleted = n.DeletionTimestamp.Time
	}
	for _, f := range n.Finalizers {
		record.Finalizers = append(record.Finalizers, Share(kube.Visible(f)))
	}
	for _, o := range n.OwnerReferences {
		record.Owners = append(record.Owners, kube.Owner{APIVersion: Share(kube.Visible(o.APIVersion)),
			Kind: Share(kube.Visible(o.Kind)), Name: kube.Visible(o.Name), UID: o.UID})
	}
	for i := range n.Status.Conditions {
		c := &n.Status.Conditions[i]
		if c.Type == corev1.NodeReady {
			record.Ready, record.ReadySince = corev1.ConditionStatus(Share(string(c.Status))), c.LastTransitionTime.Time
			record.ReadyReason, record.ReadyMessage = Share(kube.CleanText(c.Reason)), Share(kube.CleanText(c.Message))
			record.Heartbeat = c.LastHeartbeatTime.Time
		}
	}
	for _, a := range n.Status.Addresses {
		record.Addresses = append(record.Addresses, Share(kube.CleanText(a.Address)))
	}
	for _, v := range n.Status.VolumesInUse {
		record.VolumesInUse = append(record.VolumesInUse, Share(string(v)))
	}
	for _, v := range n.Status.VolumesAttached {
		record.VolumesAttached = append(record.VolumesAttached, Share(string(v.Name)))
	}
	if record.ExcludedFromLB() {
		record.LBLabelOurs = ownsLBLabel(n.ManagedFields)
	}
	if n.Spec.Unschedulable {
		record.Cordon = cordonOf(n)
	}
	return record
}

// ownsLBLabel reports whether managedFields name us, and no other manager, as owner of the label for load balancers.
func ownsLBLabel(managers []metav1.ManagedFieldsEntry) (ours bool) {
	for i := range managers {
		if !bytes.Contains(managers[i].FieldsV1.GetRawBytes(), []byte(`"f:`+kube.LoadBalancerLabel+`"`)) {
			continue
		}
		if managers[i].Manager != kube.FieldManager {
			return false
		}
		ours = true
	}
	return ours
}

// cordonOf reads from managedFields who made the node unschedulable, and since when. A manager that owns the field
// beside us wants the node cordoned, too: the cordon is not ours alone, whoever wrote last. Managers may have written
// other fields later, so the taint that the node controller adds after the cordon is believed where it is older.
func cordonOf(n *corev1.Node) *kube.Cordon {
	c := &kube.Cordon{Mark: kube.CleanText(n.Annotations[kube.CordonAnnotation])}
	for i := range n.ManagedFields {
		entry := &n.ManagedFields[i]
		if !ownsUnschedulable(entry.FieldsV1) {
			continue
		}
		at, ours, wasOurs := timeOf(entry.Time), entry.Manager == kube.FieldManager, c.Manager == kube.FieldManager
		if c.Manager == "" || wasOurs && !ours || wasOurs == ours && at.After(c.Since) {
			c.Manager, c.Since = kube.CleanText(entry.Manager), at
		}
	}
	if at := unschedulableTaint(n); !at.IsZero() && (c.Since.IsZero() || at.Before(c.Since)) {
		c.Since = at
	}
	return c
}

func ownsUnschedulable(fields *metav1.FieldsV1) bool {
	raw := fields.GetRawBytes()
	if !bytes.Contains(raw, []byte(`"f:unschedulable"`)) {
		return false
	}
	var owned struct {
		Spec map[string]json.RawMessage `json:"f:spec"`
	}
	if err := json.Unmarshal(raw, &owned); err != nil {
		return false
	}
	_, ok := owned.Spec["f:unschedulable"]
	return ok
}

func unschedulableTaint(n *corev1.Node) time.Time {
	for i := range n.Spec.Taints {
		if n.Spec.Taints[i].Key == corev1.TaintNodeUnschedulable {
			return timeOf(n.Spec.Taints[i].TimeAdded)
		}
	}
	return time.Time{}
}

// NodeUsage is what the metrics API says of a node.
func NodeUsage(m *metricsv1.NodeMetrics) kube.Usage {
	r := amounts(m.Usage)
	return kube.Usage{CPUMilli: r.CPUMilli, MemoryBytes: r.MemoryBytes, At: m.Timestamp.Time}
}

// PodUsage is what all containers of a pod use.
func PodUsage(m *metricsv1.PodMetrics) kube.Usage {
	u := kube.Usage{At: m.Timestamp.Time}
	for i := range m.Containers {
		r := amounts(m.Containers[i].Usage)
		u.CPUMilli += r.CPUMilli
		u.MemoryBytes += r.MemoryBytes
	}
	return u
}
