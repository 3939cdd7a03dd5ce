package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// tally counts tests. A test with subtests is not one itself: only its subtests
// count, except where it fails though none of them did.
type tally struct{ passed, failed, skipped int }

var oneFailure = tally{failed: 1}

func (t *tally) add(other tally) {
	t.passed += other.passed
	t.failed += other.failed
	t.skipped += other.skipped
}

func (t tally) String() string {
	text := fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return text
}

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output
	Test       string
	Elapsed    float64
	Output     string
}

// counter follows the events of one `go test`, prints one line per package and
// everything that a failed test said.
type counter struct {
	out      io.Writer
	tally    tally
	packages map[string]*packageRun
	building map[string]string // what the compiler said, per import path
}

type packageRun struct {
	tests  map[string]*testRun
	output string // of no test in particular
	failed int
	passed int
	ended  bool
}

type testRun struct {
	began                   time.Time
	output                  string
	done, parent, childFail bool
}

func newCounter(out io.Writer) *counter {
	return &counter{out: out, packages: map[string]*packageRun{}, building: map[string]string{}}
}

func (c *counter) take(e event) {
	if e.Action == "build-output" {
		c.building[e.ImportPath] += e.Output
		return
	}
	if e.Package == "" {
		return
	}
	run := c.packages[e.Package]
	if run == nil {
		run = &packageRun{tests: map[string]*testRun{}}
		c.packages[e.Package] = run
	}
	if e.Test == "" {
		c.takePackage(e, run)
		return
	}
	test := run.tests[e.Test]
	if test == nil {
		test = &testRun{began: time.Now()}
		run.tests[e.Test] = test
		if up := parentOf(run, e.Test); up != nil {
			up.parent = true
		}
	}
	switch e.Action {
	case "output":
		test.output += e.Output
	case "pass", "fail", "skip":
		c.endTest(e, run, test)
	}
}

func parentOf(run *packageRun, name string) *testRun {
	slash := strings.LastIndexByte(name, '/')
	if slash < 0 {
		return nil
	}
	return run.tests[name[:slash]]
}

func (c *counter) endTest(e event, run *packageRun, test *testRun) {
	test.done = true
	switch {
	case e.Action == "fail":
		if up := parentOf(run, e.Test); up != nil {
			up.childFail = true
		}
		if !test.childFail {
			c.tally.failed++
			run.failed++
		}
		fmt.Fprint(c.out, test.output)
	case test.parent:
	case e.Action == "skip":
		c.tally.skipped++
	default:
		c.tally.passed++
		run.passed++
		c.printSeeds(test.output)
	}
	test.output = ""
}

var seedLine = regexp.MustCompile(`(?i)seed[ =][0-9]`)

// printSeeds shows what a random test needs to be run again, also where it went
// well: another machine may see what this one did not.
func (c *counter) printSeeds(output string) {
	for line := range strings.Lines(output) {
		if seedLine.MatchString(line) {
			fmt.Fprint(c.out, line)
		}
	}
}

func (c *counter) takePackage(e event, run *packageRun) {
	run.ended = run.ended || e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
	switch e.Action {
	case "output":
		run.output += e.Output
	case "pass":
		fmt.Fprintf(c.out, "ok    %-60s %4d tests %7.1fs\n", e.Package, run.passed, e.Elapsed)
	case "skip":
		// A package without tests is not worth a line.
	case "fail":
		c.endFailed(e, run)
	}
}

// endFailed counts a package that failed: tests that never came to an end, and
// one failure where no test is to blame (it did not compile, TestMain failed).
func (c *counter) endFailed(e event, run *packageRun) {
	for _, name := range sortedKeys(run.tests) {
		if test := run.tests[name]; !test.done && !test.parent {
			fmt.Fprintf(c.out, "%s--- FAIL: %s (did not end)\n", test.output, name)
			c.tally.failed++
			run.failed++
		}
	}
	if run.failed == 0 {
		c.tally.failed++
	}
	fmt.Fprint(c.out, run.output)
	fmt.Fprintf(c.out, "FAIL  %-60s %4d tests %7.1fs\n", e.Package, run.passed+run.failed, e.Elapsed)
}

// endCut ends what was killed before it could say how it went.
func (c *counter) endCut() {
	for _, path := range sortedKeys(c.packages) {
		if run := c.packages[path]; !run.ended {
			c.takePackage(event{Action: "fail", Package: path}, run)
		}
	}
}

// printBuildOutput shows what the compiler said, for a call that failed.
func (c *counter) printBuildOutput() {
	for _, path := range sortedKeys(c.building) {
		fmt.Fprint(c.out, c.building[path])
	}
}

// longest is the test that has been running longest, "" without one.
func (c *counter) longest() (name string, since time.Time) {
	for _, run := range c.packages {
		for test, state := range run.tests {
			if !state.done && !state.parent && (name == "" || state.began.Before(since)) {
				name, since = test, state.began
			}
		}
	}
	return name, since
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
