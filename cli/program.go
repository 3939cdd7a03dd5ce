package cli

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Program is one start of the binary: where it reads and writes, and the doors
// to the cluster, the engine and the dashboard. Tests put other doors in.
type Program struct {
	Name     string // argv[0]; kubectl-kdrain makes it a plugin of kubectl
	In       io.Reader
	Out, Err io.Writer
	Terminal Terminal
	Build    Build
	StateDir string // where journals go
	Pod      OwnPod // that we run in, empty outside of a cluster
	Now      func() time.Time
	// Signals are INT, TERM and HUP: the first one ends gently, the second one
	// at once through Exit. HUP suspends the runs, and never ends at once.
	Signals <-chan os.Signal
	Exit    func(code int)

	// Open connects to the cluster of the flags and logs in.
	Open      func(context.Context, *kube.Flags, OpenOptions) (*Cluster, error)
	Start     func(context.Context, drain.EngineConfig, drain.Plan, drain.RunFacts) (Run, error)
	Dashboard func(context.Context, DashboardRequest) (exit int, err error)

	connection  kube.Flags
	onlyReads   bool // --read-only was given
	group       kube.Group
	live        liveRuns
	interrupted chan struct{} // closed by the first signal
	signal      atomic.Value  // signalBox: the first signal
	graceful    atomic.Bool   // the command ends itself after a signal
	keyboard    keyboard
}

// Terminal says which of the standard streams are terminals.
type Terminal struct {
	In, Out, Err bool
	// Color tells that the terminal takes colour (NO_COLOR, TERM).
	Color bool
}

// Build says what this binary was made of.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	// Kubernetes is the version of the client library, e.g. v0.37.2.
	Kubernetes string `json:"clientLibrary"`
}

// Run is a run that the headless face follows: its events tell what to print.
type Run interface {
	drain.Run
	// Events are the events after a sequence number, in order.
	Events(after uint64) []drain.Event
}

// OpenOptions say what a connection is for.
type OpenOptions struct {
	Quiet     bool  // credential plugins must not prompt
	ReadOnly  bool  // every write is refused before it is sent
	ChunkSize int64 // page size of large lists, 0 for all at once
	// Nodes are the nodes that were named: they are read one by one where nodes
	// may not be listed.
	Nodes []string
	// LeaseNamespace is where the Leases over nodes are.
	LeaseNamespace string
}

// Cluster is an open connection.
type Cluster struct {
	Context       string
	Server        string
	Target        drain.Target // what printed commands are for
	UID           string       // of the kube-system namespace, else server and CA
	UIDWhy        string       // why it is not that of the namespace, "" if it is
	User          string
	ServerVersion string
	Writer        kube.Writer
	// Watch fills a store with the kinds until the context ends.
	Watch func(ctx context.Context, kinds ...kube.Kind) drain.Source
	// WatchFirst is Watch that begins with the nodes, the pods on them and what else
	// a drain of them needs; nil where all comes at once.
	WatchFirst func(ctx context.Context, nodes []string, kinds ...kube.Kind) drain.Source
	// NodesOf are the names of the nodes that a label selector selects; nil where
	// there is no WatchFirst.
	NodesOf func(ctx context.Context, selector string) ([]string, error)
	// Access asks the server for each permission.
	Access func(ctx context.Context, rules []kube.Permission) ([]kube.AccessResult, error)
	// Evictions tells which evictions the server takes; nil where that is known.
	Evictions func(ctx context.Context) (kube.EvictionVersion, error)
	// DaemonSets reads the DaemonSets of the nodes' pods by name into the source,
	// where they may not be listed; nil where there is no need.
	DaemonSets func(ctx context.Context, source drain.Source, nodes []string) error
	// Scales reads the scales of the owners of the nodes' pods into the source, as
	// far as it does not watch them; nil where there is no need.
	Scales func(ctx context.Context, source drain.Source, nodes []string)
	// Addresses are the API server's; nil where they do not matter.
	Addresses func(ctx context.Context) []string
	Close     func()
	// Kube is the connection itself, for the dashboard; nil in tests.
	Kube *kube.Cluster
}

