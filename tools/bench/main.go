// Bench runs the benchmarks of the main module and measures the program itself.
// Every result is a line of its own: name, value, unit. With -page it writes such lines
// into the page of figures instead.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// starts is how often the program is started; the median counts.
const starts = 21

func main() {
	root := flag.String("root", ".", "the checkout")
	program := flag.String("program", "", "the program to measure")
	page := flag.String("page", "", "write the results on standard input into this page, and measure nothing")
	at := flag.String("at", "", "what was measured, for the page: the commit, the machine")
	flag.Parse()
	var err error
	if *page != "" {
		err = refreshPage(*page, *at, os.Stdin)
	} else {
		err = run(*root, *program, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(root, program string, out io.Writer) error {
	if program != "" {
		if err := measureProgram(program, out); err != nil {
			return err
		}
	}
	return runBenchmarks(root, out)
}

func measureProgram(program string, out io.Writer) error {
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	var took []time.Duration
	for range starts {
		began := time.Now()
		if text, err := exec.Command(program, "--help").CombinedOutput(); err != nil {
			return fmt.Errorf("%s --help: %w: %s", program, err, text)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	fmt.Fprintf(out, "program/size %.1f MB\n", float64(info.Size())/1e6)
	fmt.Fprintf(out, "program/help %.1f ms\n", float64(took[len(took)/2].Microseconds())/1e3)
	return nil
}

// runBenchmarks passes results on as they come; whatever else the tests say goes
// to standard error.
func runBenchmarks(root string, out io.Writer) error {
	cmd := exec.Command("go", "test", "-run=^$", "-bench=.", "-benchmem", "-timeout=30m", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var pkg string
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		line := lines.Text()
		if name, found := packageOf(line); found {
			pkg = name
			continue
		}
		results := resultsOf(pkg, line)
		if len(results) == 0 && !isChatter(line) {
			fmt.Fprintln(os.Stderr, line)
		}
		for _, result := range results {
			fmt.Fprintln(out, result)
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go test -bench: %w", err)
	}
	return nil
}
