package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/build"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/prompt"
	"github.com/kdrain-tui/kdrain-tui/cli/signals"
	"github.com/kdrain-tui/kdrain-tui/cli/telling"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Program is one start of the binary: where it reads and writes, and the doors
// to the cluster, the engine and the dashboard. Tests put other doors in.
type Program struct {
	Name     string // argv[0]; kubectl-kdrain makes it a plugin of kubectl
	In       io.Reader
	Out, Err io.Writer
	Terminal Terminal
	Build    build.Info
	StateDir string    // where journals go
	Log      io.Writer // the log file, for what must not appear on the dashboard
	Themes   func() []string
	Config   string     // path of the file of settings
	Environ  []string   // as os.Environ gives it
	Pod      app.OwnPod // that we run in, empty outside of a cluster
	Now      func() time.Time
	// Signals are INT, TERM and HUP: the first one ends gently, the second one
	// at once through Exit. HUP suspends the runs, and never ends at once.
	Signals <-chan os.Signal
	Exit    func(code int)

	// Open connects to the cluster of the flags and logs in.
	Open func(context.Context, *conn.Flags, app.ConnectOptions) (app.Cluster, error)
	// Launch begins a run, the engine where it is nil.
	Launch    func(context.Context, engine.EngineConfig, plan.Plan, drain.RunFacts) (app.Run, error)
	Dashboard func(context.Context, DashboardRequest) (DashboardEnd, error)

	connection conn.Flags
	group      kube.Group
	runs       *app.Runs
	signals    signals.Signals
	keyboard   prompt.Keyboard
	typed      string // what every confirmation is typed as in a protected context, "" elsewhere
}

// Terminal says which of the standard streams are terminals.
type Terminal struct {
	In, Out, Err bool
	// Color tells that a terminal takes colour, ForceColor that it is wanted elsewhere too: see print.ColorsOf.
	Color, ForceColor bool
	Width             int // of standard output in columns, 0 where it is not known
	// Dumb tells that the terminal only takes lines.
	Dumb bool
}

// DashboardRequest is what the dashboard is to open with.
type DashboardRequest struct {
	Session *app.Session // nil for a replay, and for a run that is watched without its cluster
	Marked  []string
	// Contexts are those of the kubeconfig that the operator can change to.
	Contexts []string
	Options  plan.Options
	Notes    []string // what the operator is to know that was found before it opens
	// Attach is a run to open with, resumed or of another process; nil for none.
	Attach app.Run
	// Replay is a journal to play instead, without a cluster; nil for the dashboard proper.
	Replay   *journal.Replay
	ReadOnly bool
	// AttachRoll and ReplayRoll are the same for a roll.
	AttachRoll live.Roll
	ReplayRoll *rolls.Replay
	// LabelColumns are the labels that the list of nodes has a column for.
	LabelColumns []string
	Screen       Screen
	// Protected is what every confirmation is typed as, "" where y is enough.
	Protected string
	Alert     telling.Alert
}

// Screen is how the dashboard uses the terminal.
type Screen struct {
	Theme          string
	NoColor, ASCII bool
	Mouse          bool // takes clicks and the wheel
}

// open connects with the connection flags of the command line.
func (p *Program) open(ctx context.Context, o app.ConnectOptions) (*app.Session, error) {
	s := &app.Session{
		View: app.View{Now: p.Now, Progress: func(line string) { fmt.Fprintln(p.Err, kube.Clean(line)) }},
		Runs: p.runs, OwnPod: p.Pod, Version: p.Build.Version, Launch: p.Launch,
		ReadOnly: p.connection.ReadOnly, // Open may set it for the connection alone
	}
	o.ReadOnly, o.Version = o.ReadOnly || p.connection.ReadOnly, p.Build.Version
	if o.RequestLog == nil {
		o.RequestLog = p.Err
	}
	cluster, err := p.Open(ctx, &p.connection, o)
	if err != nil {
		return nil, err
	}
	s.Cluster = cluster
	s.Target = p.target(s.Identity().Context)
	return s, nil
}

// target is what printed commands are for: the connection flags that were given.
func (p *Program) target(kubeContext string) plan.Target {
	return plan.Target{Program: p.display(), Kubeconfig: p.connection.File(), Context: kubeContext,
		Others: p.connection.Given()}
}

// line is one of our commands as it is printed before there is a connection.
func (p *Program) line(command string) string {
	return p.target(p.connection.Overrides.CurrentContext).Line("kdrain-tui " + command)
}

// Main runs the command line and returns the exit code.
func (p *Program) Main(ctx context.Context, args []string) int {
	p.signals.Interrupted = make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	p.runs = app.NewRuns(p.StateDir, p.display())
	p.group.Go("signals", func() {
		p.signals.Watch(p.Signals, p.Now, ended, signals.Ends{
			HangUp: p.runs.HangUp, Abort: p.runs.Abort, Cancel: cancel,
			Exit: func(sig os.Signal) { p.Exit(exitOfSignal(sig)) },
		})
	})
	p.Out, p.Err = print.Edge{W: p.Out}, print.Edge{W: p.Err}
	code := p.run(ctx, args)
	close(ended)
	p.group.Wait()
	p.runs.End()
	for _, why := range p.runs.Unsaid() {
		fmt.Fprintln(p.Err, "Warning: "+why)
	}
	return code
}

func (p *Program) run(ctx context.Context, args []string) int {
	root := p.Command()
	root.SetArgs(conn.JoinVerbosity(args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.connection.Warned()
	}
	if sig, ok := p.signals.First(); ok {
		if err != nil && !p.signals.Graceful.Load() {
			explain(p.Err, &failure{text: "ended by " + signals.NameOf(sig) + "; nothing more was sent"})
		}
		return exitOfSignal(sig)
	}
	if err != nil {
		explain(p.Err, err)
	}
	return codeOf(err)
}

// What the parts of the commands need of a cluster; *app.Session and the steps that it begins are all of them.
type (
	// identified tells which cluster it is.
	identified interface{ Identity() conn.Identity }

	// followed is the cluster of a run that is followed.
	followed interface {
		identified
		Snapshot() *kube.Snapshot
		Again(ctx context.Context, shown plan.Plan, run string) (plan.Plan, error)
	}
)