// DashboardRequest is what the dashboard is to open with, and all that it may
// do to the cluster.
type DashboardRequest struct {
	Cluster *Cluster
	Source  drain.Source
	Marked  []string
	Options drain.Options
	// NewPlan plans a drain of nodes.
	NewPlan planFunc
	// Attach is a resumed run to open with; nil for none.
	Attach Run
	// StartRun begins a run of a plan that the operator confirmed.
	StartRun func(drain.Plan) (Run, error)
	// Access asks which rights a drain under the options lacks.
	Access func(ctx context.Context, o drain.Options) (drain.Access, error)
	// SetCordon makes a node unschedulable, for that reason, or schedulable again.
	SetCordon func(ctx context.Context, node string, unschedulable bool, reason string) error
	// RunLife tells what is known on this machine of a run, RemoveBudget removes a
	// temporary budget that a run left behind.
	RunLife      func(run string) drain.RunLife
	RemoveBudget func(ctx context.Context, ref kube.BudgetRef) error
	// Replay is a journal to play instead, with neither Cluster nor Source; nil for
	// the dashboard proper.
	Replay   *drain.Replay
	ReadOnly bool
	Theme    string
	NoColor  bool
	ASCII    bool
}

type signalBox struct{ os.Signal }

// open connects with the connection flags of the command line.
func (p *Program) open(ctx context.Context, o OpenOptions) (*Cluster, error) {
	p.onlyReads = p.connection.ReadOnly // Open may set it for the connection alone
	o.ReadOnly = o.ReadOnly || p.connection.ReadOnly
	c, err := p.Open(ctx, &p.connection, o)
	if c != nil {
		c.Target = drain.Target{Program: p.display(), Kubeconfig: p.connection.File(), Context: c.Context, Others: p.connection.Given()}
	}
	return c, err
}

// Main runs the command line and returns the exit code.
func (p *Program) Main(ctx context.Context, args []string) int {
	p.interrupted = make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	p.live.ended = ended
	p.group.Go("signals", func() { p.watchSignals(ended, cancel) })
	p.Out, p.Err = edge{p.Out}, edge{p.Err}
	code := p.run(ctx, args)
	close(ended)
	p.group.Wait()
	p.live.group.Wait()
	return code
}

func (p *Program) run(ctx context.Context, args []string) int {
	root := p.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if sig, ok := p.signalled(); ok {
		if err != nil && !p.graceful.Load() {
			explain(p.Err, &failure{text: "ended by " + nameOfSignal(sig) + "; nothing more was sent"})
		}
		return exitOfSignal(sig)
	}
	if err != nil {
		explain(p.Err, err)
	}
	return codeOf(err)
}

// signalEcho is how long after the first signal another one that nobody typed
// is the same once more: timeout(1) sends its signal to the process and then to
// the process group, so it comes twice at a time.
const signalEcho = time.Second

// watchSignals ends the program gently on the first signal, and at once on the
// second.
func (p *Program) watchSignals(ended <-chan struct{}, cancel context.CancelFunc) {
	var at time.Time // of the first
	for first := true; ; {
		select {
		case <-ended:
			return
		case sig, ok := <-p.Signals:
			switch {
			case !ok:
				return
			case sig == os.Signal(syscall.SIGHUP):
				p.live.hangUp()
				if !first {
					continue // a terminal that goes away says so more than once
				}
			case !first && sig == os.Signal(syscall.SIGTERM) && p.Now().Sub(at) < signalEcho:
				continue
			case !first:
				p.Exit(exitOfSignal(sig))
				return
			}
			first, at = false, p.Now()
			p.signal.Store(signalBox{sig})
			close(p.interrupted)
			if p.graceful.Load() {
				p.live.abort("interrupted by " + nameOfSignal(sig))
			} else {
				cancel()
			}
		}
	}
}

func (p *Program) signalName() string {
	if sig, ok := p.signalled(); ok {
		return nameOfSignal(sig)
	}
	return "a signal"
}

// signalled is the first signal that came, if one did.
func (p *Program) signalled() (os.Signal, bool) {
	box, ok := p.signal.Load().(signalBox)
	return box.Signal, ok
}
