package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Command is a command line and what it gets.
type Command struct {
	Line  string   // for sh -c
	Env   []string // NAME=value, beside the environment of this process
	Input string   // on its standard input
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
	cmd := exec.CommandContext(ctx, "sh", "-c", c.Line)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.Input), out, out
	ownGroup(cmd)
	cmd.WaitDelay = lastWords
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start a shell: %w", err)
	}
	var group kube.Group
	var ended error
	group.Go("command of the operator", func() {
		ended = cmd.Wait()
		out.end()
		close(lines)
	})
	for batch := range lines {
		c.Tell(batch)
	}
	group.Wait()
	if ctx.Err() != nil {
		endGroup(cmd)
		return 0, fmt.Errorf("it was ended: %w", context.Cause(ctx))
	}
	var exit *exec.ExitError
	switch {
	case ended == nil, errors.Is(ended, exec.ErrWaitDelay):
		return 0, nil // ErrWaitDelay: it succeeded, and left something running that holds its output
	case errors.As(ended, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	}
	return 0, ended
}
