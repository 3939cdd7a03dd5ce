//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// aStack is in every stack that the runtime prints: this or another goroutine runs.
const aStack = " [running"

// However the dashboard ends, the shell gets its terminal back in order.
func TestTerminalIsGivenBack(t *testing.T) {
	world := sharedWorld(t)
	signalled := func(s syscall.Signal) func(*terminal) { return func(term *terminal) { term.kill(s) } }
	for _, way := range []struct {
		name string
		take func(*terminal)
		code int
	}{
		{"q", func(term *terminal) { term.keys("q") }, 0},
		{"Ctrl+C twice", func(term *terminal) {
			term.keys("C-c")
			term.waitFor("Leave kdrain-tui?", "Ctrl+C again leaves at once.")
			term.keys("C-c")
		}, 0},
		{"SIGINT", signalled(syscall.SIGINT), 130},
		{"SIGTERM", signalled(syscall.SIGTERM), 143},
		{"SIGHUP", signalled(syscall.SIGHUP), 129},
		{"SIGQUIT", signalled(syscall.SIGQUIT), 131},
	} {
		t.Run(way.name, func(t *testing.T) {
			term := world.operator(t).open(80, 24)
			term.waitFor("● live")
			if term.tmux("display-message", "-p", "#{alternate_on}") != "1" {
				t.Error("the dashboard is not on the alternate screen")
			}
			way.take(term)
			code, normal := term.ended()
			if code != way.code {
				t.Errorf("exit code %d, want %d", code, way.code)
			}
			if normal.shows(aStack) {
				t.Errorf("a stack is not for operators:\n%s", framed(normal))
			}
		})
	}
}

// A panic, wherever it happens, ends the dashboard in order: one sentence on the
// normal screen, and the stack in a file that it names.
func TestTerminalIsGivenBackAfterPanic(t *testing.T) {
	world := sharedWorld(t)
	bin := rehearsal(t)
	for key, where := range map[string]string{"F10": "Update", "F11": "a command", "F12": "a goroutine"} {
		t.Run("in "+where, func(t *testing.T) {
			operator := world.operator(t)
			operator.bin = bin
			term := operator.open(80, 24)
			term.waitFor("● live")
			term.keys(key)
			code, normal := term.ended()
			if code != 1 || !normal.shows("rehearsed in "+where) || normal.shows(aStack) {
				t.Errorf("exit code %d, and on the normal screen\n%s", code, framed(normal))
			}
			written, err := filepath.Glob(filepath.Join(operator.stateHome(), "kdrain-tui", "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range written {
				if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "rehearsed in "+where) && strings.Contains(string(text), aStack) {
					return
				}
			}
			t.Errorf("no file has the stack: %v", written)
		})
	}
}

// rehearsal is kdrain-tui with keys that panic: it is built with the tag
// panictest from the source around us, and never shipped.
var rehearsalBin = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kdrain-e2e-bin-")
	if err != nil {
		return "", err
	}
	leftovers.add(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "kdrain-tui")
	cmd := exec.Command("go", "build", "-tags", "panictest", "-ldflags", "-s -w", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as all is built: from the same cache
	cmd.Dir = os.Getenv("KDRAIN_SOURCE")
	if cmd.Dir == "" {
		cmd.Dir = filepath.Join("..", "..")
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with the tag panictest: %w\n%s", err, output)
	}
	if text, err := os.ReadFile(bin); err != nil || !bytes.Contains(text, []byte("rehearsed in a goroutine")) {
		return "", fmt.Errorf("the source in %s has no keys that panic in a build with the tag panictest (%v)", cmd.Dir, err)
	}
	return bin, nil
})

func rehearsal(t *testing.T) string {
	t.Helper()
	bin, err := rehearsalBin()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}
