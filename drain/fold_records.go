package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
)

// applyVolumes takes over where the volumes of a pod are, or, of an event that
// names no pod, what is still attached to a drained node and whether it is safe to
// power off. Journals from before that was judged make no node safe.
func (s folding) applyVolumes(e Event) {
	if e.Pod == "" {
		s.editNode(e.Node, func(n *NodeRun) {
			n.Attached, n.Warning, n.PowerOff, n.CordonGone = e.Volumes, e.Message, e.PowerOff, e.CordonGone
		})
		return
	}
	s.editPod(e.UID, func(p *eviction.Record) {
		p.Volumes, p.DetachBy = p.Volumes.Become(e.Volumes, e.Time), e.Wait.End()
	})
}

// applyUndone takes over what a rollback has taken back: of a node its cordon.
func (s folding) applyUndone(e Event) {
	s.RolledBack = e.Outcome == OutcomeDone
	switch {
	case e.Budget != nil:
		s.applyBudget(e)
	case e.Remedy != nil:
		s.applyRemedy(e)
	case e.Surge != nil && e.Cost != nil: // which the rollback lowers, and has to give back
		s.editSurge(e.Surge, func(r *surge.Record) { r.Asked(e.Cost, &attempt.ActionFacts{}) })
	case e.Surge != nil:
		s.applySurge(e)
	case e.CordonGone:
		s.editNode(e.Node, func(n *NodeRun) { n.CordonGone = true })
	}
}

func (s folding) applyConnection(e Event) {
	s.Down, s.DownWhy, s.unwell = nil, "", e.Time
	if e.Message != "" {
		at := e.Time
		s.Down, s.DownWhy = &at, e.Message
	}
}

func (s folding) applyCommand(e Event) {
	switch e.Command {
	case CommandPause:
		s.Paused, s.Message = true, e.Message
	case CommandContinue:
		s.Paused, s.Message = false, ""
	case CommandAbort:
		s.Aborting, s.Message = true, e.Message
	case CommandSuspend:
		if s.Suspended = true; !s.Aborting {
			s.Message = e.Message
		}
	case CommandLast:
		s.editPod(e.UID, func(p *eviction.Record) { p.PutLast = true })
	case CommandRetry:
		s.QuietUntil = time.Time{}
		s.editPod(e.UID, func(p *eviction.Record) { p.RetryNow = true })
	}
}

// applyResumed takes a run up in another process. A write without an answer is in doubt: it may have been sent or
// not. For a pod the server is asked who has its name before anything else is sent; for a node and for a budget the
// snapshot tells.
func (s folding) applyResumed(e Event, last time.Time) {
	s.stopClocks("", last) // what was after the last event is not known
	for _, p := range s.Pods {
		s.editPod(p.UID, func(p *eviction.Record) { p.Resume(last, e.Time) })
	}
	s.Paused, s.Down, s.DownWhy, s.resumed = false, nil, "", e.Time
	s.unwell = e.Time // an outage is what many a run is resumed after
	s.Suspended, s.RolledBack, s.JournalLost = false, false, ""
	if !s.Aborting { // what was aborted stays so, and is brought to its end
		s.Message = ""
	}
	for _, n := range s.Nodes {
		s.editNode(n.Name, func(n *NodeRun) {
			if n.Resume(); n.Lease != nil {
				n.Lease = n.Lease.Resume(n.State.Final())
			}
		})
	}
	if !slices.ContainsFunc(s.Budgets, (*tempbudget.Record).Asked) {
		s.Budgets = nil // the journal may have a part of their list only, and they are planned anew
	}
	for _, b := range s.Budgets {
		s.editBudget(&b.Facts, (*tempbudget.Record).Resume)
	}
	for _, r := range s.Remedies {
		s.editRemedy(r.ID, (*remedy.Record).Resume)
	}
	for _, r := range s.Surges {
		s.editSurge(&r.Facts, (*surge.Record).Resume)
	}
	s.Assumed.Resume(e.Time)
}

// counted is since when a patience that began then has been in use: the time in
// which no process worked on the run does not count, for nothing was tried.
func (s *State) counted(began time.Time) time.Time {
	if s.resumed.After(began) {
		return s.resumed
	}
	return began
}
