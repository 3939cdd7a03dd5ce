// kdrain-tui is the cockpit for node maintenance in Kubernetes. This package
// only wires: signals, logging, and which face to start.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

func main() {
	collectOften()
	state := filepath.Join(xdg.StateHome, "kdrain-tui")
	log := newLogFile(filepath.Join(state, "kdrain-tui.log"))
	kube.RouteLogs(slog.New(slog.NewTextHandler(log, nil)), lateStderr{})
	screen := &screen{log: log, crash: ui.NewCrash(state)}
	kube.OnPanic = screen.onPanic
	signals := make(chan os.Signal, 4)
	caught := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // nohup: the run is to outlive its terminal
		caught = append(caught, syscall.SIGHUP)
	}
	signal.Notify(signals, caught...)

	program := &cli.Program{
		Name: os.Args[0], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: terminal(),
		Build: buildInfo(), StateDir: state, Pod: app.FindOwnPod(os.Getenv, os.Hostname, app.ServiceAccountFolder),
		Now: time.Now, Signals: signals, Exit: screen.exit,
		Open: app.Connect, Dashboard: screen.dashboard,
	}
	os.Exit(program.Main(context.Background(), os.Args[1:]))
}

// terminal says which of the standard streams are terminals, and whether they
// take colour.
func terminal() cli.Terminal {
	kind := os.Getenv("TERM")
	return cli.Terminal{
		In:    term.IsTerminal(int(os.Stdin.Fd())),
		Out:   term.IsTerminal(int(os.Stdout.Fd())),
		Err:   term.IsTerminal(int(os.Stderr.Fd())),
		Color: os.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb",
	}
}
