//go:build unix

package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

func TestRun(t *testing.T) {
	lines, code, err := run(t, t.Context(), Command{Line: `read first; echo "$first $NODE"; printf '\033[31mred\033[0m\r\nno end' >&2; exit 3`,
		Env: []string{"NODE=a"}, Input: "hello\nrest\n"})
	if err != nil || code != 3 || strings.Join(lines, "|") != "hello a|red|no end" {
		t.Errorf("%q, exit %d, %v", lines, code, err)
	}
	if _, _, err := run(t, t.Context(), Command{Line: "kill -s KILL $$"}); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("ended by a signal: %v", err)
	}
}

// What ends the context ends the command, and says why.
func TestRunEnds(t *testing.T) {
	why := errors.New("the operator left")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Run(ctx, Command{Line: "echo on; exec sleep 600", Tell: func([]string) { cancel(why) }})
	if !errors.Is(err, why) {
		t.Error(err)
	}
}

// The beginning and the end of a long output are told, and how much is missing.
func TestOutputIsBounded(t *testing.T) {
	lines, code, err := run(t, t.Context(), Command{Line: `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done`})
	if code != 0 || err != nil || len(lines) != mostLines+1+lastLines {
		t.Fatalf("%d lines, exit %d, %v", len(lines), code, err)
	}
	if lines[mostLines] != fmt.Sprintf("(%d lines are left out)", 3000-mostLines-lastLines) || lines[len(lines)-1] != "3000" {
		t.Errorf("%q ... %q", lines[mostLines], lines[len(lines)-1])
	}
}

// What a command started ends with it, also what does not listen to TERM.
func TestRunEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := Command{Line: `trap '' TERM; sleep 600 & echo on; wait`, Tell: func([]string) { cancel() }}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What a command started has the promised time to tidy up, also after the command itself has ended and
// with its output elsewhere.
func TestRunLeavesTheGroupItsLastWords(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	child := `trap 'while kill -0 $COMMAND; do sleep 0.05; done; echo >"$DIR/tidy"; exit' TERM; echo >"$DIR/ready"; while :; do sleep 0.05; done`
	c := Command{Line: `COMMAND=$$ sh -c "$CHILD" >/dev/null 2>&1 & until [ -e "$DIR/ready" ]; do sleep 0.05; done; echo on; wait`,
		Env: []string{"DIR=" + dir, "CHILD=" + child}, Tell: func([]string) { cancel() }}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "tidy")); err != nil {
		t.Error(err)
	}
}

// A command begins only after it was noted, is seen while it runs, and not after its end.
func TestBegan(t *testing.T) {
	file, why := filepath.Join(t.TempDir(), "ran"), errors.New("the disk is full")
	c := Command{Line: `echo >` + file + `; read -r line; echo "$line"`, Input: "hello\n"}
	c.Began = func(process.Group) error { return why }
	if _, _, err := run(t, t.Context(), c); !errors.Is(err, why) {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it ran although it was not noted")
	}
	var group process.Group
	c.Began = func(g process.Group) error {
		group = g
		if _, err := os.Stat(file); err == nil {
			t.Error("it ran before it was noted")
		}
		if seen := Look(g); seen.Life != process.Runs && g.Boot != "" {
			t.Errorf("%+v is seen as %+v", g, seen)
		}
		return nil
	}
	if lines, code, err := run(t, t.Context(), c); strings.Join(lines, "|") != "hello" || code != 0 || err != nil {
		t.Errorf("%q, exit %d, %v", lines, code, err)
	}
	if seen := Look(group); seen.Life != process.Ended && group.Boot != "" {
		t.Errorf("after its end: %+v", seen)
	}
}

// What a command leaves running is seen as the command itself.
func TestLookSeesTheWholeGroup(t *testing.T) {
	var group process.Group
	c := Command{Line: `sleep 600 >/dev/null 2>&1 & echo $!`, Began: func(g process.Group) error { group = g; return nil }}
	lines, _, err := run(t, t.Context(), c)
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	if seen := Look(group); seen.Life != process.Runs && group.Boot != "" {
		t.Errorf("%+v", seen)
	}
	if _, _, err := run(t, t.Context(), Command{Line: "kill " + lines[0]}); err != nil {
		t.Error(err)
	}
}
