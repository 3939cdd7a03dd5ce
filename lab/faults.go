package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// fault does to one component what a test of faults asks for.
func fault(ctx context.Context, dir, verb, name string) error {
	release, err := lockLab(ctx, dir, io.Discard)
	if err != nil {
		return err
	}
	defer release()
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	c, err := lab.component(name)
	if err != nil {
		return err
	}
	if verb == "start" {
		if c.alive() {
			return nil
		}
		return lab.startOne(ctx, c)
	}
	if !c.alive() {
		if verb == "stop" {
			return nil
		}
		return fmt.Errorf("%s %s: it is not running", verb, name)
	}
	switch verb {
	case "stop":
		if err := c.signal(syscall.SIGKILL); err != nil {
			return err
		}
		if !c.waitEnd(ctx, killPatience) {
			return fmt.Errorf("%s (process %d) does not end", c.Name, c.PID)
		}
		return nil
	case "freeze":
		return c.signal(syscall.SIGSTOP)
	}
	return c.signal(syscall.SIGCONT)
}

// runKubectl runs the kubectl of the lab on it, as ada, with our terminal.
func runKubectl(ctx context.Context, dir string, args []string) error {
	lab, err := runningLab(dir)
	if err != nil {
		return err
	}
	return runHere(lab.kubectl(ctx, args...))
}

// runHere runs a program with our terminal, and hands on its exit code.
func runHere(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exitError{exit.ExitCode()}
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", filepath.Base(cmd.Path), err)
	}
	return nil
}

func (l *Lab) kubectl(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "kubectl"), args...)
	cmd.Env = append(componentEnv(), "KUBECONFIG="+l.kubeconfig())
	return cmd
}
