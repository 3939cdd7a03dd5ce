package drain

import "time"

// RungState is what has become of a rung that was taken.
type RungState string

// The states of a rung.
const (
	RungTaken   RungState = "Taken"   // confirmed; its request is on its way
	RungRefused RungState = "Refused" // not done: the server said no, or it was not what was confirmed any more
	RungInDoubt RungState = "InDoubt" // no answer came: it may have been done
	RungDone    RungState = "Done"    // the server accepted it
	RungUndone  RungState = "Undone"  // taken back by the run
	RungKept    RungState = "Kept"    // not ours any more: left as it is
	RungLeft    RungState = "Left"    // could not be taken back: it is still there
)

// RungRun is a rung that was taken in a run.
type RungRun struct {
	RungFacts
	Attempt // its request, then that which takes it back
	State   RungState
	By      string
	Seq     uint64    // number of the event that took it up: the one after the control's
	At      time.Time // when it was confirmed
	Since   time.Time
	Message string
}

// lasts tells whether there is something to take back once the rung was taken.
func (r *RungRun) lasts() bool { return r.Kind == RungScale || r.Kind == RungTaint }

// deletes tells whether its request deletes the pod of the run itself.
func (f *RungFacts) deletes() bool { return f.Kind == RungDelete || f.Kind == RungKill }

// open tells whether what the rung did is, or may be, still in the cluster and ours.
func (r *RungRun) open() bool {
	return r.lasts() && (r.State == RungTaken || r.State == RungDone || r.State == RungInDoubt)
}

// applyRung is the fold of a rung's events.
func (s *State) applyRung(e Event) {
	if s.rung(e.Rung.ID) == nil {
		s.Rungs = append(s.Rungs, &RungRun{RungFacts: *e.Rung, By: e.By, Seq: e.Seq, At: e.Time})
	}
	s.editRung(e.Rung.ID, func(r *RungRun) {
		if r.State != e.RungState {
			r.Since = e.Time
		}
		r.State, r.Message, r.next = e.RungState, e.Message, time.Time{}
		if e.Wait != nil {
			r.failed(e.Wait.Until)
		}
	})
}

func (s *State) rung(id int) *RungRun {
	if id < 1 || id > len(s.Rungs) {
		return nil
	}
	return s.Rungs[id-1]
}

// editRung replaces the record of a rung by a changed copy.
func (s *State) editRung(id int, edit func(r *RungRun)) {
	if r := s.rung(id); r != nil {
		changed := *r
		edit(&changed)
		s.Rungs[id-1] = &changed
	}
}

// resumeRungs puts in doubt what had no answer when the process before ended.
func (s *State) resumeRungs() {
	for _, r := range s.Rungs {
		s.editRung(r.ID, func(r *RungRun) {
			r.resume()
			r.Last = nil
			if r.State == RungTaken {
				r.State, r.Message = RungInDoubt, "the process ended before the answer came"
			}
		})
	}
}

// Words say the state in plain words.
func (s RungState) Words() string {
	return map[RungState]string{
		RungTaken: "asked for", RungRefused: "not done", RungInDoubt: "in doubt", RungDone: "done",
		RungUndone: "taken back", RungKept: "not taken back", RungLeft: "still there",
	}[s]
}
