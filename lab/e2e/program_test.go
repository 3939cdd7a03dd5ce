//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is for one command that has nothing to wait for but the machine, which
// may be a small one with much else to do.
const patience = 2 * time.Minute

// operator is somebody at work: a home of their own, and a world.
type operator struct {
	t     *testing.T
	world *world
	home  string
	bin   string
	env   []string // beyond what everybody has
}

func (w *world) operator(t *testing.T) *operator {
	return &operator{t: t, world: w, home: t.TempDir(), bin: kdrainBin}
}

// environment is all that the programs see of ours: nothing of the machine that
// the tests run on, but for PATH.
func (o *operator) environment() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + o.home, "TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC",
		"KUBECONFIG=" + o.world.kubeconfig, "XDG_STATE_HOME=" + o.stateHome(), "XDG_CONFIG_HOME=" + filepath.Join(o.home, "config"),
	}, o.env...)
}

func (o *operator) stateHome() string { return filepath.Join(o.home, "state") }

// file puts a file into the operator's home.
func (o *operator) file(name, text string) (path string) {
	o.t.Helper()
	path = filepath.Join(o.home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
	return path
}

// answer is what a command said and how it ended.
type answer struct {
	code     int
	out, err string
	took     time.Duration
}

// running is a command under way.
type running struct {
	t        *testing.T
	args     []string
	cmd      *exec.Cmd
	began    time.Time
	out, err output
	ended    chan error
}

// output can be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// run runs kdrain-tui without a terminal, to its end.
func (o *operator) run(args ...string) answer {
	o.t.Helper()
	return o.start(args...).wait(patience)
}

func (o *operator) start(args ...string) *running {
	o.t.Helper()
	r := &running{t: o.t, args: args, cmd: exec.Command(o.bin, args...), began: time.Now(), ended: make(chan error, 1)}
	r.cmd.Env, r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = o.environment(), o.home, &r.out, &r.err
	if err := r.cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	go func() { r.ended <- r.cmd.Wait() }()
	o.t.Cleanup(func() { _ = r.cmd.Process.Kill() }) // no longer there as a rule
	return r
}

func (r *running) wait(patience time.Duration) answer {
	r.t.Helper()
	select {
	case err := <-r.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			r.t.Fatal(err)
		}
	case <-time.After(patience):
		_ = r.cmd.Process.Kill()
		r.t.Fatalf("kdrain-tui %s: no end after %s%s", strings.Join(r.args, " "), patience, r.said())
	}
	return answer{code: r.cmd.ProcessState.ExitCode(), out: r.out.String(), err: r.err.String(), took: time.Since(r.began)}
}

func (r *running) signal(s syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatalf("kdrain-tui %s: %v%s", strings.Join(r.args, " "), err, r.said())
	}
}

// waitFor waits until all of the texts are on standard output or standard error.
func (r *running) waitFor(patience time.Duration, texts ...string) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		said := r.out.String() + r.err.String()
		if missing := firstMissing(said, texts); missing == "" {
			return
		} else if time.Now().After(deadline) {
			r.t.Fatalf("kdrain-tui %s: no %q within %s%s", strings.Join(r.args, " "), missing, patience, r.said())
		}
	}
}

func firstMissing(in string, texts []string) string {
	for _, text := range texts {
		if !strings.Contains(in, text) {
			return text
		}
	}
	return ""
}

func (r *running) said() string {
	return "\n--- standard output\n" + r.out.String() + "--- standard error\n" + r.err.String() + "---"
}

// exits asserts the exit code and what standard error must say.
func (a answer) exits(t *testing.T, code int, says ...string) {
	t.Helper()
	missing := firstMissing(a.err, says)
	if a.code != code || missing != "" {
		if missing != "" {
			missing = ", nothing about " + missing
		}
		t.Errorf("exit code %d, want %d%s\n--- standard output\n%s--- standard error\n%s---", a.code, code, missing, a.out, a.err)
	}
}

// prints asserts what standard output must say.
func (a answer) prints(t *testing.T, texts ...string) {
	t.Helper()
	if missing := firstMissing(a.out, texts); missing != "" {
		t.Errorf("standard output says nothing of %q\n--- standard output\n%s---", missing, a.out)
	}
}

// decode reads a JSON document.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("not the JSON that was expected: %v\n%s", err, text)
	}
	return value
}

// journals are the journals of all runs so far. Everything of ours must be for
// nobody else's eyes.
func (o *operator) journals() []string {
	o.t.Helper()
	var found []string
	err := filepath.WalkDir(o.stateHome(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == o.stateHome() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			o.t.Errorf("%s has permissions %o, want %o", path, info.Mode().Perm(), want)
		}
		if strings.HasSuffix(path, ".jsonl") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.t.Fatal(err)
	}
	return found
}
