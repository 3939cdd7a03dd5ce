// kdrain-tui drains Kubernetes nodes, on a dashboard and on a command line. This package
// only wires: signals, logging, and which frontend to start.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/preferences"
	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/cli/build"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/signals"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// version and commit are stamped by a release.
var version, commit string

// garbagePercent is how much garbage may pile up beside what a watched cluster
// takes, unless the operator has an opinion. A list is nearly all garbage, so that at
// the peak it is this and not the store that counts: Go's own 100 takes 300 MB for
// 150,000 pods instead of 230 (BenchmarkLargeCluster of kube).
const garbagePercent = 60

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	state := filepath.Join(xdg.StateHome, "kdrain-tui")
	logPath := filepath.Join(state, "kdrain-tui.log")
	screen := screen{
		Terminal: &ui.Terminal{Crash: ui.NewCrash(state), Log: app.NewLogFile(logPath), LogPath: logPath},
		chosen:   preferences.In(state),
	}
	conn.RouteLogs(slog.New(slog.NewTextHandler(screen.Log, nil)), ui.Stderr{})
	kube.OnPanic = screen.OnPanic
	incoming := make(chan os.Signal, 4)
	caught := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // nohup: the run is to outlive its terminal
		caught = append(caught, syscall.SIGHUP)
	}
	signal.Notify(incoming, caught...)
	// Caught, so that it ends nothing, and dropped: a broken connection raises it too (os/signal). Where it was
	// a standard stream, signals.Output reports it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	program := &cli.Program{
		Name: os.Args[0], In: os.Stdin, Terminal: terminal(),
		Out: signals.Output{Writer: os.Stdout, Signals: incoming}, Err: signals.Output{Writer: os.Stderr, Signals: incoming},
		Build: build.Of(version, commit), StateDir: state, Environ: os.Environ(), Log: screen.Log, Themes: themeNames,
		Config: filepath.Join(xdg.ConfigHome, "kdrain-tui", "config.yaml"),
		Pod:    app.FindOwnPod(os.Getenv, os.Hostname, app.ServiceAccountFolder),
		Now:    time.Now, Signals: incoming, Exit: screen.Exit,
		Open: app.Connect, Dashboard: screen.dashboard,
	}
	os.Exit(program.Main(context.Background(), os.Args[1:]))
}

// terminal says which of the standard streams are terminals, and whether they
// take colour.
func terminal() cli.Terminal {
	may, must := print.ColorsOf(os.Getenv)
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0 // no terminal
	}
	return cli.Terminal{
		In:         term.IsTerminal(int(os.Stdin.Fd())),
		Out:        term.IsTerminal(int(os.Stdout.Fd())),
		Err:        term.IsTerminal(int(os.Stderr.Fd())),
		Color:      may,
		ForceColor: must,
		Width:      width,
		Dumb:       os.Getenv("TERM") == "dumb",
	}
}
