package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// failure is an error as the operator gets it: what was tried on what and what
// came of it, what can be done about it, and the exit code.
type failure struct {
	code int
	text string
	hint string // may have several lines
	err  error  // the cause, nil if there is none
}

func (f *failure) Error() string {
	if f.err == nil {
		return f.text
	}
	if f.text == "" {
		return f.err.Error()
	}
	return f.text + ": " + f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usage is a failure of the command line itself.
func usage(hint, format string, args ...any) error {
	return &failure{code: ExitUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

// told is a failure that was already explained: only its code is left.
func told(code int) error {
	if code == ExitDone {
		return nil
	}
	return &failure{code: code}
}

// codeOf is the exit code of an error that a command returned.
func codeOf(err error) int {
	var f *failure
	var a *app.Error
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &f):
		return f.code
	case errors.As(err, &a) && a.Reason == app.ReasonForbidden:
		return ExitPermission
	case errors.As(err, &a) && a.Reason == app.ReasonUsage:
		return ExitUsage
	}
	return ExitError
}

// explain writes an error with its hint, each line safe to print.
func explain(w io.Writer, err error) {
	text, hint := err.Error(), ""
	var f *failure
	if errors.As(err, &f) {
		hint = f.hint
	}
	var a *app.Error
	if hint == "" && errors.As(err, &a) {
		hint = a.Hint
	}
	var connect *conn.ConnectError
	if hint == "" && errors.As(err, &connect) {
		hint = connect.Hint
	}
	if text == "" {
		return
	}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		prefix := "       "
		if i == 0 {
			prefix = "error: "
		}
		fmt.Fprintln(w, prefix+kube.Clean(line))
	}
	for line := range strings.Lines(hint) {
		fmt.Fprintln(w, "  "+kube.Clean(strings.TrimRight(line, "\n")))
	}
}

// The exit codes. Pipelines use them: where kubectl exits with another code than 0, this program does too.
const (
	// ExitDone: what was asked for is done.
	ExitDone = 0
	// ExitError: unknown node, no server, a write that failed.
	ExitError = 1
	// ExitUsage: a bad flag or selector, no terminal, no confirmation.
	ExitUsage = 2
	// ExitRefused: nothing was written, because every node (or with
	// --all-or-nothing one of them) was refused; for plan: a drain would not go
	// through by itself; for check: a node is not safe to power off.
	ExitRefused = 3
	// ExitPartly: timed out, or some nodes are not drained; for check: whether a node is
	// safe to power off is not known.
	ExitPartly = 4
	// ExitPermission: a permission is missing, found before the first write.
	ExitPermission = 5
	// ExitAborted: the operator said no, or aborted the run.
	ExitAborted = 6
	// ExitSignal plus the number of the signal: ended by that signal.
	ExitSignal = 128
)

// exitOfRun is the code of a process that worked on a run: one that was suspended has no
// outcome, and was stopped by its operator.
func exitOfRun(s *drain.State) int {
	if s.Suspended && s.Outcome == "" {
		return ExitAborted
	}
	return exitOf(s.Outcome)
}

// exitOf is the code for how a run ended.
func exitOf(outcome drain.Outcome) int {
	switch outcome {
	case drain.OutcomeDone:
		return ExitDone
	case drain.OutcomePartly:
		return ExitPartly
	case drain.OutcomeRefused:
		return ExitRefused
	case drain.OutcomeAborted:
		return ExitAborted
	}
	return ExitError
}

// exitOfSignal is the code for the end by a signal, as shells have it.
func exitOfSignal(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok {
		return ExitSignal + int(s)
	}
	return ExitError
}
