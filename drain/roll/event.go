package roll

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
)

// EventKind names what happened. docs/events.md lists the kinds.
type EventKind string

// The kinds of events. State is the fold of all of them.
const (
	EventRollStarted  EventKind = "RollStarted"  // Roll: what was asked, which nodes in which batches
	EventResumed      EventKind = "Resumed"      // the roll resumed by another process
	EventBaseline     EventKind = "Baseline"     // how workloads were before
	EventGate         EventKind = "Gate"         // the health gate closed or opened
	EventWait         EventKind = "Wait"         // a batch waits for something, "" for no longer
	EventBatchStarted EventKind = "BatchStarted" // Batch
	EventDrainStarted EventKind = "DrainStarted" // the run that drains the batch is about to begin: Run, Nodes
	EventDrainEnded   EventKind = "DrainEnded"   // that run is over, or never began (Outcome failed): Outcome, Message
	EventNode         EventKind = "Node"         // a node's state, or what it waits for, changed
	EventHookStarted  EventKind = "HookStarted"  // a command is about to be run for a node
	EventHookProcess  EventKind = "HookProcess"  // its process group, before it begins
	EventHookOutput   EventKind = "HookOutput"   // a line of its output
	EventHookEnded    EventKind = "HookEnded"    // ExitCode, -1 where it was killed or never ran
	EventQuestion     EventKind = "Question"     // the roll waits for the operator about a node
	EventReply        EventKind = "Reply"        // the operator's answer
	EventBatchEnded   EventKind = "BatchEnded"   // Batch
	EventControl      EventKind = "Control"      // the operator steered the roll
	EventWarning      EventKind = "Warning"      // something beside the roll failed, as a notification
	EventRollEnded    EventKind = "RollEnded"    // Outcome
)

// Event is one fact of a roll, as its journal keeps it.
type Event struct {
	Seq      uint64               `json:"seq"`
	Time     time.Time            `json:"time"`
	Kind     EventKind            `json:"kind"`
	Node     string               `json:"node,omitempty"`
	Roll     *Facts               `json:"roll,omitempty"`      // RollStarted
	Batch    int                  `json:"batch,omitempty"`     // BatchStarted, BatchEnded, DrainStarted: from 1
	Run      string               `json:"run,omitempty"`       // DrainStarted
	Nodes    []string             `json:"nodes,omitempty"`     // BatchStarted, DrainStarted
	State    NodeState            `json:"nodeState,omitempty"` // Node
	BootID   string               `json:"bootID,omitempty"`    // Node that begins to be worked on: before the work
	Away     bool                 `json:"away,omitempty"`      // Node that is Returning: it is awaited itself
	Hook     Hook                 `json:"hook,omitempty"`      // Hook...
	Process  *process.Group       `json:"process,omitempty"`   // HookProcess
	Text     string               `json:"text,omitempty"`      // HookOutput
	ExitCode int                  `json:"exitCode,omitempty"`  // HookEnded
	Question QuestionKind         `json:"question,omitempty"`  // Question, Reply
	Answer   Answer               `json:"answer,omitempty"`    // Reply
	Baseline replacement.Baseline `json:"workloads,omitempty"` // Baseline
	Gate     *replacement.Gate    `json:"gate,omitempty"`      // Gate
	Wait     WaitKind             `json:"wait,omitempty"`      // Wait
	Until    time.Time            `json:"until,omitzero"`      // Wait; Node: when its uncordon is tried again
	Command  drain.CommandKind    `json:"control,omitempty"`   // Control
	By       string               `json:"by,omitempty"`        // Control, Reply: who
	Outcome  drain.Outcome        `json:"outcome,omitempty"`   // RollEnded, DrainEnded
	Left     bool                 `json:"left,omitempty"`      // DrainEnded: that run left something in the cluster
	Message  string               `json:"message,omitempty"`
}

// Hook is a command of the operator that is run for a node.
type Hook string

// The hooks of a node, in order.
const (
	HookBefore Hook = "before"
	HookWork   Hook = "work"
)

// QuestionKind is what the operator is asked about a node.
type QuestionKind string

// The questions.
const (
	AskWork  QuestionKind = "work"  // is the work on the drained node done? There is no command for it.
	AskAgain QuestionKind = "again" // the process died while a command ran: is it to run again?
)

// Answer is the operator's to a question.
type Answer string

// The answers. Again is for AskAgain alone.
const (
	AnswerDone   Answer = "done"
	AnswerAgain  Answer = "again"
	AnswerFailed Answer = "failed"
)

// neverBegan reports whether the run of a batch could not be begun. No run ends so.
func (e *Event) neverBegan() bool {
	return e.Kind == EventDrainEnded && e.Outcome == drain.OutcomeFailed
}

// hookFailure is why the end of a command fails its node, "" where it ended well.
func (e *Event) hookFailure() string {
	switch {
	case e.Message != "":
		return fmt.Sprintf("its --%s command: %s", e.Hook, e.Message)
	case e.ExitCode != 0:
		return fmt.Sprintf("its --%s command ended with exit code %d", e.Hook, e.ExitCode)
	}
	return ""
}

// replyFailure is why the operator's answer fails a node.
func (e *Event) replyFailure() string {
	if e.Question == AskAgain {
		return "its --" + string(e.Hook) + " command was cut off, and is not run again"
	}
	return "the operator says that its work failed"
}

// WaitKind is what a batch waits for.
type WaitKind string

// What a batch waits for beside the health gate and its nodes.
const (
	WaitPauseBetween WaitKind = "pause-between"
	WaitWindow       WaitKind = "window"
	WaitRun          WaitKind = "run" // its run could not be resumed; Until is the next try
)
