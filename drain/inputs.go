package drain

import (
	"context"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Run is a run as the faces see it, live or replayed. Faces pull its state;
// nothing is pushed at them.
type Run interface {
	// State is the run at this moment; it is never changed afterwards.
	State() *State
	// Changed returns a channel of capacity one that says "something changed
	// since you last looked", until the context ends.
	Changed(ctx context.Context) <-chan struct{}
	// Send hands the run a confirmation or a command; what became of it shows
	// in the state.
	Send(in Input)
	// Done is closed when the run has ended and its journal is closed.
	Done() <-chan struct{}
}

// Commander is a run that can be steered by somebody who does not see it.
type Commander interface {
	Run
	// Command hands the run a command and waits until the run took it. It returns
	// the number of the event, or why the control changed nothing.
	Command(ctx context.Context, c Command) (seq uint64, err error)
	// Remedies are the remedies for a pod of the run as they are at this moment; nil
	// for a pod that is not in it.
	Remedies(pod kube.UID) []remedy.Remedy
}

// Input is something from outside that Step takes into account: an Answered, a
// Confirm, a Control or JournalNews.
type Input interface{ input() }

// Answered is the server's answer to a write that Step asked for.
type Answered struct {
	Write  Write
	Answer kube.Answer // of a look: UID is that of the pod which has the name
}

// Confirm is the operator's word for a phase. A phase whose question has a
// word takes that word only.
type Confirm struct {
	Phase Phase
	Word  string
	By    string
}

// Control steers a live run.
type Command struct {
	// ID is of somebody who waits to be told what became of the control; 0 where nobody
	// does. Such a control then waits itself for the answer to a request for its pod.
	ID   uint64
	Kind CommandKind
	Pod  kube.UID // for CommandRetry, CommandSkip, CommandLast and CommandRemedy
	Node string   // for CommandLeave
	Why  string   // shown with the run, e.g. which signal aborted it
	By   string
	// For CommandRemedy: the remedy as it was shown, the word that was typed for it (of
	// CommandContinue: WordWithoutJournal, where the journal cannot be written), and
	// whether that was on a screen; elsewhere some remedies need a flag of the run.
	Remedy   remedy.Facts
	Word     string
	OnScreen bool
}

// JournalNews tells that the journal cannot be written (Lost says why), or that it is
// whole again.
type JournalNews struct{ Lost string }

func (Answered) input()    {}
func (Confirm) input()     {}
func (Command) input()     {}
func (JournalNews) input() {}

// Write is a change of the cluster that Step asks for, or a live read.
type Write struct {
	ID      uint64
	At      time.Time
	Verb    attempt.Verb
	Node    string
	Remedy  int // number of the remedy that it is for, 0 for none
	Request kube.Request
}
