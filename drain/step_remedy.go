package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// remedyStep sends remedies and takes them back.
type remedyStep struct{ *stepper }

func (st *stepper) remedies() remedyStep { return remedyStep{st} }

// Remedies are the remedies for a pod of the run, in order, each with what it would do now or
// why it is not available. It is nil for a pod that is not in the run.
func Remedies(s *State, snap *kube.Snapshot, pod kube.UID, now time.Time) []remedy.Remedy {
	p := s.Pod(pod)
	if p == nil {
		return nil
	}
	n := s.Node(p.Node)
	return remedy.Of(remedy.View{
		UID: p.UID, Namespace: p.Namespace, Name: p.Name, Live: snap.Pod(pod), Node: snap.Node(p.Node), On: n.Name, OnUID: n.UID,
		Blocked: p.State.Blocked(), BudgetBlocked: p.State == eviction.BudgetBlocked,
		Stuck: p.State == eviction.StuckTerminating, InFlight: p.InFlight != 0, Closed: s.remediesClosed(p, n), Managed: s.Run.Options.SurgeManaged,
		Grace: int64(s.Run.Options.GracePeriodSeconds), Records: s.Remedies,
		Planned: func(uid kube.UID) bool { return s.Pod(uid) != nil }, Snap: snap, Now: now,
	})
}

// remediesClosed is why the run lets no remedy for the pod be taken now, "" if it does.
func (s *State) remediesClosed(p *eviction.Record, n *NodeRun) string {
	switch {
	case s.Outcome != "":
		return "the run has ended"
	case s.Aborting:
		return "the run is being aborted"
	case s.Paused:
		return "the run is paused: nothing is sent"
	case p.State.Final():
		return "nothing more happens to it"
	case s.Phase != PhaseEvict || n.State != NodeDraining:
		return "its node is not being drained now"
	}
	return ""
}

// remediate takes a remedy: the operator's confirmation must be the remedy's, what was confirmed must
// still be what would be done, and a run without a screen must have been allowed to.
// A wrong confirmation changes nothing; whatever else stands in the way is in the journal.
func (st remedyStep) remediate(in Command) {
	remedies := Remedies(st.s, st.snap, in.Pod, st.now)
	if !in.OnScreen {
		remedy.Unattended(remedies, &st.s.Run.Options)
	}
	for _, offered := range remedies {
		if offered.Kind != in.Remedy.Kind || offered.Word == "" {
			continue
		}
		if offered.Word != in.Word {
			st.inputs().refuse(in, fmt.Errorf("%s is confirmed by %q, not by %q", offered.Kind, offered.Word, in.Word))
			return
		}
		p := st.s.Pod(in.Pod)
		st.emit(Event{Kind: EventControl, Command: CommandRemedy, By: in.By, Input: in.ID, Node: p.Node,
			Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		why := offered.DisabledReason
		switch {
		case why != "":
		case !st.leases().mayTouch(st.s.Node(p.Node)):
			why = "the Lease of its node is not held at this moment"
		case offered.Facts != in.Remedy:
			why = "it is no longer what was confirmed: see the remedies again"
		}
		facts := offered.Facts
		facts.ID = len(st.s.Remedies) + 1
		if why != "" {
			st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: remedy.Refused, By: in.By, Message: why})
			return
		}
		st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: remedy.Requested, By: in.By})
		st.sendRemedy(facts, p)
		return
	}
	st.inputs().refuse(in, fmt.Errorf("%q is nothing that can be done with the pod now", in.Remedy.Kind))
}

// sendRemedy sends the one request of a remedy; a surge has several, and is a record of its own.
func (st remedyStep) sendRemedy(f remedy.Facts, p *eviction.Record) {
	if f.Kind == remedy.Surge {
		st.surges().begin(f)
		return
	}
	mark := annotation.Mark{Run: st.s.Run.ID, By: st.s.Run.User, Reason: st.s.Run.Options.Reason}
	d := f.Send(mark, st.snap, st.now)
	e := Event{Node: p.Node, Namespace: f.Namespace, Remedy: &f, Action: &attempt.ActionFacts{Verb: d.Verb}}
	if f.Object == "Pod" {
		e.Pod, e.UID = f.Name, f.UID
	}
	st.send(Write{Verb: d.Verb, Node: p.Node, Remedy: f.ID, Request: d.Request}, e)
}

