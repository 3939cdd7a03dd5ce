package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// module writes a Go module of its own and returns a session on it.
func module(t *testing.T, files map[string]string) (*session, *strings.Builder) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.test/m\n\ngo 1.26.0\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	scratch := t.TempDir()
	// The go command counts what it does in a process of its own, which writes there beyond the end of a test.
	telemetry := filepath.Join(scratch, "config", "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &session{root: dir, out: &out, scratch: scratch}, &out
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestCountsWhatHappened(t *testing.T) {
	const top = "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n"
	for _, test := range []struct {
		what, body string
		want       tally
		says       string
	}{
		{"leaves only", `func TestA(t *testing.T) { for _, n := range []string{"x", "y"} { t.Run(n, func(t *testing.T) {}) } }
func TestB(t *testing.T) {}`, tally{passed: 3}, "3 tests"},
		{"a subtest fails", `func TestA(t *testing.T) { t.Run("x", func(t *testing.T) {}); t.Run("y", func(t *testing.T) { t.Error("so bad") }) }`,
			tally{passed: 1, failed: 1}, "so bad"},
		{"the parent alone fails", `func TestA(t *testing.T) { t.Run("x", func(t *testing.T) {}); t.Error("later") }`,
			tally{passed: 1, failed: 1}, "later"},
		{"random", `func TestA(t *testing.T) { t.Log("X_SEED=7"); t.Log("chatter") }`, tally{passed: 1}, "X_SEED=7"},
		{"skipped", `func TestA(t *testing.T) { t.Skip("not today") }`, tally{skipped: 1}, ""},
		{"panic", `func TestA(t *testing.T) {}
func TestB(t *testing.T) { panic("ouch") }
func TestC(t *testing.T) {}`, tally{passed: 1, failed: 1}, "ouch"},
		{"ends the process", `func TestA(t *testing.T) {}
func TestB(t *testing.T) { os.Exit(3) }`, tally{passed: 1, failed: 1}, "did not end"},
		{"does not compile", `func TestA(t *testing.T) { nonsense() }`, tally{failed: 1}, "undefined: nonsense"},
		{"TestMain fails", `func TestA(t *testing.T) {}
func TestMain(m *testing.M) { m.Run(); os.Exit(1) }`, tally{passed: 1, failed: 1}, "FAIL"},
		{"no tests", ``, tally{}, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			s, out := module(t, map[string]string{"m_test.go": top + "func helper(t *testing.T) {}\n" + test.body})
			got := s.goTest(testContext(t), call{module: ".", args: []string{"./..."}})
			if got != test.want || !strings.Contains(out.String(), test.says) {
				t.Errorf("got %v, want %v, in:\n%s", got, test.want, out)
			}
		})
	}
}

func TestWrongCallCountsAsFailure(t *testing.T) {
	s, out := module(t, map[string]string{})
	if got := s.goTest(testContext(t), call{module: ".", args: []string{"./missing"}}); got != oneFailure {
		t.Errorf("got %v: %s", got, out)
	}
}

func TestWhatIsCutShortIsNamed(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	s, out := module(t, map[string]string{
		"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestQuick(t *testing.T) {}\n" +
			"func TestSlow(t *testing.T) { t.Log(\"half way\"); os.Mkdir(" + strconv.Quote(there) + ", 0o755); time.Sleep(time.Hour) }\n",
	})
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	go func() { // it is built first, which takes as long as it takes
		for ctx.Err() == nil {
			if _, err := os.Stat(there); err == nil {
				cancel()
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	got := s.goTest(ctx, call{module: ".", args: []string{"./..."}})
	if want := (tally{passed: 1, failed: 1}); got != want || !strings.Contains(out.String(), "half way") ||
		!strings.Contains(out.String(), "TestSlow (did not end)") {
		t.Errorf("got %v, want %v, in:\n%s", got, want, out)
	}
}

func TestOnlyTaggedTestsAreSelected(t *testing.T) {
	s, out := module(t, map[string]string{
		"a/a_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestPlain(t *testing.T) { t.Error() }\n",
		"a/lab_test.go": "//go:build lab\n\npackage a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\nfunc TestTwo(t *testing.T) {}\n",
		"b/b_test.go":   "package b\n\nimport \"testing\"\n\nfunc TestPlain(t *testing.T) { t.Error() }\n",
	})
	selection, err := s.selectTagged(testContext(t), s.root, "lab")
	if want := []string{"-run=^(TestOne|TestTwo)$", "example.test/m/a"}; err != nil || !slices.Equal(selection, want) {
		t.Errorf("got %q, %v, want %q", selection, err, want)
	}
	got := s.goTest(testContext(t), call{module: ".", args: labArgs("lab"), taggedOnly: "lab"})
	if want := (tally{passed: 2}); got != want {
		t.Errorf("got %v, want %v: %s", got, want, out)
	}
}

func TestLastLineAndExitCode(t *testing.T) {
	for _, test := range []struct {
		tally tally
		line  string
		code  int
	}{
		{tally{passed: 3}, "3 passed, 0 failed", 0},
		{tally{passed: 3, failed: 1, skipped: 2}, "3 passed, 1 failed, 2 skipped", 1},
		{tally{}, "0 passed, 0 failed", 1}, // nothing ran: nothing is proved
	} {
		var out strings.Builder
		file := filepath.Join(t.TempDir(), "summary")
		s := session{out: &out, results: []result{{"unit", test.tally, time.Second}}}
		code := s.conclude(file)
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if code != test.code || string(written) != test.line+"\n" || !strings.HasSuffix(out.String(), "\n"+test.line+"\n") {
			t.Errorf("exit %d, file %q, output %q", code, written, out.String())
		}
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("e2e,unit")
	if err != nil || len(chosen) != 2 || chosen[0].name != "unit" || chosen[1].name != "e2e" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if _, err := choose("unit,typo"); err == nil || !strings.Contains(err.Error(), "the steps are unit") {
		t.Errorf("got %v", err)
	}
}

// Each of two lanes has a step that ends only when the other's has begun, and the last step
// of one comes after its first.
func TestLanesRunBesideEachOther(t *testing.T) {
	s, _ := module(t, map[string]string{
		"meet":  "#!/bin/sh\ntouch \"$1\"; until [ -e \"$2\" ]; do sleep 0.05; done\n",
		"after": "#!/bin/sh\n[ -e one ] && [ -e two ]\n",
	})
	out, err := os.Create(filepath.Join(s.scratch, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s.out = out
	for _, program := range []string{"meet", "after"} {
		if err := os.Chmod(filepath.Join(s.root, program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stepOf := func(name, lane string, prepare error, argv ...string) step {
		return step{
			name: name, lane: lane, calls: []call{{program: argv}}, patience: time.Minute,
			prepare: func(context.Context, *session) error { return prepare },
		}
	}
	s.runAll(testContext(t), []step{
		stepOf("first", "a", nil, "meet", "one", "two"),
		stepOf("never", "a", errors.New("nothing to run it with"), "missing"),
		stepOf("last", "a", nil, "after"),
		stepOf("other", "b", nil, "meet", "two", "one"),
	})
	want := map[string]tally{"first": {passed: 1}, "never": oneFailure, "last": {passed: 1}, "other": {passed: 1}}
	for _, result := range s.results {
		if result.tally != want[result.name] {
			t.Errorf("%s: %v, want %v", result.name, result.tally, want[result.name])
		}
	}
	if len(s.results) != len(want) {
		t.Errorf("%d results, want %d", len(s.results), len(want))
	}
}
