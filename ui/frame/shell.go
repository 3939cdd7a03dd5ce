package frame

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// Shell is what a page may ask of the frame around it.
type Shell interface {
	// Session is what all pages see. It is the same pointer at all times.
	Session() *Session
	navigator
	prompter
	notices
	tasks

	// SetOptions changes what a drain may do.
	SetOptions(plan.Options)
	// Start shows a run that the operator confirmed with this plan.
	Start(live.Run, plan.Plan)
	// Attach shows a run again that this process works on once more.
	Attach(live.Run)
	// StartRoll shows a roll that the operator confirmed.
	StartRoll(live.Roll)
	// Show shows a run or a roll that this process does not work on; with both, the run of a
	// batch of the roll that is shown.
	Show(live.Run, live.Roll)
}

// The parts of a Shell.
type (
	// navigator shows pages and knows the way to the one that is shown.
	navigator interface {
		// Open shows a page. Going to one that we came from is going back to it.
		Open(Ref)
		// Back shows the page that we came from.
		Back()
		// OnPath reports whether a page is shown or will be gone back to.
		OnPath(keys.Page) bool
		// Targets are the nodes that the page is about, or the nearest one on the way back
		// that is about some.
		Targets() []string
	}

	// prompter asks the operator.
	prompter interface {
		// Ask puts a dialog over the page; answer is called when it was answered.
		Ask(d *dialog.Dialog, answer func(dialog.Answer)) *Question
		// Asking reports whether a dialog of that ID is open.
		Asking(id string) bool
	}

	// notices tell the operator something in a line of their own.
	notices interface {
		// Say tells that something went well, Refuse why a key does nothing now; both go
		// away by themselves. Fail stays until it is dismissed.
		Say(text string)
		Refuse(why string)
		Fail(text string)
		// ShowCommand copies a command for a shell, and shows it.
		ShowCommand(command string)
	}

	// tasks do what may wait.
	tasks interface {
		// Go calls fn outside of the event loop and delivers what it returns; where names it
		// if it panics. Do is for commands of Bubble Tea itself.
		Go(where string, fn func(context.Context) tea.Msg)
		Do(tea.Cmd)
	}
)

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
	Cluster string // its id, see conn.Identity
	User    string
	// Target is what commands for a shell are about; its context where it has none.
	Target plan.Target
}

// Session is what all pages see: the newest news, and what can be done. Pages read it.
type Session struct {
	Cluster  Cluster          // nil where there is none: a replay, or a run that is watched without its cluster
	Runs     Runs             // nil where Cluster is
	Clock    func() time.Time // for what lasts longer than a message; Now is that of the news
	Identity Identity
	ReadOnly bool
	Replay   bool // of a journal, with no cluster

	Snap          *kube.Snapshot
	Names         *paint.Names // of the nodes of the cluster, or of the run where there is none
	Now           time.Time
	Width, Height int
	Options       plan.Options // of the next plan
	Flags         string       // Options in words: the flags that differ from kubectl's defaults
	Marks         table.Marks  // nodes that the operator marked, in that order
	Starting      bool         // a run is being started; written by the page that does

	Run   live.Run     // nil for none
	State *drain.State // of the run
	Over  bool         // the run is done, whatever its state says
	// Foreign tells that another process, or a roll, works on the run: leaving does not end it,
	// and its questions are answered there.
	Foreign bool

	Roll      live.Roll   // nil for none; Run is then the one of its batch
	RollState *roll.State // of the roll
	RollOver  bool        // the roll is done, whatever its state says
	// RollForeign tells that another process works on the roll.
	RollForeign bool
	// Progress counts the pods of State, NodeProgress those of each node: once for each
	// state, and not for every frame.
	Progress     eviction.Progress
	NodeProgress map[string]eviction.Progress
}

// See makes a snapshot the newest.
func (s *Session) See(snap *kube.Snapshot) {
	s.Snap = snap
	s.nameNodes()
}

// nameNodes reads the names of the nodes, which seldom change.
func (s *Session) nameNodes() {
	var names []string
	for _, n := range s.Snap.Nodes() {
		names = append(names, n.Name)
	}
	if len(names) == 0 && s.State != nil {
		for _, n := range s.State.Nodes {
			names = append(names, n.Name)
		}
	}
	s.Names = paint.NewNames(s.Names, names)
}

// Take makes a state of the run the newest.
func (s *Session) Take(state *drain.State, over bool) {
	s.State, s.Over = state, over
	if s.Snap.Sync(kube.KindNodes).Count == 0 {
		s.nameNodes()
	}
	s.Progress, s.NodeProgress = state.ProgressByNode()
}

// Live reports whether a run is going on.
func (s *Session) Live() bool { return s.State != nil && s.State.Outcome == "" && !s.Over }

// Evicting reports whether the run can evict now: something moves.
func (s *Session) Evicting() bool {
	return s.Live() && s.State.Phases[drain.PhaseEvict] == drain.PhaseRuns && !s.State.Paused && !s.State.Aborting &&
		s.State.Down == nil
}

// Rolling reports whether a roll is going on.
func (s *Session) Rolling() bool {
	return s.RollState != nil && s.RollState.Outcome == "" && !s.RollOver
}

// OfRoll reports whether the run is that of a batch of the roll.
func (s *Session) OfRoll() bool { return s.Roll != nil && s.Run != nil && s.Roll.Drain() == s.Run }

// Undos are what a rollback of the run would find in a cluster, none where there is no
// cluster to look at. A roll that is live takes back itself what the runs of its batches did.
func (s *Session) Undos(snap *kube.Snapshot) []rollback.Undo {
	if s.Replay || s.Cluster == nil || s.OfRoll() && s.Rolling() {
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
	// RollBegun tells that the operator began a roll here.
	RollBegun struct{}
	// NewRollState tells that RollState is newer, or that Roll is another one.
	NewRollState struct{}
)