// onRemedyAnswer notes what came back for a remedy. It is the remedy's answer alone: a
// refusal leaves the pod as it is, to be evicted as planned.
func (st remedyStep) onRemedyAnswer(w Write, a kube.Answer, e Event) {
	r := st.s.remedy(w.Remedy)
	if r == nil {
		return
	}
	facts, class := r.Facts, st.classOf(a)
	e.Namespace, e.Remedy = r.Namespace, &facts
	if r.Deletes() {
		e.Pod, e.UID = r.Name, r.UID
	}
	st.emit(e)
	r = st.s.remedy(w.Remedy)
	c := r.After(w.Verb, a, class, st.s.Run.Target().Line(r.ByHand()), st.now)
	if st.setRemedy(r, c); c.State == remedy.Done {
		st.deletionAccepted(r)
	}
}

// deletionAccepted notes that the pod of the run ends, where that is what the remedy does.
func (st remedyStep) deletionAccepted(r *remedy.Record) {
	p := st.s.Pod(r.Pod)
	if !r.Deletes() || p == nil || p.State.Final() {
		return
	}
	grace := r.Grace
	if grace < 0 {
		grace = p.GraceSeconds
	}
	how := "deleted past its budget, as the operator asked"
	if r.Kind == remedy.ForceDelete {
		how = "deleted without a grace period, as the operator asked"
	}
	st.setPod(p, p.Ends(grace, how, st.now))
}

func (st remedyStep) setRemedy(r *remedy.Record, c remedy.Change) {
	facts := r.Facts
	st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: c.State, Message: c.Message,
		Wait: waits.Retry(c.Retry)})
	st.wakeAt(c.Retry)
}

// undoRemedies takes back what remedies changed, as far as that is due.
func (st remedyStep) undoRemedies(end bool) {
	var over time.Time
	for _, p := range st.s.Pods {
		over = latest(over, p.Ended)
	}
	for _, r := range st.s.Remedies {
		d := r.TakeBack(st.s.Run.ID, st.snap, end, over, st.now)
		st.wakeAt(d.Wake)
		if d.Change != nil {
			st.setRemedy(r, *d.Change)
		}
		if s := d.Send; s != nil {
			facts := r.Facts
			st.send(Write{Verb: s.Verb, Node: s.Node, Remedy: r.ID, Request: s.Request},
				Event{Node: s.Node, Namespace: r.Namespace,
					Remedy: &facts, Action: &attempt.ActionFacts{Verb: s.Verb, Version: s.Version}})
		}
	}
}

// leaveTaints says, at the end of the run, which nodes keep the taint.
func (st remedyStep) leaveTaints() {
	for _, r := range st.s.Remedies {
		if c := r.Leave(st.s.Run.Target().Line(r.ByHand())); c != nil {
			st.setRemedy(r, *c)
		}
	}
}

// remediesStand reports whether a remedy is still to be taken back before the run may end.
func (st remedyStep) remediesStand() bool {
	return slices.ContainsFunc(st.s.Remedies, func(r *remedy.Record) bool { return r.Awaited(st.now) })
}

// applyRemedy is the fold of a remedy's events.
func (s folding) applyRemedy(e Event) {
	if s.remedy(e.Remedy.ID) == nil {
		s.Remedies = append(s.Remedies, &remedy.Record{Facts: *e.Remedy, By: e.By, Seq: e.Seq, At: e.Time})
	}
	s.editRemedy(e.Remedy.ID, func(r *remedy.Record) { r.Become(e.RemedyState, e.Message, e.Wait.End(), e.Time) })
}

func (s *State) remedy(id int) *remedy.Record {
	if id < 1 || id > len(s.Remedies) {
		return nil
	}
	return s.Remedies[id-1]
}

func (s *State) editRemedy(id int, change func(r *remedy.Record)) {
	editRecord(s.Remedies, func(r *remedy.Record) bool { return r.ID == id }, change)
}
