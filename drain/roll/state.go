package roll

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// NodeState is where a node is in the roll.
type NodeState string

// The states of a node.
const (
	Waiting   NodeState = "Waiting"
	Draining  NodeState = "Draining"  // the command before, then the drain
	Working   NodeState = "Working"   // drained: the work
	Returning NodeState = "Returning" // worked on: until it is Ready and uncordoned
	Done      NodeState = "Done"
	Failed    NodeState = "Failed" // left as it is: cordoned, once its drain began
)

// final reports whether the roll does nothing more to a node in this state.
func (s NodeState) final() bool { return s == Done || s == Failed }

// hookState is how far a command for a node is; "" is not begun.
type hookState string

const (
	hookRuns   hookState = "runs"
	hookCutOff hookState = "cut off" // its process died with the roll's, or was left by it: its end is not known
	hookDone   hookState = "done"
)

// Node is one node of a roll.
type Node struct {
	Name    string
	UID     kube.UID
	Batch   int // from 0
	State   NodeState
	Since   time.Time // since when it is in State, or when the roll was resumed in it
	Began   time.Time // zero while it waits
	Ended   time.Time
	BootID  string // before the work
	Message string // what it waits for, or why it failed
	// Away is since when a node that is Returning is awaited itself, or since when the roll was resumed meanwhile; zero
	// while it is not.
	Away   time.Time
	Output []string // the latest lines of its command
	// Command is the command that was started last, until its end is known: the operator's answer does not tell that.
	Command *HookCommand

	before, work hookState
	retryAt      time.Time
}

// HookCommand is a command that was started for a node, and how to recognise it.
type HookCommand struct {
	Hook Hook
	process.Group
}

// CutOff reports whether what became of a command for the node is not known yet.
func (n *Node) CutOff() bool { return n.before == hookCutOff || n.work == hookCutOff }

// hook is how far that command for the node is.
func (n *Node) hook(h Hook) *hookState {
	if h == HookBefore {
		return &n.before
	}
	return &n.work
}

// Running is the command that runs for the node now, "" for none.
func (n *Node) Running() Hook {
	switch {
	case n.before == hookRuns:
		return HookBefore
	case n.work == hookRuns:
		return HookWork
	}
	return ""
}

// Question is what the operator is asked about a node.
type Question struct {
	Kind    QuestionKind
	Node    string
	Hook    Hook // AskAgain: which command
	Since   time.Time
	Message string // AskAgain: why it is not known whether the command still runs, "" where it has ended
}

// Wait is what the next batch waits for, or the one that is under way.
type Wait struct {
	Kind    WaitKind
	Since   time.Time
	Until   time.Time // zero where that is not known
	Message string    // why, where the kind does not say it
}

// State is a roll at one moment: the fold of its events. It is a value to its readers.
type State struct {
	Facts     Facts
	Started   time.Time
	Updated   time.Time
	Seq       uint64
	Nodes     []Node // in the order of the batches
	Batch     int    // that is under way or was last, from 0; -1 before the first
	Under     bool   // Batch is under way
	Run       string // that drains it, "" before it begins and after the batch
	Question  *Question
	Wait      *Wait
	Baseline  replacement.Baseline
	Gate      *replacement.GateRun // nil while it is open
	Paused    bool
	Aborting  bool
	Suspended bool // its process stopped in order, without an end
	Outcome   drain.Outcome
	Ended     time.Time
	Message   string
	Warnings  []string // what failed beside the roll

	drained    []string  // nodes of Run
	drainOver  bool      // Run has ended, or never began
	left       bool      // a run of a batch left something in the cluster
	measured   bool      // Baseline is known
	batchEnded time.Time // when the last one did
}

// node is the node of that name, nil for none. Its fields are not to be changed.
func (s *State) node(name string) *Node {
	if i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == name }); i >= 0 {
		return &s.Nodes[i]
	}
	return nil
}

// Count is how many nodes are in that state.
func (s *State) Count(state NodeState) (count int) {
	for i := range s.Nodes {
		if s.Nodes[i].State == state {
			count++
		}
	}
	return count
}

// inBatch are the nodes of the batch that is under way.
func (s *State) inBatch() (nodes []*Node) {
	for i := range s.Nodes {
		if s.Under && s.Nodes[i].Batch == s.Batch {
			nodes = append(nodes, &s.Nodes[i])
		}
	}
	return nodes
}
