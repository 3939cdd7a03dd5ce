package drain

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// climb takes a rung: the operator's word must be the rung's, what was confirmed must
// still be what would be done, and a run without a screen must have been allowed to.
// A wrong word does nothing at all; everything else that stands in the way is said.
func (st *stepper) climb(in Control) {
	rungs := Ladder(st.s, st.snap, in.Pod, st.now)
	if !in.OnScreen {
		Unattended(rungs, &st.s.Run.Options)
	}
	for _, rung := range rungs {
		if rung.Kind != in.Rung.Kind || rung.Word == "" || rung.Word != in.Word {
			continue
		}
		p := st.s.Pod(in.Pod)
		st.emit(Event{Kind: EventControl, Control: ControlClimb, By: in.By, Input: in.ID, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		why := rung.Off
		switch {
		case why != "":
		case !st.mayTouch(st.s.Node(p.Node)):
			why = "the Lease over its node is not held at this moment"
		case rung.RungFacts != in.Rung:
			why = "it is not what was confirmed any more: look at the ladder again"
		}
		facts := rung.RungFacts
		facts.ID = len(st.s.Rungs) + 1
		if why != "" {
			st.emit(Event{Kind: EventRung, Rung: &facts, RungState: RungRefused, By: in.By, Message: why})
			return
		}
		st.emit(Event{Kind: EventRung, Rung: &facts, RungState: RungTaken, By: in.By})
		st.sendRung(facts, p)
		return
	}
	st.refuse(in, errors.New("it had no effect"))
}

// sendRung sends the one request of a rung.
func (st *stepper) sendRung(f RungFacts, p *PodRun) {
	e := Event{Node: p.Node, Namespace: f.Namespace, Rung: &f}
	w := Write{Node: p.Node, Rung: f.ID}
	switch f.Kind {
	case RungFree:
		w.Verb, w.Request = VerbEvict, kube.EvictRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
		e.Pod, e.UID = f.Name, f.UID
	case RungRestart:
		version := ""
		if live := st.snap.Workload(f.UID); live != nil && live.Rollout != nil {
			version = live.Rollout.ResourceVersion
		}
		w.Verb, w.Request = VerbRestart, kube.RestartRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID,
			ResourceVersion: version, At: st.snap.ServerTime(st.now)}
	case RungScale:
		w.Verb, w.Request = VerbScale, *f.scaleRequest(f.From, f.To)
	case RungTaint:
		node := st.snap.Node(f.Name)
		mark := annotation.Mark{Run: st.s.Run.ID, By: st.s.Run.User, Reason: st.s.Run.Options.Reason, At: st.snap.ServerTime(st.now).UTC().Truncate(time.Second)}
		w.Verb, w.Request = VerbTaint, *taintRequest(node, node.TaintsWith(), mark.String())
	case RungDelete, RungKill:
		e.Pod, e.UID = f.Name, f.UID
		r := kube.DeleteRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
		if f.Grace >= 0 {
			r.Grace = &f.Grace
		}
		w.Verb, w.Request = VerbDelete, r
	}
	e.Action = &ActionFacts{Verb: w.Verb}
	st.send(w, e)
}

func (f RungFacts) scaleRequest(from, to int32) *kube.ScaleRequest {
	return &kube.ScaleRequest{Kind: f.Object, Namespace: f.Namespace, Name: f.Name, UID: f.UID, From: from, To: to}
}

func taintRequest(n *kube.Node, taints []corev1.Taint, mark string) *kube.TaintRequest {
	return &kube.TaintRequest{Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Taints: taints, Mark: mark}
}

// takeRungAnswer notes what came back for a rung. It is the rung's answer alone: a
// refusal leaves the pod as it is, to be evicted as planned.
func (st *stepper) takeRungAnswer(w Write, a kube.Answer, e Event) {
	r := st.s.rung(w.Rung)
	if r == nil {
		return
	}
	facts, class := r.RungFacts, st.classOf(a, r.Attempt)
	e.Namespace, e.Rung = r.Namespace, &facts
	if r.deletes() {
		e.Pod, e.UID = r.Name, r.UID
	}
	st.emit(e)
	if w.Verb == VerbUnscale || w.Verb == VerbUntaint {
		st.takeUndoAnswer(st.s.rung(w.Rung), a, class)
		return
	}
	switch {
	case a.OK():
		st.setRung(r, RungDone, "")
		st.deletionAccepted(r)
	case mayBeDone(a):
		st.setRung(r, RungInDoubt, AnswerWords(a))
	case class == kube.AnswerConflict:
		st.setRung(r, RungRefused, "it changed meanwhile: "+AnswerWords(a))
	case a.Code == http.StatusUnprocessableEntity && r.Kind == RungScale:
		st.setRung(r, RungRefused, fmt.Sprintf("it has not %d replicas any more", r.From))
	default:
		st.setRung(r, RungRefused, AnswerWords(a))
	}
}

// deletionAccepted notes that the pod of the run ends, where that is what the rung does.
func (st *stepper) deletionAccepted(r *RungRun) {
	p := st.s.Pod(r.Pod)
	if !r.deletes() || p == nil || p.State.Final() {
		return
	}
	grace := r.Grace
	if grace < 0 {
		grace = p.GraceSeconds
	}
	st.setPod(p, PodTerminating, &Wait{For: WaitForGrace, Until: st.now.Add(time.Duration(grace) * time.Second)},
		"deleted past its budget, as the operator said")
}

func (st *stepper) setRung(r *RungRun, state RungState, message string) {
	facts := r.RungFacts
	st.emit(Event{Kind: EventRung, Rung: &facts, RungState: state, Message: message})
}

// undoRungs takes back what rungs did: replicas at the end of the run, a taint when
// its node has returned.
func (st *stepper) undoRungs(end bool) {
	for _, r := range st.s.Rungs {
		if !r.open() || st.waits(r.Attempt) {
			continue
		}
		switch {
		case r.Kind == RungScale && end, r.Kind == RungTaint && r.State != RungTaken && kube.NodeLive(st.snap, r.Name):
			st.undoRung(r)
		}
	}
}

// undoRung takes back what one rung did, where it is still the run's.
func (st *stepper) undoRung(r *RungRun) {
	if node := st.snap.Node(r.Name); r.Kind == RungTaint && node != nil && node.UID == r.UID && node.Ready != kube.NodeReady {
		return // it is still off, and keeps the taint
	}
	u := undoable(r, st.s.Run.ID, st.snap)
	if w := st.snap.Workload(r.UID); r.Kind == RungScale && w != nil && w.Replicas != r.To && !r.objected() {
		// The view may be older than the change itself. The request tests the number.
		u.Scale, u.Left = r.scaleRequest(r.To, r.From), ""
	}
	facts := r.RungFacts
	w := Write{Rung: r.ID, Request: u.Request()}
	e := Event{Namespace: r.Namespace, Rung: &facts}
	switch {
	case u.Left != "":
		st.setRung(r, RungKept, u.Left)
		return
	case r.Kind == RungScale:
		w.Verb = VerbUnscale
	default:
		w.Verb, w.Node, e.Node = VerbUntaint, r.Name, r.Name
	}
	e.Action = &ActionFacts{Verb: w.Verb}
	if u.Taint != nil {
		e.Action.Version = u.Taint.ResourceVersion
	}
	st.send(w, e)
}

// leaveTaints says, at the end of the run, which nodes keep the taint because
// their machines are still off: nobody takes it back from here on.
func (st *stepper) leaveTaints() {
	for _, r := range st.s.Rungs {
		if r.Kind == RungTaint && r.open() {
			st.setRung(r, RungLeft, "its machine has not come back; once it has: "+st.s.Run.Target().Line(r.Undo()))
		}
	}
}

// declaredBy tells whether the run declared the node's machine off.
func declaredBy(n *kube.Node, run string) bool {
	m, ok := annotation.Parse(n.Annotations[kube.OutOfServiceAnnotation])
	return ok && m.Run == run
}

// takeUndoAnswer notes what came back for the undoing of a rung. Only what is read says
// that somebody has changed it since (undoable): a refusal can have many reasons. It is
// asked for again, and what cannot be had stays to be done, with the server's words.
func (st *stepper) takeUndoAnswer(r *RungRun, a kube.Answer, class kube.AnswerClass) {
	switch {
	case class == kube.AnswerDone:
		st.setRung(r, RungUndone, "")
	case class == kube.AnswerGone:
		st.setRung(r, RungKept, "it is gone")
	case class != kube.AnswerForbidden && r.Tries < removeTries:
		facts, after := r.RungFacts, r.pause(a)
		st.emit(Event{Kind: EventRung, Rung: &facts, RungState: r.State, Message: AnswerWords(a), Wait: &Wait{For: WaitForServer, Until: st.now.Add(after)}})
		st.wakeAt(st.now.Add(after))
	default:
		st.setRung(r, RungLeft, "not taken back: "+AnswerWords(a)+"; to do it: "+st.s.Run.Target().Line(r.Undo()))
	}
}

// rungsStand tells whether a rung is still to be taken back before the run may end.
func (st *stepper) rungsStand() bool {
	for _, r := range st.s.Rungs {
		switch {
		case r.InFlight != 0, r.Kind == RungScale && r.open():
			return true
		case r.Kind == RungTaint && r.open() && r.next.After(st.now):
			return true
		}
	}
	return false
}
