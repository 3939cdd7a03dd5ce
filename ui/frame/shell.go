package frame

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

// Shell is what a page may ask of the frame around it.
type Shell interface {
	// Session is what all pages see. It is the same pointer at all times.
	Session() *Session

	// Open shows a page. Going to one that we came from is going back to it.
	Open(Ref)
	// Back shows the page that we came from.
	Back()
	// OnPath reports whether a page is shown or will be gone back to.
	OnPath(keys.Page) bool
	// Targets are the nodes that the page is about, or the nearest one on the way back
	// that is about some.
	Targets() []string

	// Ask puts a dialog over the page; answer is called when it was answered.
	Ask(d *dialog.Dialog, answer func(dialog.Answer)) *Question
	// Asking reports whether a dialog of that ID is open.
	Asking(id string) bool
	// Say tells that something went well, Refuse why a key does nothing now; both go
	// away by themselves. Fail stays until it is dismissed.
	Say(text string)
	Refuse(why string)
	Fail(text string)
	// ShowCommand copies a command for a shell, and shows it.
	ShowCommand(command string)

	// SetOptions changes what a drain may do.
	SetOptions(plan.Options)
	// Start shows a run that the operator confirmed with this plan.
	Start(live.Run, plan.Plan)

	// Go calls fn outside of the event loop and delivers what it returns; where names it
	// if it panics. Do is for commands of Bubble Tea itself.
	Go(where string, fn func(context.Context) tea.Msg)
	Do(tea.Cmd)
}

// Question is a dialog with what its answer does.
type Question struct {
	*dialog.Dialog
	Answer func(dialog.Answer)
	// Stale, where set, tells that the question is not asked any longer.
	Stale func() bool
}

// Identity is which cluster this is and who we are there.
type Identity struct {
	Context string
	Server  string
	User    string
	// Target is what commands for a shell are about; its context where it has none.
	Target plan.Target
}

// Session is what all pages see: the newest news, and what can be done. Pages read it.
type Session struct {
	Cluster  Cluster          // nil in a replay
	Clock    func() time.Time // for what lasts longer than a message; Now is that of the news
	Identity Identity
	ReadOnly bool
	Replay   bool // of a journal, with no cluster

	Snap          *kube.Snapshot
	Now           time.Time
	Width, Height int
	Options       plan.Options // of the next plan
	Flags         string       // Options in words: the flags that differ from kubectl's defaults
	Starting      bool         // a run is being started; written by the page that does

	Run   live.Run     // nil for none
	State *drain.State // of the run
	Over  bool         // the run is done, whatever its state says
}

// Live reports whether a run is going on.
func (s *Session) Live() bool { return s.State != nil && s.State.Outcome == "" && !s.Over }

// Undos are what a rollback of the run would find in a cluster, none where there is no
// cluster to look at.
func (s *Session) Undos(snap *kube.Snapshot) []rollback.Undo {
	if s.Replay {
		return nil
	}
	return rollback.Plan(s.State, snap, s.Now)
}

// Target is what printed commands are for: the context that is shown, unless more is
// known.
func (s *Session) Target() plan.Target {
	t := s.Identity.Target
	if t.Context == "" {
		t.Context = s.Identity.Context
	}
	return t
}

// The news, after Session has it.
type (
	// NewSnapshot tells that Snap is newer.
	NewSnapshot struct{}
	// NewOptions tells that Options changed.
	NewOptions struct{}
	// NewRun tells that Run is another one; Confirmed is the plan that it was started
	// with here, nil for a run that is only watched.
	NewRun struct{ Confirmed *plan.Plan }
	// NewState tells that State is newer.
	NewState struct{}
)
