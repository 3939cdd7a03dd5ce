package drain

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// climb takes a remedy: the operator's word must be the remedy's, what was confirmed must
// still be what would be done, and a run without a screen must have been allowed to.
// A wrong word does nothing at all; everything else that stands in the way is said.
func (st *stepper) remediate(in Command) {
	remedies := Remedies(st.s, st.snap, in.Pod, st.now)
	if !in.OnScreen {
		Unattended(remedies, &st.s.Run.Options)
	}
	for _, remedy := range remedies {
		if remedy.Kind != in.Remedy.Kind || remedy.Word == "" || remedy.Word != in.Word {
			continue
		}
		p := st.s.Pod(in.Pod)
		st.emit(Event{Kind: EventCommand, Command: CommandRemedy, By: in.By, Input: in.ID, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		why := remedy.DisabledReason
		switch {
		case why != "":
		case !st.mayTouch(st.s.Node(p.Node)):
			why = "the Lease over its node is not held at this moment"
		case remedy.RemedyFacts != in.Remedy:
			why = "it is not what was confirmed any more: look at the ladder again"
		}
		facts := remedy.RemedyFacts
		facts.ID = len(st.s.Remedies) + 1
		if why != "" {
			st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: RemedyRefused, By: in.By, Message: why})
			return
		}
		st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: RemedyTaken, By: in.By})
		st.sendRemedy(facts, p)
		return
	}
	st.refuse(in, errors.New("it had no effect"))
}

// sendRemedy sends the one request of a remedy.
func (st *stepper) sendRemedy(f RemedyFacts, p *PodRun) {
	e := Event{Node: p.Node, Namespace: f.Namespace, Remedy: &f}
	w := Write{Node: p.Node, Remedy: f.ID}
	switch f.Kind {
	case RemedyEvictUnhealthy:
		w.Verb, w.Request = attempt.VerbEvict, kube.EvictRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
		e.Pod, e.UID = f.Name, f.UID
	case RemedyRolloutRestart:
		version := ""
		if live := st.snap.Workload(f.UID); live != nil && live.Rollout != nil {
			version = live.Rollout.ResourceVersion
		}
		w.Verb, w.Request = attempt.VerbRestart, kube.RestartRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID,
			ResourceVersion: version, At: st.snap.ServerTime(st.now)}
	case RemedyScale:
		w.Verb, w.Request = attempt.VerbScale, *f.scaleRequest(f.From, f.To)
	case RemedyOutOfService:
		node := st.snap.Node(f.Name)
		mark := annotation.Mark{Run: st.s.Run.ID, By: st.s.Run.User, Reason: st.s.Run.Options.Reason, At: st.snap.ServerTime(st.now).UTC().Truncate(time.Second)}
		w.Verb, w.Request = attempt.VerbTaint, *taintRequest(node, node.TaintsWith(), mark.String())
	case RemedyDelete, RemedyForceDelete:
		e.Pod, e.UID = f.Name, f.UID
		r := kube.DeleteRequest{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
		if f.Grace >= 0 {
			r.Grace = &f.Grace
		}
		w.Verb, w.Request = attempt.VerbDelete, r
	}
	e.Action = &attempt.ActionFacts{Verb: w.Verb}
	st.send(w, e)
}

func (f RemedyFacts) scaleRequest(from, to int32) *kube.ScaleRequest {
	return &kube.ScaleRequest{Kind: f.Object, Namespace: f.Namespace, Name: f.Name, UID: f.UID, From: from, To: to}
}

func taintRequest(n *kube.Node, taints []corev1.Taint, mark string) *kube.TaintRequest {
	return &kube.TaintRequest{Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Taints: taints, Mark: mark}
}

// onRemedyAnswer notes what came back for a remedy. It is the remedy's answer alone: a
// refusal leaves the pod as it is, to be evicted as planned.
func (st *stepper) onRemedyAnswer(w Write, a kube.Answer, e Event) {
	r := st.s.remedy(w.Remedy)
	if r == nil {
		return
	}
	facts, class := r.RemedyFacts, st.classOf(a, r.Attempt)
	e.Namespace, e.Remedy = r.Namespace, &facts
	if r.deletes() {
		e.Pod, e.UID = r.Name, r.UID
	}
	st.emit(e)
	if w.Verb == attempt.VerbUnscale || w.Verb == attempt.VerbUntaint {
		st.onUndoAnswer(st.s.remedy(w.Remedy), a, class)
		return
	}
	switch {
	case a.OK():
		st.setRemedy(r, RemedyDone, "")
		st.deletionAccepted(r)
	case attempt.MayBeDone(a):
		st.setRemedy(r, RemedyInDoubt, attempt.AnswerWords(a))
	case class == kube.AnswerConflict:
		st.setRemedy(r, RemedyRefused, "it changed meanwhile: "+attempt.AnswerWords(a))
	case a.Code == http.StatusUnprocessableEntity && r.Kind == RemedyScale:
		st.setRemedy(r, RemedyRefused, fmt.Sprintf("it has not %d replicas any more", r.From))
	default:
		st.setRemedy(r, RemedyRefused, attempt.AnswerWords(a))
	}
}

