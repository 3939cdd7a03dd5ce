package attempt

import "github.com/kdrain-tui/kdrain-tui/kube"

// Verb is the kind of a write.
type Verb string

// The writes of a run.
const (
	VerbCordon         Verb = "cordon"
	VerbUncordon       Verb = "uncordon"
	VerbEvict          Verb = "evict"
	VerbDelete         Verb = "delete"
	VerbCreateBudget   Verb = "create-budget"   // create a temporary budget
	VerbDeleteBudget   Verb = "delete-budget"   // delete one
	VerbAcquire        Verb = "acquire"         // acquire the Lease of a node, or take it over
	VerbRenew          Verb = "renew"           // keep it
	VerbRelease        Verb = "release"         // end it
	VerbRolloutRestart Verb = "rollout-restart" // restart the rollout of a Deployment
	VerbScale          Verb = "scale"           // one more replica
	VerbUnscale        Verb = "unscale"         // undo it
	VerbSetFields      Verb = "set-fields"      // change what a controller documents
	VerbResetFields    Verb = "reset-fields"    // undo it
	VerbSurge          Verb = "surge"           // raise replicas, so that replacements start first
	VerbEndSurge       Verb = "end-surge"       // set them back
	VerbDeletionCost   Verb = "deletion-cost"   // choose which pods are removed first, or undo that
	VerbTaint          Verb = "taint"           // declare a node out of service
	VerbUntaint        Verb = "untaint"         // undo it
	VerbDeleteNode     Verb = "delete-node"     // delete the Node object of a drained node
	// VerbGet reads one pod live, where an answer left in doubt who has the name.
	VerbGet Verb = "get"
)

// ActionFacts identify a write. The id is written as an intent before the
// write is sent; an intent without an answer is in doubt.
type ActionFacts struct {
	ID   uint64 `json:"id"`
	Verb Verb   `json:"verb"`
	// Budget is set where the write takes a token of a budget. Version is that
	// budget's (or the node's) resourceVersion as known at the time of the event.
	Budget  kube.UID `json:"budget,omitempty"`
	Version string   `json:"version,omitempty"`
	// Under is what the run knew of the pod's budgets when its eviction was sent: a
	// refusal by them stands until that changes.
	Under string `json:"under,omitempty"`
	// Pod has the phase, Ready and a hash of the labels of the pod when its eviction was sent. An eviction that an
	// admission webhook refused is retried when they change.
	Pod string `json:"pod,omitempty"`
}
