package notice

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// RollWatch remembers what was told of a roll. The runs of its batches have a Watch each.
type RollWatch struct {
	asked Watch
	ended int // batches
	gate  bool
	over  bool
}

// NewRollWatch watches a roll from that state on, nil for its beginning.
func NewRollWatch(s *roll.State) *RollWatch {
	if s == nil {
		return &RollWatch{}
	}
	return &RollWatch{ended: endedBatches(s), gate: s.Gate != nil, over: rollOver(s)}
}

func rollOver(s *roll.State) bool { return s.Outcome != "" || s.Suspended }

// endedBatches is how many batches have ended.
func endedBatches(s *roll.State) int {
	if s.Under {
		return s.Batch
	}
	return s.Batch + 1
}

// See is what to tell of the roll as it is now, and when to look again.
func (w *RollWatch) See(s *roll.State, now time.Time) (due []Notice, wake time.Time) {
	w.asked.began = cmp.Or(w.asked.began, now)
	for last := endedBatches(s); w.ended < last; w.ended++ {
		due = append(due, batchEnded(s, w.ended))
	}
	if q := s.Question; q != nil {
		var tell bool
		if tell, wake = w.asked.askedTooLong(q.Since, now); tell {
			due = append(due, Notice{Kind: Question, Nodes: []Node{{q.Node, string(stateOf(s, q.Node))}},
				Message: "it waits for an answer about node " + q.Node})
		}
	}
	if closed := s.Gate != nil; closed != w.gate {
		if w.gate = closed; closed {
			due = append(due, gateClosed(&s.Gate.Gate, "no further batch begins"))
		}
	}
	if ended := rollOver(s); ended != w.over {
		if w.over = ended; ended {
			due = append(due, rollIsOver(s))
		}
	}
	for i := range due {
		n, run := &due[i], &s.Facts.Run
		n.Time, n.Run, n.Roll, n.Context, n.Reason = now.UTC(), run.ID, true, run.Context, run.Options.Reason
		n.Message = "roll " + run.ID + ": " + n.Message
		due[i] = n.bounded()
	}
	return due, wake
}

func stateOf(s *roll.State, node string) roll.NodeState {
	for i := range s.Nodes {
		if s.Nodes[i].Name == node {
			return s.Nodes[i].State
		}
	}
	return ""
}

// nodesOf are the nodes of a batch, of all where it is negative.
func nodesOf(s *roll.State, batch int) (listed []Node, omitted, failed int) {
	var all []Node
	for i := range s.Nodes {
		if n := &s.Nodes[i]; batch < 0 || n.Batch == batch {
			all = append(all, Node{n.Name, string(n.State)})
			if n.State == roll.Failed {
				failed++
			}
		}
	}
	listed, omitted = atMost(all)
	return listed, omitted, failed
}

func batchEnded(s *roll.State, batch int) Notice {
	nodes, omitted, failed := nodesOf(s, batch)
	n := Notice{Kind: BatchEnded, Batch: batch + 1, Batches: len(s.Facts.Batches), Nodes: nodes, Omitted: omitted}
	n.Message = fmt.Sprintf("batch %d of %d ended", n.Batch, n.Batches)
	if failed > 0 {
		n.Message += ", " + format.Count(failed, "node") + " failed"
	}
	return n
}

func rollIsOver(s *roll.State) Notice {
	nodes, omitted, _ := nodesOf(s, -1)
	n := Notice{Kind: Suspended, Nodes: nodes, Omitted: omitted,
		Message: "it is suspended, not ended: resume continues it"}
	if s.Outcome == "" {
		return n
	}
	n.Kind, n.Outcome = Ended, s.Outcome
	n.Message = fmt.Sprintf("ended: %s, %d of %s done", s.Outcome, s.Count(roll.Done), format.Plural(len(s.Nodes),
		"node", "nodes"))
	if s.Message != "" && s.Outcome != drain.OutcomeDone {
		n.Message += ", " + s.Message
	}
	return n
}
