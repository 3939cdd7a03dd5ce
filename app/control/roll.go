package control

import (
	"context"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Roll is a roll that can be steered.
type Roll interface {
	State() *roll.State
	Done() <-chan struct{}
	// Command hands the roll a command and waits until the roll took it. It returns the number of its
	// last event by then, or why the command changed nothing.
	Command(ctx context.Context, c roll.Command) (seq uint64, err error)
}

// RollStatus is a roll in short.
type RollStatus struct {
	Batch   int    `json:"batch"` // that is under way or was last, from 1; 0 before the first
	Batches int    `json:"batches"`
	Run     string `json:"run,omitempty"` // that drains the batch: it has a ctl of its own
	// Question is the node about which the roll asks, "" for none.
	Question string           `json:"question,omitempty"`
	Paused   bool             `json:"paused"`
	Aborting bool             `json:"aborting"`
	Gate     string           `json:"gate,omitempty"` // what keeps the health gate closed
	Wait     roll.WaitKind    `json:"wait,omitempty"`
	Until    time.Time        `json:"until,omitzero"`
	Nodes    []RollNodeStatus `json:"nodes"`
}

// RollNodeStatus is a node of a roll.
type RollNodeStatus struct {
	Name    string         `json:"name"`
	Batch   int            `json:"batch"`
	State   roll.NodeState `json:"state"`
	Since   time.Time      `json:"since"`
	Message string         `json:"message,omitempty"`
}

// ServeRoll is Serve for a roll.
func ServeRoll(dir string, r Roll) (*Server, error) { return serve(dir, steeredRoll{r}) }

type steeredRoll struct{ Roll }

func (s steeredRoll) ID() string { return s.State().Facts.Run.ID }

func (s steeredRoll) answer(v Verb, r Request) Answer {
	a := Answer{Verb: v.Name}
	switch {
	case v.Of != OfRun:
		a.Error = fmt.Sprintf("%s is for a run, not for a roll", v.Name)
		if run := s.State().Run; run != "" {
			a.Hint = "the run of the present batch is " + run
		}
		return a
	case v.Kind == "":
		a.OK, a.Roll = true, rollStatus(s.State())
		return a
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandPatience)
	defer cancel()
	var err error
	if a.Seq, err = s.Command(ctx, roll.Command{Kind: v.Kind, By: s.State().Facts.Run.User}); err != nil {
		a.Error = err.Error()
		return a
	}
	a.OK, a.Message = true, v.now(a)
	return a
}

func rollStatus(s *roll.State) *RollStatus {
	status := &RollStatus{Batch: s.Batch + 1, Batches: len(s.Facts.Batches), Run: s.Run, Paused: s.Paused,
		Aborting: s.Aborting, Nodes: []RollNodeStatus{}}
	if s.Question != nil {
		status.Question = s.Question.Node
	}
	if s.Gate != nil {
		status.Gate = s.Gate.Sentence()
	}
	if s.Wait != nil {
		status.Wait, status.Until = s.Wait.Kind, s.Wait.Until
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		status.Nodes = append(status.Nodes, RollNodeStatus{Name: n.Name, Batch: n.Batch + 1, State: n.State,
			Since: n.Since.UTC(), Message: n.Message})
	}
	return status
}
