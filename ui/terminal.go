package ui

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Terminal knows whether the dashboard has the terminal of the process, so that an end
// in haste can put it in order.
type Terminal struct {
	Crash *Crash
	// Log takes what must not get on a screen; LogPath is where that can be read.
	Log     io.Writer
	LogPath string

	before atomic.Pointer[term.State] // of the terminal, while the dashboard has it
}

// take is called before the dashboard opens; release after it has closed.
func (t *Terminal) take() (release func()) {
	if state, err := term.GetState(int(os.Stdin.Fd())); err == nil {
		t.before.Store(state)
	}
	return func() { t.before.Store(nil) }
}

// Exit is the end at once: nothing is waited for, but the terminal is given
// back (keyboard modes, alternate screen, mouse, bracketed paste and cursor as they were).
func (t *Terminal) Exit(code int) {
	if state := t.before.Load(); state != nil {
		fmt.Fprint(os.Stdout, "\x1b[<u\x1b[>4m\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[0m")
		_ = term.Restore(int(os.Stdin.Fd()), state)
	}
	os.Exit(code)
}

// OnPanic takes the panic of any goroutine; hand it to kube.OnPanic. With the dashboard
// open it is the dashboard that ends in order; else the stack goes to the log, the
// operator gets a few sentences, and the process ends with exit code 1.
func (t *Terminal) OnPanic(name string, value any, stack []byte) {
	if t.before.Load() != nil {
		t.Crash.onPanic(name, value, stack)
		return
	}
	fmt.Fprintf(t.Log, "%s panic in %s: %v\n%s\n", time.Now().UTC().Format(time.RFC3339), name, value, stack)
	fmt.Fprintf(os.Stderr, "error: kdrain-tui failed inside (%s): %s\n"+
		"  this is a defect of the program; the details are in %s\n"+
		"  nodes may be left cordoned; the journal of the run records what was sent\n",
		name, kube.Clean(fmt.Sprint(value)), t.LogPath)
	os.Exit(1)
}

// Stderr is standard error as it is at the moment of the write: while the dashboard is
// open it is a file.
type Stderr struct{}

// Write writes there.
func (Stderr) Write(p []byte) (int, error) { return os.Stderr.Write(p) }
