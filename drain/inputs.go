package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Input is something from outside that Step takes into account: an Answered, a
// Confirm, a Control, JournalNews or Warned.
type Input interface{ input() }

// Answered is the server's answer to a write that Step asked for.
type Answered struct {
	Write  Write
	Answer kube.Answer // of a look: UID is that of the pod which has the name
}

// Confirm is the operator's confirmation of a phase. A phase whose question has a word takes that word only.
type Confirm struct {
	Phase Phase
	Word  string
	By    string
}

// Command steers a live run.
type Command struct {
	// ID identifies the caller that waits for the result of the command; 0 where none
	// does. Such a command then waits itself for the answer to a request for its pod.
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

// JournalNews tells that the journal cannot be written (Lost says why), or that it is whole again.
type JournalNews struct{ Lost string }

// Warned tells once of something beside the run that failed and changes nothing in it.
type Warned struct{ Text string }

func (Answered) input()    {}
func (Confirm) input()     {}
func (Command) input()     {}
func (JournalNews) input() {}
func (Warned) input()      {}

// Write is a change of the cluster that Step asks for, or a live read.
type Write struct {
	ID      uint64
	At      time.Time
	Verb    attempt.Verb
	Node    string
	Remedy  int      // number of the remedy that it is for, 0 for none
	Surge   kube.UID // workload of the surge that it is for, "" for none
	Request request.Request
}
