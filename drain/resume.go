package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// applyResumed takes a run up in another process. A write without an answer is
// in doubt: it may have been sent or not. For a pod the server is asked who has
// its name before anything else is sent; for a node and for a budget the
// snapshot tells.
func (s *State) applyResumed(e Event) {
	s.Paused, s.Down, s.DownWhy, s.resumed = false, nil, "", e.Time
	s.unwell = e.Time // an outage is what many a run is resumed after
	s.Suspended, s.JournalLost = false, ""
	if !s.Aborting { // what was aborted stays so, and is brought to its end
		s.Message = ""
	}
	for _, p := range s.Pods {
		if p.InFlight == 0 {
			continue
		}
		s.editPod(p.UID, func(p *PodRun) {
			p.Resume()
			p.takeBackForce()
			if p.State.Final() { // its end was seen before the answer to its eviction
				return
			}
			p.Look = true
			p.State, p.Since, p.Wait = PodRetrying, e.Time, &waits.Wait{For: waits.ForAnswer}
		})
	}
	for _, n := range s.Nodes {
		s.editNode(n.Name, func(n *NodeRun) { n.Resume() })
	}
	s.resumeLeases()
	for _, b := range s.Budgets {
		s.editBudget(&b.Facts, (*tempbudget.Record).Resume)
	}
	for _, r := range s.Remedies {
		s.editRemedy(r.ID, (*remedy.Record).Resume)
	}
	s.Assumed.Resume(e.Time)
}

// counted is since when a patience that began then has been in use: the time in
// which no process worked on the run does not count, for nobody tried.
func (s *State) counted(began time.Time) time.Time {
	if s.resumed.After(began) {
		return s.resumed
	}
	return began
}
