package control

import (
	"context"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// RemedyStatus is a remedy for one pod, as it is at this moment.
type RemedyStatus struct {
	Remedy remedy.Kind `json:"remedy"` // also the verb that takes it; the wait has none
	Title  string      `json:"title"`
	// Off is why it cannot be taken now, "" if it can.
	DisabledReason string   `json:"disabledReason,omitempty"`
	Request        string   `json:"request,omitempty"` // what it sends
	Command        string   `json:"command,omitempty"` // the same for a shell, where kubectl has a command for it
	Risk           string   `json:"risk"`
	Warnings       []string `json:"warnings,omitempty"`
	Word           string   `json:"confirmation,omitempty"` // what confirms it
	// State is what became of it, once it was taken.
	State remedy.State `json:"state,omitempty"`
}

// remedyStatus is the remedy as it is told to somebody in another terminal, where
// another context may be the current one: its command names that of the run.
func remedyStatus(r remedy.Remedy, t plan.Target) RemedyStatus {
	return RemedyStatus{Remedy: r.Kind, Title: r.Title, DisabledReason: r.DisabledReason, Request: r.Call,
		Command: t.Line(r.Command),
		Risk:    r.Risk, Warnings: r.Warnings, Word: r.Word}
}

// remedies are those for a pod, as somebody who does not see the run may take them.
// What the run has no right to do is off, and names the rule; what cannot be asked
// stays open, and the API server judges.
func (s steeredRun) remedies(pod kube.UID) []remedy.Remedy {
	remedies := s.run.Remedies(pod)
	remedy.Unattended(remedies, &s.run.State().Run.Options)
	if needs := remedy.Needs(remedies); s.rights != nil && len(needs) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), rightsPatience)
		defer cancel()
		results, _ := s.rights(ctx, needs)
		remedy.DisableForbidden(remedies, results)
	}
	return remedies
}

// showRemedies tells what else could move a pod.
func (s steeredRun) showRemedies(state *drain.State, v Verb, r Request) Answer {
	c, a := objectOf(state, v, r)
	if a.Error != "" {
		return a
	}
	a.OK, a.Remedies = true, []RemedyStatus{}
	for _, offered := range s.remedies(c.Pod) {
		a.Remedies = append(a.Remedies, remedyStatus(offered, state.Run.Target()))
	}
	return a
}

// climb applies a remedy. Without its confirmation it only shows what it would
// send, at which risk, and the word.
func (s steeredRun) remediate(state *drain.State, v Verb, r Request) Answer {
	c, a := objectOf(state, v, r)
	if a.Error != "" {
		return a
	}
	for _, offered := range s.remedies(c.Pod) {
		if offered.Kind != v.Remedy {
			continue
		}
		status := remedyStatus(offered, state.Run.Target())
		a.Remedy = &status
		switch {
		case offered.DisabledReason != "":
			a.Error = fmt.Sprintf("%s is not available for pod %s: %s", v.Name, a.Pod, offered.DisabledReason)
		case r.Word == "":
			a.Unconfirmed, a.Error = true, fmt.Sprintf("%s was not confirmed", v.Name)
		case r.Word != offered.Word:
			a.Unconfirmed, a.Error = true, fmt.Sprintf("%s is confirmed by %q, not by %q", v.Name, offered.Word, r.Word)
		default:
			c.Remedy = offered.Facts
			return s.take(a, c)
		}
		return a
	}
	a.Error = "the pod is not in the run"
	return a
}

// take hands the run a confirmed remedy and waits, for as long as an answer may take,
// until it is known what the server says to its request.
func (s steeredRun) take(a Answer, c drain.Command) Answer {
	ctx, cancel := context.WithTimeout(context.Background(), commandPatience)
	defer cancel()
	changed := s.run.Changed(ctx)
	var err error
	if a.Seq, err = s.run.Command(ctx, c); err != nil {
		a.Error = err.Error()
		return a
	}
	for {
		r := takenAt(s.run.State(), a.Seq)
		if r != nil && r.State != remedy.Requested {
			return told(a, r)
		}
		select {
		case <-changed:
			continue
		case <-s.run.Done():
		case <-ctx.Done():
		}
		// Its last word may have come at the same moment.
		return told(a, takenAt(s.run.State(), a.Seq))
	}
}

// takenAt is the remedy that the control of that number took, nil for none.
func takenAt(state *drain.State, seq uint64) *remedy.Record {
	for _, r := range state.Remedies {
		if r.Seq == seq+1 {
			return r
		}
	}
	return nil
}

// told puts what became of a remedy into the answer.
func told(a Answer, r *remedy.Record) Answer {
	if r == nil {
		a.Error = "it had no effect"
		return a
	}
	a.Remedy.State = r.State
	if r.State == remedy.Refused {
		a.Error = r.Message
		return a
	}
	a.OK, a.Message = true, fmt.Sprintf("%s for pod %s: %s, %s", r.Kind, a.Pod, r.What(), r.State.Words())
	if r.State == remedy.InDoubt {
		a.Hint = "no answer came; it may have taken effect: " + r.Message
	}
	return a
}
