package surge

import (
	"errors"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Records are the surges of a run.
type Records []*Record

// Of is the surge of a workload, nil where it has none.
func (rs Records) Of(workload kube.UID) *Record {
	if i := slices.IndexFunc(rs, func(r *Record) bool { return r.UID == workload }); i >= 0 {
		return rs[i]
	}
	return nil
}

// LeftOver is what of the surges is left in the cluster, see Record.LeftOver.
func (rs Records) LeftOver() (left []string) {
	for _, r := range rs {
		if what := r.LeftOver(); what != "" {
			left = append(left, what)
		}
	}
	return left
}

// For is the surge of a pod's workload, or of the one by which it was planned to be replaced, where another has it by
// now; nil where it has none. Where it is not known yet whose pod it is, known is false: it may be one that surges.
func (rs Records) For(s *kube.Snapshot, live *kube.Pod, planned kube.UID) (r *Record, known bool) {
	if len(rs) == 0 {
		return nil, true
	}
	w, why := Of(s, live)
	if w == nil {
		return nil, why.Code != CodeUnknown
	}
	if r = rs.Of(w.UID); r != nil {
		return r, true
	}
	for _, r := range rs {
		if r.UID == planned || r.Batch.Has(live.UID) {
			return r, true
		}
	}
	return nil, true
}

// WorkloadOf is the workload that starts the replacement of a pod first, "" where none does.
func (rs Records) WorkloadOf(s *kube.Snapshot, live *kube.Pod) kube.UID {
	if r, _ := rs.For(s, live, ""); r != nil {
		return r.UID
	}
	return ""
}

// Word is what the operator types before the first replica is added.
func (rs Records) Word() string { return "surge " + format.Count(len(rs), "workload") }

// ErrRemoved is why a pod cannot be left where it is any more.
var ErrRemoved = errors.New(
	"the replicas of its workload are being set back: its owner removes the pod, and that cannot be called back")

// MayStay is ErrRemoved for a pod that its owner removes now, as far as is known, else nil.
func (rs Records) MayStay(pod kube.UID) error {
	for _, r := range rs { // the request that sets the replicas back may have been done, and who leaves is not seen yet
		lowered := r.State == Verifying || r.State == Lowering && (r.InFlight != 0 || r.Last != nil && r.Doubtful())
		if lowered && r.Batch.Has(pod) {
			return ErrRemoved
		}
	}
	return nil
}

// MayLeave is why those pods cannot be left where they are: one of them, of a workload that is raised, is not Ready.
func (rs Records) MayLeave(s *kube.Snapshot, left func(*kube.Pod) bool) error {
	for _, r := range rs {
		w := s.Workload(r.UID)
		if w == nil || !r.raised() {
			continue
		}
		if why := losesOther(s, w, left); why != nil {
			return errors.New(why.Text)
		}
	}
	return nil
}

var errRaised = errors.New("its replacement is starting: the pod leaves once that is Ready")

// MayGoLast is why a pod cannot be put last: its workload is raised for it. Nil where it can.
func (rs Records) MayGoLast(pod kube.UID) error {
	for _, r := range rs {
		if r.raised() && !r.Late && r.Batch.Has(pod) {
			return errRaised
		}
	}
	return nil
}

// RaisedFor is when the workload of a pod was raised for it, by the server's clock, zero where it was not, or its
// replacement was not Ready in time.
func (rs Records) RaisedFor(pod kube.UID) time.Time {
	for _, r := range rs {
		if r.Batch.Has(pod) && r.Why == "" {
			return r.Batch.At
		}
	}
	return time.Time{}
}

// Over returns how many surges have finished their batch or ended without one.
func (rs Records) Over() (n int) {
	for _, r := range rs {
		if r.State == Done || r.State.ended() {
			n++
		}
	}
	return n
}

// Stand reports whether one of them is still to be taken back before a run may end.
func (rs Records) Stand() bool { return slices.ContainsFunc(rs, (*Record).stands) }

// InFlightCosts counts the requests for deletion costs that have no answer yet.
func (rs Records) InFlightCosts() (n int) {
	for _, r := range rs {
		for i := range r.Costs {
			if r.Costs[i].InFlight != 0 {
				n++
			}
		}
	}
	return n
}
