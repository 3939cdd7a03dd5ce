package rig

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Result is what came of a call of a program.
type Result struct {
	Began, Ended time.Time
	Code         int           // -1 where a signal ended it
	Killed       bool          // by Process.Kill
	CPU          time.Duration // of the program alone
	Memory       int64         // its peak in bytes; 0 elsewhere than on Linux
	Out, Err     string
}

// Took is how long the program ran.
func (r Result) Took() time.Duration { return r.Ended.Sub(r.Began) }

// Call runs a program as the lab's administrator, in a home of its own, and
// waits for its end. A code other than zero is no error.
func (r *Rig) Call(ctx context.Context, program string, args ...string) (Result, error) {
	p, err := r.Begin(ctx, nil, program, args...)
	if err != nil {
		return Result{}, err
	}
	return p.Wait()
}

// Process is a program that was begun.
type Process struct {
	ctx             context.Context
	cmd             *exec.Cmd
	name            string
	began           time.Time
	out, complaints strings.Builder
}

// Begin is Call without the wait. Each line of the program's output is also
// handed to the function, if there is one, as soon as it is there.
func (r *Rig) Begin(ctx context.Context, line func([]byte), program string, args ...string) (*Process, error) {
	env, err := r.Environment()
	if err != nil {
		return nil, err
	}
	p := &Process{ctx: ctx, cmd: exec.CommandContext(ctx, program, args...),
		name: filepath.Base(program) + " " + strings.Join(args, " ")}
	p.cmd.Env = env
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.complaints
	if line != nil {
		p.cmd.Stdout = io.MultiWriter(&p.out, &lines{take: line})
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", p.name, err)
	}
	return p, nil
}

// Environment is the environment of the programs that Begin starts.
func (r *Rig) Environment() ([]string, error) {
	home := filepath.Join(r.Dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("make a home for a program: %w", err)
	}
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_STATE_HOME="+cmp.Or(r.State, filepath.Join(home, "state")),
		"KUBECONFIG="+cmp.Or(r.Access, filepath.Join(r.Dir, "kubeconfig"))), nil
}

// Kill ends the program as a lost machine would. It is no error where it has
// ended already.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	return nil
}

// Hangup tells the program that its terminal went away. It is no error where it
// has ended already.
func (p *Process) Hangup() error {
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("hang up %s: %w", p.name, err)
	}
	return nil
}

// Wait waits for the end of the program.
func (p *Process) Wait() (Result, error) {
	err := p.cmd.Wait()
	result := Result{Began: p.began, Ended: time.Now(), Out: p.out.String(), Err: p.complaints.String()}
	if state := p.cmd.ProcessState; state != nil {
		result.CPU = state.UserTime() + state.SystemTime()
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok && runtime.GOOS == "linux" {
			result.Memory = usage.Maxrss << 10
		}
		if status, ok := state.Sys().(syscall.WaitStatus); ok {
			result.Killed = status.Signaled() && status.Signal() == syscall.SIGKILL
		}
	}
	var exit *exec.ExitError
	switch {
	case p.ctx.Err() != nil:
		return result, fmt.Errorf("run %s: %w", p.name, context.Cause(p.ctx))
	case errors.As(err, &exit):
		result.Code = exit.ExitCode()
	case err != nil:
		return result, fmt.Errorf("run %s: %w", p.name, err)
	}
	return result, nil
}

// lines hands on what is written to it line by line.
type lines struct {
	take func([]byte)
	rest []byte
}

func (l *lines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			return len(data), nil
		}
		l.take(l.rest[:end])
		l.rest = l.rest[end+1:]
	}
}

// Fault stops a component of the lab as kill -9 does, or starts it again.
func (r *Rig) Fault(ctx context.Context, verb, component string) error {
	return r.call(ctx, verb, component)
}
