package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Command is a command line and what it gets.
type Command struct {
	Line  string   // for sh -c, on Windows for cmd /C
	Env   []string // NAME=value, beside the environment of this process
	Input string   // on its standard input
	// Began gets the processes of the command before it begins, and keeps it from that by an error: whoever
	// must know of it later has to note it first. It is called on the goroutine of Run; nil for nobody.
	Began func(process.Group) error
	// Tell gets the lines of standard output and standard error, in order and as they come.
	// It is called on the goroutine of Run.
	Tell func(lines []string)
}

// lastWords is how long a command that was told to end, and what it left running with its
// output open, is waited for.
const lastWords = 5 * time.Second

// Run runs the command to its end, and returns its exit code. It fails where the command
// could not be started, was ended by a signal, or because the context ended: then what it
// started ends with it.
func Run(ctx context.Context, c Command) (code int, err error) {
	lines := make(chan []string)
	out := &splitter{send: func(batch []string) { lines <- batch }}
	sh := newShell(ctx, c.Line)
	defer sh.close()
	sh.Env = append(os.Environ(), c.Env...)
	sh.Stdout, sh.Stderr = out, out
	told, cancel := time.Time{}, sh.Cancel // told is written before Wait returns, if at all
	sh.Cancel = func() error { told = time.Now(); return cancel() }
	sh.WaitDelay = lastWords
	if err := sh.start(); err != nil {
		return 0, fmt.Errorf("start a shell: %w", err)
	}
	var kept error
	if c.Began != nil {
		kept = c.Began(groupOf(sh.Process.Pid))
	}
	if kept == nil {
		kept = sh.begin(c.Input)
	} else {
		sh.refuse()
	}
	var group kube.Group
	var ended error
	group.Go("command of the operator", func() {
		ended = sh.Wait()
		out.end()
		close(lines)
	})
	for batch := range lines {
		c.Tell(batch)
	}
	group.Wait()
	if ctx.Err() != nil {
		if told.IsZero() {
			told = time.Now()
			_ = cancel() // nobody may be left
		}
		sh.end(told.Add(lastWords))
		return 0, fmt.Errorf("it was ended: %w", context.Cause(ctx))
	}
	var exit *exec.ExitError
	switch {
	case kept != nil:
		return 0, kept
	case ended == nil, errors.Is(ended, exec.ErrWaitDelay):
		return 0, nil // ErrWaitDelay: it succeeded, and left something running that holds its output
	case errors.As(ended, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	}
	return 0, ended
}
