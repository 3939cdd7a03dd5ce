package ui

import (
	"context"
	"io"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Source is where the dashboard looks at the cluster; kube.Store is one.
type Source interface {
	Snapshot() *kube.Snapshot
	Changed(ctx context.Context) <-chan struct{}
}

// Identity is which cluster this is and who we are there.
type Identity = frame.Identity

// Deps is everything the dashboard needs from outside. It sees the cluster through
// Source, and asks it and changes it through Cluster alone.
type Deps struct {
	Source   Source
	Cluster  frame.Cluster // nil where there is none; then the run's page is the only one
	Runs     frame.Runs    // those of this machine, nil where Cluster is
	Identity Identity
	Options  plan.Options // to begin with
	// UsualAccepted tells that the operator accepted the usual flags at an earlier start.
	UsualAccepted bool
	Marked        []string // nodes that are marked at first
	Notes         []string // what was found before it opened

	// Attach is a run to show from the start, live, of another process (live.Foreign) or
	// replayed; nil for none.
	Attach live.Run
	// AttachRoll is a roll to show from the start, as Attach.
	AttachRoll live.Roll
	// Replay tells that Attach is played from a journal, with no cluster: its pages
	// are the only ones, and nothing can be written. One that is a live.Player is shown
	// by its own clock, and can be moved in time.
	Replay bool

	LabelColumns []string // labels that the list of nodes has a column for

	Theme themes.Theme
	// ThemesDir is the folder of the operator's own themes, "" for none.
	ThemesDir string
	// Preferences keep what is chosen for the next start, nil where nothing is kept.
	Preferences Preferences
	// Contexts are those of the kubeconfig that the operator can change to, none where another program
	// would have to be started for that.
	Contexts []string
	NoColor  bool
	ASCII    bool
	ReadOnly bool
	// Mouse takes clicks and the wheel; else they are the terminal's, as its selection of text.
	Mouse bool
	// Protected is what every confirmation is typed as, the name of a protected context,
	// "" where a key is enough.
	Protected string

	// Alert is how the terminal calls the operator, and AlertBlockedAfter how long a pod is blocked then.
	Alert             Alert
	AlertBlockedAfter time.Duration

	Now func() time.Time // time.Now where nil
	// Crash takes panics of every goroutine; main makes it and hands its
	// OnPanic to kube.OnPanic. Run makes its own where it is nil.
	Crash *Crash
	// Terminal is told while the dashboard has the terminal, and its Crash is used; nil
	// in tests.
	Terminal *Terminal
	// Input and Output replace the terminal in tests.
	Input  io.Reader
	Output io.Writer
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.UsualAccepted {
		d.Options = d.Options.WithUsual()
	}
	d.ReadOnly = d.ReadOnly || d.Replay
	if d.Terminal != nil {
		d.Crash = d.Terminal.Crash
	}
	if d.Crash == nil {
		d.Crash = NewCrash("")
	}
	return d
}

// Preferences keep what the operator chose for the next start.
type Preferences interface {
	KeepTheme(name string) error
	// KeepUsual remembers whether the usual flags are accepted on a cluster.
	KeepUsual(cluster string, accepted bool) error
}

// Left is how the dashboard was left.
type Left string

// The ways to leave.
const (
	LeftByOperator Left = "quit"      // q, or the run's end after an abort
	LeftByForce    Left = "forced"    // Ctrl+C twice; a live run got an abort
	LeftByContext  Left = "cancelled" // the context ended: a signal
	LeftToSwitch   Left = "switched"  // to the cluster of another context
)

// Result is what main needs to know after the terminal is back.
type Result struct {
	Left Left
	// Context is the one of the kubeconfig to go on in, where Left is LeftToSwitch.
	Context string
	Theme   string       // the name of the theme that was chosen last
	Run     live.Run     // the last run, nil if there was none, or if it is that of Roll
	Roll    live.Roll    // the last roll, nil if there was none
	Last    *drain.State // its state when the dashboard was left
	text    func(*drain.State) string
}

// Text is what to print on the normal screen: the result of the last run as it is
// now, "" if there was none. A run that the leaving told to stop has ended only
// some time after the dashboard.
func (r Result) Text() string {
	if r.Roll != nil {
		report := roll.ReportOf(r.Roll.Events(0), !closed(r.Roll.Done()))
		return report.Text()
	}
	if r.text == nil {
		return ""
	}
	return r.text(r.Run.State())
}
