package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
)

// RemedyState is what has become of a remedy that was taken.
type RemedyState string

// The states of a remedy.
const (
	RemedyTaken   RemedyState = "Taken"   // confirmed; its request is on its way
	RemedyRefused RemedyState = "Refused" // not done: the server said no, or it was not what was confirmed any more
	RemedyInDoubt RemedyState = "InDoubt" // no answer came: it may have been done
	RemedyDone    RemedyState = "Done"    // the server accepted it
	RemedyUndone  RemedyState = "Undone"  // taken back by the run
	RemedyKept    RemedyState = "Kept"    // not ours any more: left as it is
	RemedyLeft    RemedyState = "Left"    // could not be taken back: it is still there
)

// RemedyRun is a remedy that was taken in a run.
type RemedyRun struct {
	RemedyFacts
	attempt.Attempt // its request, then that which takes it back
	State           RemedyState
	By              string
	Seq             uint64    // number of the event that took it up: the one after the control's
	At              time.Time // when it was confirmed
	Since           time.Time
	Message         string
}

// lasts tells whether there is something to take back once the remedy was taken.
func (r *RemedyRun) lasts() bool { return r.Kind == RemedyScale || r.Kind == RemedyOutOfService }

// deletes tells whether its request deletes the pod of the run itself.
func (f *RemedyFacts) deletes() bool { return f.Kind == RemedyDelete || f.Kind == RemedyForceDelete }

// open tells whether what the remedy did is, or may be, still in the cluster and ours.
func (r *RemedyRun) open() bool {
	return r.lasts() && (r.State == RemedyTaken || r.State == RemedyDone || r.State == RemedyInDoubt)
}

// applyRemedy is the fold of a remedy's events.
func (s *State) applyRemedy(e Event) {
	if s.remedy(e.Remedy.ID) == nil {
		s.Remedies = append(s.Remedies, &RemedyRun{RemedyFacts: *e.Remedy, By: e.By, Seq: e.Seq, At: e.Time})
	}
	s.editRemedy(e.Remedy.ID, func(r *RemedyRun) {
		if r.State != e.RemedyState {
			r.Since = e.Time
		}
		r.State, r.Message, r.Next = e.RemedyState, e.Message, time.Time{}
		if e.Wait != nil {
			r.Failed(e.Wait.Until)
		}
	})
}

func (s *State) remedy(id int) *RemedyRun {
	if id < 1 || id > len(s.Remedies) {
		return nil
	}
	return s.Remedies[id-1]
}

// editRemedy replaces the record of a remedy by a changed copy.
func (s *State) editRemedy(id int, edit func(r *RemedyRun)) {
	if r := s.remedy(id); r != nil {
		changed := *r
		edit(&changed)
		s.Remedies[id-1] = &changed
	}
}

// resumeRemedies puts in doubt what had no answer when the process before ended.
func (s *State) resumeRemedies() {
	for _, r := range s.Remedies {
		s.editRemedy(r.ID, func(r *RemedyRun) {
			r.Resume()
			r.Last = nil
			if r.State == RemedyTaken {
				r.State, r.Message = RemedyInDoubt, "the process ended before the answer came"
			}
		})
	}
}

// Words say the state in plain words.
func (s RemedyState) Words() string {
	return map[RemedyState]string{
		RemedyTaken: "asked for", RemedyRefused: "not done", RemedyInDoubt: "in doubt", RemedyDone: "done",
		RemedyUndone: "taken back", RemedyKept: "not taken back", RemedyLeft: "still there",
	}[s]
}
