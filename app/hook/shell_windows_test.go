package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// program is the command line of the program that TestProgram is.
func program(t *testing.T, env ...string) Command {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Line: `"` + path + `" -test.run=^TestProgram$`, Env: append(env, "AS_PROGRAM=1")}
}

// With SERVE in its environment it serves until it is killed; else it prints what it gets and fails.
func TestProgram(*testing.T) {
	switch {
	case os.Getenv("AS_PROGRAM") == "":
	case os.Getenv("SERVE") != "":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		fmt.Println(l.Addr(), err)
		for {
			_, _ = l.Accept()
		}
	default:
		input, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%s %s", os.Getenv("NODE"), input)
		os.Exit(3)
	}
}

func TestRun(t *testing.T) {
	c := program(t, "NODE=a")
	c.Input = "hello\r\nrest"
	lines, code, err := run(t, t.Context(), c)
	if err != nil || code != 3 || strings.Join(lines, "|") != "a hello|rest" {
		t.Errorf("%q, exit %d, %v", lines, code, err)
	}
}

// A command begins only after it was noted.
func TestBegan(t *testing.T) {
	// Not in a folder of the test: wine cannot remove one as Go does.
	file, why := filepath.Join(os.TempDir(), fmt.Sprintf("began-%d", os.Getpid())), errors.New("the disk is full")
	t.Cleanup(func() { _ = os.Remove(file) })
	c := Command{Line: "echo on>" + file, Began: func(process.Group) error { return why }}
	if _, _, err := run(t, t.Context(), c); !errors.Is(err, why) {
		t.Error(err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it ran although it was not noted")
	}
	c.Began = func(process.Group) error {
		if _, err := os.Stat(file); err == nil {
			t.Error("it ran before it was noted")
		}
		return nil
	}
	if _, code, err := run(t, t.Context(), c); code != 0 || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// What a command started ends with it: the program is the child of a shell.
func TestRunEndsTheJob(t *testing.T) {
	why := errors.New("the operator left")
	ctx, cancel := context.WithCancelCause(t.Context())
	c, told := program(t, "SERVE=1"), ""
	c.Tell = func(lines []string) { told = lines[0]; cancel(why) }
	if _, err := Run(ctx, c); !errors.Is(err, why) {
		t.Error(err)
	}
	address, _, _ := strings.Cut(told, " ")
	if connection, err := net.Dial("tcp", address); err == nil {
		t.Errorf("%s is still served: %v", address, connection.Close())
	}
}

func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "",
		"exit 3":                    "",
		"ECHO. on":                  "",
		"if exist a (nowhere)":      "",
		"@nowhere":                  "",
		`"%NODE%\nowhere"`:          "",
		"cmd /C exit":               "",
		"nowhere-to-be-found --yes": "there is no command nowhere-to-be-found here",
		` .\nowhere.bat {node}`:     `there is no command .\nowhere.bat here`,
	} {
		err := Check(line)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
	t.Setenv("PATH", "")
	if err := Check("exit"); err == nil || !strings.Contains(err.Error(), "no shell") {
		t.Errorf("without a shell: %v", err)
	}
}
