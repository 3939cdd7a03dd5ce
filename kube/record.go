package kube

// Record is what the store keeps of one API object: a pointer to a Pod, a Node or
// another of the types below. Records are immutable once the store has them: a
// change makes a new one.
type Record interface{ Meta() Meta }

// Meta says which object a record is of.
type Meta struct {
	Kind      Kind // "" for workloads of kinds that are not watched
	Namespace string
	Name      string
	UID       UID
}

// Meta identifies the pod.
func (p *Pod) Meta() Meta { return Meta{KindPods, p.Namespace, p.Name, p.UID} }

// Meta identifies the node.
func (n *Node) Meta() Meta { return Meta{KindNodes, "", n.Name, n.UID} }

// Meta identifies the workload.
func (w *Workload) Meta() Meta { return Meta{workloadKinds[w.Kind], w.Namespace, w.Name, w.UID} }

// workloadKinds are the kinds of workloads that are watched, by the API's name.
var workloadKinds = map[string]Kind{
	"ReplicaSet":            KindReplicaSets,
	"Deployment":            KindDeployments,
	"StatefulSet":           KindStatefulSets,
	"DaemonSet":             KindDaemonSets,
	"Job":                   KindJobs,
	"ReplicationController": KindReplicationControllers,
}

// Meta identifies the configuration.
func (c *WebhookConfiguration) Meta() Meta {
	if c.Mutating {
		return Meta{KindMutatingWebhooks, "", c.Name, c.UID}
	}
	return Meta{KindValidatingWebhooks, "", c.Name, c.UID}
}

// Meta identifies the budget.
func (b *Budget) Meta() Meta { return Meta{KindBudgets, b.Namespace, b.Name, b.UID} }

// Meta identifies the claim.
func (c *PersistentVolumeClaim) Meta() Meta { return Meta{KindClaims, c.Namespace, c.Name, c.UID} }

// Meta identifies the volume.
func (v *PersistentVolume) Meta() Meta { return Meta{KindVolumes, "", v.Name, v.UID} }

// Meta identifies the class.
func (c *StorageClass) Meta() Meta { return Meta{KindStorageClasses, "", c.Name, c.UID} }

// Meta identifies the CSINode.
func (n *CSINode) Meta() Meta { return Meta{KindCSINodes, "", n.Name, n.UID} }

// Meta identifies the driver.
func (d *CSIDriver) Meta() Meta { return Meta{KindCSIDrivers, "", d.Name, d.UID} }

// Meta identifies the attachment.
func (a *VolumeAttachment) Meta() Meta { return Meta{KindAttachments, "", a.Name, a.UID} }

// Meta identifies the namespace.
func (n *Namespace) Meta() Meta { return Meta{KindNamespaces, "", n.Name, n.UID} }

// Meta identifies the Lease.
func (l *Lease) Meta() Meta { return Meta{KindLeases, l.Namespace, l.Name, l.UID} }

// Meta identifies the Service.
func (s *Service) Meta() Meta { return Meta{KindServices, s.Namespace, s.Name, s.UID} }

// Meta identifies the autoscaler.
func (a *Autoscaler) Meta() Meta { return Meta{KindAutoscalers, a.Namespace, a.Name, a.UID} }

// Meta identifies the quota.
func (q *Quota) Meta() Meta { return Meta{KindQuotas, q.Namespace, q.Name, q.UID} }
