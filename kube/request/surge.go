package request

import "github.com/kdrain-tui/kdrain-tui/kube"

// Raise gives a workload more replicas for a surge, together with our annotation that
// tells of it. It fails with 409 if the workload changed since ResourceVersion, and so
// if another run was quicker or somebody else set the number.
type Raise struct {
	Kind            string // Deployment or ReplicaSet
	Namespace, Name string
	UID             kube.UID
	ResourceVersion string
	To              int32
	Mark            string // content of our annotation
}

// Lower ends a surge: it sets the replicas back and replaces our annotation, both in one
// patch that fails with 422 unless the number and the annotation are still those of the
// surge. Where From and To are equal the number stays as it is, and is not tested.
type Lower struct {
	Kind            string
	Namespace, Name string
	UID             kube.UID
	From, To        int32
	Mark            string // content of our annotation, as it was written; "" where somebody has removed it
	Then            string // its content afterwards, "" to remove it
	// Owners makes those from whom Raise took the number its owners again, and changes nothing else: in the form of
	// kube.Workload.ReplicasOwners. It fails with 409 if the workload changes meanwhile.
	Owners string
}

// Scales reports whether it changes the number of replicas.
func (r Lower) Scales() bool { return r.From != r.To }

// SetCost changes the deletion cost of exactly one pod. From "" overwrites what is there
// and fails with 409 if the name belongs to another pod; any other From is tested, and
// fails with 422 where the pod or its cost is another. To "" removes the cost.
type SetCost struct {
	Namespace, Name string
	UID             kube.UID
	From, To        string
}

// LowestDeletionCost is the deletion cost of the pods that a ReplicaSet is to remove first.
const LowestDeletionCost = "-2147483648"

// SurgeResources are the resources whose replicas a surge may raise, by kind.
var SurgeResources = map[string]Permission{
	"Deployment": {Verb: "patch", Group: "apps", Resource: "deployments"},
	"ReplicaSet": {Verb: "patch", Group: "apps", Resource: "replicasets"},
}
