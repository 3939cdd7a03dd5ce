package control

import (
	"context"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// RungStatus is a rung of the ladder for one pod, as it is at this moment.
type RungStatus struct {
	Rung  drain.RungKind `json:"rung"` // also the verb that takes it; the wait has none
	Title string         `json:"title"`
	// Off is why it cannot be taken now, "" if it can.
	Off      string   `json:"off,omitempty"`
	Request  string   `json:"request,omitempty"` // what it sends
	Command  string   `json:"command,omitempty"` // the same for a shell, where kubectl has a word for it
	Risk     string   `json:"risk"`
	Warnings []string `json:"warnings,omitempty"`
	Word     string   `json:"word,omitempty"` // what confirms it
	// State is what became of it, once it was taken.
	State drain.RungState `json:"state,omitempty"`
}

// rungStatus is the rung as it is told to somebody in another terminal, where
// another context may be the current one: its command names that of the run.
func rungStatus(r drain.Rung, t plan.Target) RungStatus {
	return RungStatus{Rung: r.Kind, Title: r.Title, Off: r.Off, Request: r.Call, Command: t.Line(r.Command),
		Risk: r.Risk, Warnings: r.Warnings, Word: r.Word}
}

// rungs are those for a pod, as somebody who does not see the run may take them.
// What the run has no right to do is off, and names the rule; what cannot be asked
// stays open, and the API server judges.
func (s *Server) rungs(pod kube.UID) []drain.Rung {
	rungs := s.run.Ladder(pod)
	drain.Unattended(rungs, &s.run.State().Run.Options)
	if needs := drain.Needs(rungs); s.rights != nil && len(needs) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), rightsPatience)
		defer cancel()
		results, _ := s.rights(ctx, needs)
		drain.Withhold(rungs, results)
	}
	return rungs
}

// showLadder tells what else could move a pod.
func (s *Server) showLadder(state *drain.State, v Verb, r Request) Answer {
	c, a := objectOf(state, v, r)
	if a.Error != "" {
		return a
	}
	a.OK, a.Ladder = true, []RungStatus{}
	for _, rung := range s.rungs(c.Pod) {
		a.Ladder = append(a.Ladder, rungStatus(rung, state.Run.Target()))
	}
	return a
}

// climb takes a rung of the ladder. Without its word it only tells what it would
// send, at which risk, and the word.
func (s *Server) climb(state *drain.State, v Verb, r Request) Answer {
	c, a := objectOf(state, v, r)
	if a.Error != "" {
		return a
	}
	for _, rung := range s.rungs(c.Pod) {
		if rung.Kind != v.Rung {
			continue
		}
		status := rungStatus(rung, state.Run.Target())
		a.Rung = &status
		switch {
		case rung.Off != "":
			a.Error = fmt.Sprintf("%s is off for pod %s: %s", v.Name, a.Pod, rung.Off)
		case r.Word == "":
			a.Unconfirmed, a.Error = true, fmt.Sprintf("%s was not confirmed", v.Name)
		case r.Word != rung.Word:
			a.Unconfirmed, a.Error = true, fmt.Sprintf("%s takes the word %q, not %q", v.Name, rung.Word, r.Word)
		default:
			c.Rung = rung.RungFacts
			return s.take(a, c)
		}
		return a
	}
	a.Error = "the pod is not in the run"
	return a
}

// take hands the run a confirmed rung and waits, for as long as an answer may take,
// until it is known what the server says to its request.
func (s *Server) take(a Answer, c drain.Control) Answer {
	ctx, cancel := context.WithTimeout(context.Background(), steerPatience)
	defer cancel()
	changed := s.run.Changed(ctx)
	var err error
	if a.Seq, err = s.run.Steer(ctx, c); err != nil {
		a.Error = err.Error()
		return a
	}
	for {
		r := takenAt(s.run.State(), a.Seq)
		if r != nil && r.State != drain.RungTaken {
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

// takenAt is the rung that the control of that number took, nil for none.
func takenAt(state *drain.State, seq uint64) *drain.RungRun {
	for _, r := range state.Rungs {
		if r.Seq == seq+1 {
			return r
		}
	}
	return nil
}

// told puts what became of a rung into the answer.
func told(a Answer, r *drain.RungRun) Answer {
	if r == nil {
		a.Error = "it had no effect"
		return a
	}
	a.Rung.State = r.State
	if r.State == drain.RungRefused {
		a.Error = r.Message
		return a
	}
	a.OK, a.Message = true, fmt.Sprintf("%s for pod %s: %s, %s", r.Kind, a.Pod, r.What(), r.State.Words())
	if r.State == drain.RungInDoubt {
		a.Hint = "no answer came, it may have been done: " + r.Message
	}
	return a
}
