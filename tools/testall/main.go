// Testall runs every test of the project, in all of its modules, starts the lab
// that some of them need, takes it down again whatever happens, and counts.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout))
}

func run(ctx context.Context, args []string, out io.Writer) int {
	flags := flag.NewFlagSet("testall", flag.ContinueOnError)
	root := flags.String("root", ".", "the checkout")
	only := flags.String("only", "", "steps to run, with commas between: "+strings.Join(stepNames(), ", ")+
		"; all by default")
	summary := flags.String("summary", "", "write the last line to this file too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintln(out, "testall:", err)
		return 2
	}
	rootDir, err := filepath.Abs(*root)
	if err != nil {
		fmt.Fprintln(out, "testall:", err)
		return 1
	}
	session := &session{root: rootDir, out: out}
	session.runAll(ctx, chosen)
	return session.conclude(*summary)
}

// choose turns the list of an -only flag into steps, in their own order.
func choose(only string) ([]step, error) {
	if only == "" {
		return steps, nil
	}
	names := strings.Split(only, ",")
	var chosen []step
	for _, step := range steps {
		if slices.Contains(names, step.name) {
			chosen = append(chosen, step)
		}
	}
	if len(chosen) != len(names) {
		return nil, fmt.Errorf("-only %s: the steps are %s", only, strings.Join(stepNames(), ", "))
	}
	return chosen, nil
}

// session is one call: what it works on and what came of it so far.
type session struct {
	root    string
	out     io.Writer // several lanes write to it at once
	scratch string    // removed at the end
	lab     *lab      // nil until a step needs it
	results []result
}

// result is what came of a step.
type result struct {
	name  string
	tally tally
	took  time.Duration
}

func (s *session) runAll(ctx context.Context, chosen []step) {
	scratch, err := os.MkdirTemp("", "kdrain-tui-test-")
	if err != nil {
		s.results = append(s.results, result{name: "set-up", tally: s.broken(err)})
		return
	}
	s.scratch = scratch
	defer os.RemoveAll(scratch)
	// Also after an interrupt, hence not with ctx.
	defer s.stopLab()
	for _, wave := range waves(chosen) {
		s.runWave(ctx, wave)
		if ctx.Err() != nil {
			s.results = append(s.results, result{name: "interrupted", tally: oneFailure})
			return
		}
	}
}

// runWave prepares all steps of a wave, one after another, as they share what they need.
// Then it runs the lanes beside each other. A step that cannot be prepared counts as one
// failure.
func (s *session) runWave(ctx context.Context, wave [][]step) {
	results := make([][]result, len(wave))
	for i, lane := range wave {
		for _, step := range lane {
			results[i] = append(results[i], s.timed(ctx, step, s.prepare))
		}
	}
	var lanes sync.WaitGroup
	for i, lane := range wave {
		lanes.Go(func() { s.runLane(ctx, lane, results[i]) })
	}
	lanes.Wait()
	s.results = append(s.results, slices.Concat(results...)...)
}

// runLane runs the steps that are prepared, and adds to their results.
func (s *session) runLane(ctx context.Context, lane []step, results []result) {
	for i, step := range lane {
		if results[i].tally.failed > 0 || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(s.out, "\n== %s: %s\n", step.name, step.about)
		ran := s.timed(ctx, step, s.run)
		results[i].tally.add(ran.tally)
		results[i].took += ran.took
	}
}

// doing is a part of what a step needs.
type doing func(context.Context, step) tally

// timed does something of a step, for as long as the step's patience lasts.
func (s *session) timed(ctx context.Context, step step, do doing) result {
	ctx, cancel := context.WithTimeout(ctx, step.patience)
	defer cancel()
	began := time.Now()
	return result{step.name, do(ctx, step), time.Since(began)}
}

func (s *session) prepare(ctx context.Context, step step) tally {
	if err := step.prepare(ctx, s); err != nil {
		return s.broken(err)
	}
	return tally{}
}

func (s *session) run(ctx context.Context, step step) tally {
	var sum tally
	for _, call := range step.calls {
		sum.add(s.goTest(ctx, call))
	}
	return sum
}

// broken reports a step that could not run; it counts as one failure.
func (s *session) broken(err error) tally {
	fmt.Fprintln(s.out, "FAILED:", err)
	return oneFailure
}

// conclude prints the table of steps and, last, the line that CI reads.
func (s *session) conclude(summary string) int {
	var sum tally
	fmt.Fprintln(s.out)
	for _, result := range s.results {
		sum.add(result.tally)
		fmt.Fprintf(s.out, "   %-12s %-40s %8s\n", result.name, result.tally, result.took.Round(time.Second))
	}
	fmt.Fprintf(s.out, "\n%s\n", sum)
	if summary != "" {
		if err := os.WriteFile(summary, []byte(sum.String()+"\n"), 0o644); err != nil {
			fmt.Fprintln(s.out, "testall:", err)
			return 1
		}
	}
	if sum.failed > 0 || sum.passed == 0 {
		return 1
	}
	return 0
}
