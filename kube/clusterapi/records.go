package clusterapi

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Rules is all that was read at one time about Cluster API's MachineDrainRules. It is not
// watched, and never changed once it is in a store.
type Rules struct {
	// Hidden is why the rules could not be read, "" where they were, or are not served.
	Hidden string
	Rules  []Rule
	// Machines are all of the server; they are read only where there are rules.
	Machines []Machine
	// MachinesHidden and ClustersHidden are why those could not be read, "" where they were.
	MachinesHidden string
	ClustersHidden string
	// Clusters are the labels of each Cluster, by namespace/name.
	Clusters map[string]labels.Set
}

// Rule is the compact record of a MachineDrainRule. Its order counts only if it drains.
type Rule struct {
	Namespace string
	Name      string
	Behavior  string // Drain, Skip or WaitCompleted
	Order     int32
	// Machines and Pods are alternatives; an empty list is for all.
	Machines []Selector
	Pods     []Selector
	Invalid  string // why a selector cannot be read, "" where all can
}

// Selector selects objects by their own labels, and by those of what they are in: of
// pods their Namespace, of Machines their Cluster.
type Selector struct {
	Own labels.Selector
	Of  labels.Selector
}

// Machine is the compact record of a Machine of Cluster API.
type Machine struct {
	Namespace  string
	Name       string
	Cluster    string
	Labels     labels.Set
	Node       string    // name of its node, "" while it has none
	NodeUID    types.UID // "" where the API version does not say it
	ProviderID string
}

// Annotations by which Cluster API says on a node which Machine it is of.
const (
	MachineAnnotation          = "cluster.x-k8s.io/machine"
	ClusterNamespaceAnnotation = "cluster.x-k8s.io/cluster-namespace"
)
