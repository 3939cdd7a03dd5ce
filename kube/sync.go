package kube

import "time"

// Kind names what the store watches.
type Kind string

// The kinds of the store.
const (
	KindNodes                  Kind = "nodes"
	KindPods                   Kind = "pods"
	KindBudgets                Kind = "poddisruptionbudgets"
	KindReplicaSets            Kind = "replicasets"
	KindDeployments            Kind = "deployments"
	KindStatefulSets           Kind = "statefulsets"
	KindDaemonSets             Kind = "daemonsets"
	KindJobs                   Kind = "jobs"
	KindReplicationControllers Kind = "replicationcontrollers"
	KindClaims                 Kind = "persistentvolumeclaims"
	KindVolumes                Kind = "persistentvolumes"
	KindStorageClasses         Kind = "storageclasses"
	KindCSINodes               Kind = "csinodes"
	KindCSIDrivers             Kind = "csidrivers"
	KindAttachments            Kind = "volumeattachments"
	KindNamespaces             Kind = "namespaces"
	KindServices               Kind = "services"
	KindValidatingWebhooks     Kind = "validatingwebhookconfigurations"
	KindMutatingWebhooks       Kind = "mutatingwebhookconfigurations"
	KindAutoscalers            Kind = "horizontalpodautoscalers"
	KindQuotas                 Kind = "resourcequotas"
	KindLeases                 Kind = "leases"  // ours over nodes, in one namespace
	KindUsage                  Kind = "metrics" // metrics.k8s.io, polled
)

// Kinds are all kinds of the store, in the order in which screens list them.
var Kinds = []Kind{
	KindNodes, KindPods, KindBudgets, KindReplicaSets, KindDeployments, KindStatefulSets,
	KindDaemonSets, KindJobs, KindReplicationControllers, KindClaims, KindVolumes, KindStorageClasses,
	KindCSINodes, KindCSIDrivers, KindAttachments, KindNamespaces, KindServices, KindValidatingWebhooks,
	KindMutatingWebhooks, KindAutoscalers, KindQuotas, KindLeases, KindUsage,
}

// SyncPhase says how far what we hold of a kind can be trusted.
type SyncPhase int

// The sync phases of a kind.
const (
	NotSynced SyncPhase = iota // the first list is still coming in
	Synced                     // complete and live
	Stale                      // was complete, the connection is gone since
	Denied                     // we may not list it, or it is not served
)

func (p SyncPhase) String() string {
	return [...]string{"not synced", "synced", "stale", "denied"}[p]
}

// SyncState is the sync phase of one kind, with what is worth saying about it.
type SyncState struct {
	Phase  SyncPhase
	Count  int       // objects held
	Total  int       // objects that there will be, while the first list comes in; 0 where it is not known
	Since  time.Time // since when the phase holds
	Reason string    // the server's or the network's words for Stale and Denied
}

// Health is the state of the connection to the API server, from what requests
// and watches met; watch error handlers of client-go stay silent when a server
// goes away, so they are not asked.
type Health struct {
	Live        bool
	LastContact time.Time // when something came last on the connection that reads
	DownSince   time.Time // zero while Live
	Reason      string    // why it is down, in the network's words
	Warning     string    // what is wrong with a server that is live
	// Offset is what must be added to our clock to get the server's (from the
	// Date header, exact to about a second).
	Offset time.Duration
}