// deletionAccepted notes that the pod of the run ends, where that is what the remedy does.
func (st *stepper) deletionAccepted(r *RemedyRun) {
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

func (st *stepper) setRemedy(r *RemedyRun, state RemedyState, message string) {
	facts := r.RemedyFacts
	st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: state, Message: message})
}

// undoRemedies takes back what remedies did: replicas at the end of the run, a taint when
// its node has returned.
func (st *stepper) undoRemedies(end bool) {
	for _, r := range st.s.Remedies {
		if !r.open() || st.waits(r.Attempt) {
			continue
		}
		switch {
		case r.Kind == RemedyScale && end, r.Kind == RemedyOutOfService && r.State != RemedyTaken && kube.NodeLive(st.snap, r.Name):
			st.undoRemedy(r)
		}
	}
}

// undoRemedy takes back what one remedy did, where it is still the run's.
func (st *stepper) undoRemedy(r *RemedyRun) {
	if node := st.snap.Node(r.Name); r.Kind == RemedyOutOfService && node != nil && node.UID == r.UID && node.Ready != kube.NodeReady {
		return // it is still off, and keeps the taint
	}
	u := undoable(r, st.s.Run.ID, st.snap)
	if w := st.snap.Workload(r.UID); r.Kind == RemedyScale && w != nil && w.Replicas != r.To && !r.objected() {
		// The view may be older than the change itself. The request tests the number.
		u.Scale, u.Left = r.scaleRequest(r.To, r.From), ""
	}
	facts := r.RemedyFacts
	w := Write{Remedy: r.ID, Request: u.Request()}
	e := Event{Namespace: r.Namespace, Remedy: &facts}
	switch {
	case u.Left != "":
		st.setRemedy(r, RemedyKept, u.Left)
		return
	case r.Kind == RemedyScale:
		w.Verb = attempt.VerbUnscale
	default:
		w.Verb, w.Node, e.Node = attempt.VerbUntaint, r.Name, r.Name
	}
	e.Action = &attempt.ActionFacts{Verb: w.Verb}
	if u.Taint != nil {
		e.Action.Version = u.Taint.ResourceVersion
	}
	st.send(w, e)
}

// leaveTaints says, at the end of the run, which nodes keep the taint because
// their machines are still off: nobody takes it back from here on.
func (st *stepper) leaveTaints() {
	for _, r := range st.s.Remedies {
		if r.Kind == RemedyOutOfService && r.open() {
			st.setRemedy(r, RemedyLeft, "its machine has not come back; once it has: "+st.s.Run.Target().Line(r.Undo()))
		}
	}
}

// declaredBy tells whether the run declared the node's machine off.
func declaredBy(n *kube.Node, run string) bool {
	m, ok := annotation.Parse(n.Annotations[kube.OutOfServiceAnnotation])
	return ok && m.Run == run
}

// onUndoAnswer notes what came back for the undoing of a remedy. Only what is read says
// that somebody has changed it since (undoable): a refusal can have many reasons. It is
// asked for again, and what cannot be had stays to be done, with the server's words.
func (st *stepper) onUndoAnswer(r *RemedyRun, a kube.Answer, class kube.AnswerClass) {
	switch {
	case class == kube.AnswerDone:
		st.setRemedy(r, RemedyUndone, "")
	case class == kube.AnswerGone:
		st.setRemedy(r, RemedyKept, "it is gone")
	case class != kube.AnswerForbidden && r.Tries < attempt.RemoveTries:
		facts, after := r.RemedyFacts, r.Pause(a)
		st.emit(Event{Kind: EventRemedy, Remedy: &facts, RemedyState: r.State, Message: attempt.AnswerWords(a), Wait: &Wait{For: WaitForServer, Until: st.now.Add(after)}})
		st.wakeAt(st.now.Add(after))
	default:
		st.setRemedy(r, RemedyLeft, "not taken back: "+attempt.AnswerWords(a)+"; to do it: "+st.s.Run.Target().Line(r.Undo()))
	}
}

// remediesStand tells whether a remedy is still to be taken back before the run may end.
func (st *stepper) remediesStand() bool {
	for _, r := range st.s.Remedies {
		switch {
		case r.InFlight != 0, r.Kind == RemedyScale && r.open():
			return true
		case r.Kind == RemedyOutOfService && r.open() && r.Next.After(st.now):
			return true
		}
	}
	return false
}
