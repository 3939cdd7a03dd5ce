package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/node"
)

// launch starts the process of a component, in a session of its own so that it
// outlives us and our terminal. The channel gets one value if the process ends
// while we live; whoever waits for the component's readiness reads it.
func (l *Lab) launch(c *Component) (<-chan error, error) {
	cmd, err := l.programOf(c)
	if err != nil {
		return nil, err
	}
	logFile, err := os.OpenFile(l.path(c.Name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", c.Name, err)
	}
	defer logFile.Close()
	for _, file := range cmd.ExtraFiles {
		defer file.Close()
	}
	cmd.Dir = l.dir
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.Env = componentEnv()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	c.PID = cmd.Process.Pid
	if c.Started, err = processStart(c.PID); err != nil {
		return nil, fmt.Errorf("look at the new process of %s: %w", c.Name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process, or with us
	return ended, nil
}

// programOf is what a component runs: one of the programs that were built, or ourselves.
func (l *Lab) programOf(c *Component) (*exec.Cmd, error) {
	binary := filepath.Join(l.Bin, c.Name)
	switch c.Name {
	case "etcd":
		binary = filepath.Join(l.Bin, "server")
	case "network", "attacher":
		own, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find our own program for %s: %w", c.Name, err)
		}
		binary = own
	}
	cmd := exec.Command(binary, c.Args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if c.Name != "network" {
		return cmd, nil
	}
	host, err := os.Open(ownNetwork)
	if err != nil {
		return nil, fmt.Errorf("hand our network to %s: %w", c.Name, err)
	}
	cmd.SysProcAttr, cmd.ExtraFiles = node.InNewNetwork(), []*os.File{host}
	return cmd, nil
}

// componentEnv is our environment without what could make a component talk to
// another cluster, or through a proxy to its own. A lab is small: memory is spent
// to collect garbage less often, which is a tenth of what an API server does.
func componentEnv() []string {
	env := []string{"GOGC=400"}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "KUBECONFIG", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "GOGC":
		default:
			if !strings.HasPrefix(name, "ETCD_") && !strings.HasPrefix(name, "KWOK_") {
				env = append(env, entry)
			}
		}
	}
	return env
}

// alive says whether the process that we started still runs. A process id may
// have gone to another program since, so the time of the start has to match.
func (c *Component) alive() bool {
	if c.PID == 0 {
		return false
	}
	started, err := processStart(c.PID)
	return err == nil && started == c.Started
}

func (c *Component) condition() string {
	switch {
	case !c.alive():
		return "down"
	case processStopped(c.PID):
		return "frozen"
	}
	return "up"
}

func (c *Component) signal(signals ...syscall.Signal) error {
	for _, sig := range signals {
		if !c.alive() {
			return nil
		}
		if err := syscall.Kill(c.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("send %s to %s (process %d): %w", sig, c.Name, c.PID, err)
		}
	}
	return nil
}

// waitEnd waits until the process is gone and says whether it is.
func (c *Component) waitEnd(ctx context.Context, patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	for c.alive() {
		if time.Now().After(deadline) || pause(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// logTail returns the last lines that a component wrote.
func (l *Lab) logTail(name string, lines int) string {
	file, err := os.Open(l.path(name + ".log"))
	if err != nil {
		return "(its log cannot be read: " + err.Error() + ")"
	}
	defer file.Close()
	const most = 16 << 10
	if info, err := file.Stat(); err == nil && info.Size() > most {
		if _, err := file.Seek(-most, io.SeekEnd); err != nil {
			return "(its log cannot be read: " + err.Error() + ")"
		}
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return "(its log cannot be read: " + err.Error() + ")"
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
