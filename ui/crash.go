package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Crash collects the first panic of the program, wherever it happens: it is
// written to a file and the dashboard is ended in order, so that the terminal
// is the operator's again before anything is said about it. Hand OnPanic to
// kube.OnPanic before anything is started.
type Crash struct {
	dir string

	mu    sync.Mutex
	err   *CrashError
	stops []func()
}

// CrashError is a panic that ended the dashboard.
type CrashError struct {
	Where string // which goroutine or part
	Value any
	Path  string // file with the stack, "" if none could be written
}

func (e *CrashError) Error() string {
	s := fmt.Sprintf("internal error in %s: %v", e.Where, e.Value)
	if e.Path != "" {
		s += " (stack in " + e.Path + ")"
	}
	return s
}

// NewCrash makes a collector that writes stacks into a folder, "" for the
// system's folder for temporary files.
func NewCrash(dir string) *Crash { return &Crash{dir: dir} }

// onPanic takes the panic of a goroutine. Without a dashboard to end it panics
// again, as the default of kube.OnPanic does.
func (c *Crash) onPanic(where string, value any, stack []byte) {
	if !c.take(where, value, stack) {
		panic(value)
	}
}

// Err is the panic that ended the dashboard, nil if none did.
func (c *Crash) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return nil
	}
	return c.err
}

// watch tells the collector how to end a dashboard, until release is called.
func (c *Crash) watch(stop func()) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops = append(c.stops, stop)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stops = nil
	}
}

func (c *Crash) take(where string, value any, stack []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = &CrashError{Where: where, Value: value, Path: c.write(where, value, stack)}
	}
	for _, stop := range c.stops {
		stop()
	}
	return len(c.stops) > 0
}

// folder is where files go: the collector's own, or the system's for temporary
// ones where that cannot be made.
func (c *Crash) folder() string {
	if c.dir == "" || os.MkdirAll(c.dir, 0o700) != nil {
		return os.TempDir()
	}
	return c.dir
}

func (c *Crash) write(where string, value any, stack []byte) string {
	path := filepath.Join(c.folder(), fmt.Sprintf("kdrain-tui-crash-%d.txt", os.Getpid()))
	text := fmt.Sprintf("panic in %s: %v\n\n%s\n", where, value, stack)
	if os.WriteFile(path, []byte(text), 0o600) != nil {
		return ""
	}
	return path
}

// guard turns a function into a command whose panic ends the dashboard in
// order.
func (c *Crash) guard(where string, fn func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer c.recover(where)
		return fn()
	}
}

// recover is deferred around everything that the event loop calls.
func (c *Crash) recover(where string) {
	if v := recover(); v != nil {
		stack := debug.Stack()
		if !c.take(where, v, stack) {
			panic(v)
		}
	}
}
