package cli

import (
	"os"
	"syscall"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// The exit codes, which pipelines rely on. A code is not zero wherever that of
// kubectl would not be.
const (
	// ExitDone: what was asked for is done.
	ExitDone = 0
	// ExitError: unknown node, no server, a write that failed.
	ExitError = 1
	// ExitUsage: a bad flag or selector, no terminal, no confirmation.
	ExitUsage = 2
	// ExitRefused: nothing was written, because every node (or with
	// --all-or-nothing one of them) was refused; for plan: a drain would not go
	// through by itself.
	ExitRefused = 3
	// ExitPartly: timed out, or some nodes are not drained.
	ExitPartly = 4
	// ExitPermission: a permission is missing, found before the first write.
	ExitPermission = 5
	// ExitAborted: the operator said no, or aborted the run.
	ExitAborted = 6
	// ExitSignal plus the number of the signal: ended by that signal.
	ExitSignal = 128
)

// ExitOf is the code for how a run ended.
func ExitOf(outcome drain.Outcome) int {
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

// nameOfSignal is the name that operators know a signal by.
func nameOfSignal(sig os.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return sig.String()
}
