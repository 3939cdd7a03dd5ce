package tempbudget

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// State is where a temporary budget is in its run.
type State string

// The states of a temporary budget.
const (
	Planned  State = "Planned"
	InDoubt  State = "InDoubt"  // no clear answer came: it may exist, the server is asked
	Created  State = "Created"  // accepted, the controller has not observed it yet
	Observed State = "Observed" // in force
	Removed  State = "Removed"
	Failed   State = "Failed"   // could not be created
	Orphaned State = "Orphaned" // could not be removed: it is still there
)

// Facts are a temporary budget of a run, as events name it.
type Facts struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       kube.UID `json:"uid,omitempty"`
	Owner     string   `json:"owner"` // Kind/name of the workload it protects
	OwnerUID  kube.UID `json:"ownerUID"`
	Selector  string   `json:"selector"`
}

// Same reports whether both are about the budget of one name.
func (f *Facts) Same(other *Facts) bool {
	return f.Namespace == other.Namespace && f.Name == other.Name
}

// Record is a temporary budget of a run. The fold of the run's events calls its
// transitions, Become to Resume; Make, Watch and TakeBack decide by it.
type Record struct {
	Facts
	attempt.Attempt // what is asked for it at present
	State           State
	Since           time.Time
	Message         string
}

// Become is the transition to the state that an event tells of; retry is when what was asked
// for the budget is asked again, zero where it is not.
func (r *Record) Become(f Facts, state State, message string, retry, at time.Time) {
	if r.State != state {
		r.Since = at
	}
	if r.UID != f.UID { // it was made: what follows is about its removal
		r.Tries = 0
	}
	r.State, r.Message, r.UID = state, message, f.UID
	r.Next = time.Time{}
	if !retry.IsZero() {
		r.Failed(retry)
	}
}

// Resume is the record in another process: whether a budget exists that was asked for is in doubt. What
// the answer led to may be missing from the journal, as the answer itself.
func (r *Record) Resume() {
	if r.State == Planned && r.Asked() {
		r.State = InDoubt
	}
	r.Attempt.Resume()
}

// Asked reports whether a request was sent for the budget, or there was no need to.
func (r *Record) Asked() bool { return r.State != Planned || r.InFlight != 0 || r.Last != nil }

// Standing reports whether the budget is in the cluster and the run's to remove.
func (r *Record) Standing() bool { return r.State == Created || r.State == Observed }

// LeftOver names the budgets that could not be removed.
func LeftOver(all []*Record) (left []string) {
	for _, r := range all {
		if r.State == Orphaned {
			left = append(left, "temporary budget "+r.Namespace+"/"+r.Name+" could not be removed")
		}
	}
	return left
}

// MayStand reports whether the budget is in the cluster, or may be.
func (r *Record) MayStand() bool { return r.Standing() || r.State == InDoubt }

// InForce reports whether evictions need not wait for the budget: it is observed, or not needed.
func (r *Record) InForce() bool { return r.State == Observed || r.State == Removed }
