package replacement

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// State is how far the replacement of a moved pod is.
type State string

// The states of a replacement; "" is a pod that is not followed.
const (
	Awaited   State = "Awaited"   // its owner has not created it yet
	Pending   State = "Pending"   // created, on no node yet
	Starting  State = "Starting"  // on a node, not Ready yet, or not for minReadySeconds
	Failing   State = "Failing"   // on a node, and a container of it fails
	Ready     State = "Ready"     // Ready, and so for minReadySeconds
	NotWanted State = "NotWanted" // there will be none
)

// Settled reports whether nothing more is learned about the replacement.
func (s State) Settled() bool { return s == Ready || s == NotWanted }

// Facts are what a run keeps of a replacement.
type Facts struct {
	State State `json:"state"`
	// Owner is the workload whose number of pods counts, as "Kind/name": of a ReplicaSet its
	// Deployment. "" where the moved pod has none.
	Owner    string   `json:"owner,omitempty"`
	OwnerUID kube.UID `json:"ownerUID,omitempty"`
	// After is by the server's clock: what was created before replaces another pod.
	After time.Time `json:"after,omitzero"`
	Pod   string    `json:"pod,omitempty"` // its name, "" while there is none
	UID   kube.UID  `json:"uid,omitempty"`
	Node  string    `json:"node,omitempty"` // where it landed, "" while it is Pending
	// Reason is one word of the scheduler or the kubelet, such as Unschedulable or
	// CrashLoopBackOff; Why is their message, or why none is wanted.
	Reason    string `json:"reason,omitempty"`
	Container string `json:"container,omitempty"` // that fails
	Exit      *int32 `json:"exitCode,omitempty"`  // with which it ended last
	Why       string `json:"why,omitempty"`
	Late      bool   `json:"late,omitempty"` // not waited for any longer
}

// Record is the replacement of one moved pod, as far as it is known. The fold of the run's events
// calls Become; Follow says what it becomes.
type Record struct {
	Facts
	Began   time.Time // since when the moved pod is replaced
	Since   time.Time // since when it is in State
	ReadyAt time.Time // when it became Ready, zero before
	told    time.Time // when Facts were last told
}

// Become is the transition to what an event tells.
func (r Record) Become(f Facts, at time.Time) Record {
	if r.State != f.State {
		r.Since = at
	}
	if r.Began.IsZero() {
		r.Began = at
	}
	if f.State == Ready && r.ReadyAt.IsZero() {
		r.ReadyAt = at
	}
	r.Facts, r.told = f, at
	return r
}

// Awaited reports whether it is still worth to wait for the replacement: it can become Ready
// within its time.
func (r *Record) Awaited() bool { return r.State != "" && !r.State.Settled() && !r.Late }

// OnItsWay reports whether the replacement comes up by itself, as far as is known.
func (r *Record) OnItsWay() bool { return r.Awaited() && !r.Stuck() }

// Stuck reports whether the replacement needs somebody: a container of it fails, or the scheduler finds no
// node for it.
func (f *Facts) Stuck() bool { return f.State == Failing || f.State == Pending && f.Reason != "" }

// Took is how long it took from when the pod was on its way until its replacement was Ready,
// zero where it is not.
func (r *Record) Took() time.Duration {
	if r.ReadyAt.IsZero() {
		return 0
	}
	return r.ReadyAt.Sub(r.Began)
}

const (
	// toldEvery is how often at most the words about a replacement are told again while
	// its state stays the same.
	toldEvery = time.Second
	// toldPart is the part of the time in that state after which they are: the longer it lasts the
	// rarer, since a container that crashes changes them for ever.
	toldPart = 10
)

// Tell reports whether the facts are worth an event now. If not, but later, wake is when.
func (r *Record) Tell(f Facts, now time.Time) (tell bool, wake time.Time) {
	if r.State != f.State || r.UID != f.UID || r.Node != f.Node || r.Late != f.Late {
		return true, time.Time{}
	}
	if same(r.Facts, f) {
		return false, time.Time{}
	}
	next := tellNext(r.told, r.Since, now)
	return !now.Before(next), next
}

// tellNext is when words that changed may be told again.
func tellNext(told, since, now time.Time) time.Time {
	return told.Add(max(toldEvery, now.Sub(since)/toldPart))
}

func same(a, b Facts) bool {
	if (a.Exit == nil) != (b.Exit == nil) || a.Exit != nil && *a.Exit != *b.Exit {
		return false
	}
	a.Exit, b.Exit, a.After, b.After = nil, nil, time.Time{}, time.Time{}
	return a == b
}

// Tally counts the replacements of moved pods by what has become of them.
type Tally struct {
	Wanted  int // moved pods of which a replacement is wanted
	Ready   int
	Failing int // a container of it fails
	Pending int // no node has room for it, in the scheduler's words
	Late    int // of those that are not Ready: not waited for any longer
}

// Add counts one more.
func (t *Tally) Add(r *Record) {
	if r.State == "" || r.State == NotWanted {
		return
	}
	t.Wanted++
	switch {
	case r.State == Ready:
		t.Ready++
	case r.State == Failing:
		t.Failing++
	case r.Stuck():
		t.Pending++
	}
	if r.Late && r.State != Ready {
		t.Late++
	}
}
