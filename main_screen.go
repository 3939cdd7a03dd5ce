package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/kdrain-tui/kdrain-tui/cli"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui"
)

// screen knows whether the dashboard has the terminal, so that an end in haste
// can put it in order.
type screen struct {
	log    *logFile
	crash  *ui.Crash
	before atomic.Pointer[term.State] // of the terminal, while the dashboard has it
}

func (s *screen) open() {
	if state, err := term.GetState(int(os.Stdin.Fd())); err == nil {
		s.before.Store(state)
	}
}

func (s *screen) closed() { s.before.Store(nil) }

// exit is the end at once: nothing is waited for, but the terminal is given
// back (keyboard modes, alternate screen, mouse, bracketed paste and cursor as they were).
func (s *screen) exit(code int) {
	if state := s.before.Load(); state != nil {
		fmt.Fprint(os.Stdout, "\x1b[<u\x1b[>4m\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[0m")
		_ = term.Restore(int(os.Stdin.Fd()), state)
	}
	os.Exit(code)
}

// onPanic takes the panic of any goroutine. With the dashboard open it is the
// dashboard that ends in order; else the stack goes to the log and the operator
// gets a few sentences.
func (s *screen) onPanic(name string, value any, stack []byte) {
	if s.before.Load() != nil {
		s.crash.OnPanic(name, value, stack)
		return
	}
	fmt.Fprintf(s.log, "%s panic in %s: %v\n%s\n", time.Now().UTC().Format(time.RFC3339), name, value, stack)
	fmt.Fprintf(os.Stderr, "error: kdrain-tui failed inside (%s): %s\n"+
		"  this is a defect of the program; the details are in %s\n"+
		"  nodes may be left cordoned: kubectl get nodes tells, the journal says what was sent\n",
		name, kube.Clean(fmt.Sprint(value)), s.log.path)
	os.Exit(cli.ExitError)
}
