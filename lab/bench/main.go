// Bench lets kubectl drain and kdrain-tui drain the same workloads on the same
// lab and compares them by the clock and by the API server's audit log. Every
// result is a line of its own: name, value, unit. Every bar of the design is a
// line too: bar, name, ok or missed. It fails only where it cannot measure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// settings are what the command line says.
type settings struct {
	kdrain, lab, dir string
	only, tools      string
	rounds           int
	trace            bool
}

func main() {
	var s settings
	flag.StringVar(&s.kdrain, "kdrain", os.Getenv("KDRAIN_BIN"), "the kdrain-tui to measure")
	flag.StringVar(&s.lab, "lab", os.Getenv("KDRAIN_LAB"), "the program that starts a lab")
	flag.StringVar(&s.dir, "dir", "", "folder of a lab to use and leave running; empty: one of its own")
	flag.StringVar(&s.only, "only", "", "names of workloads, managed, large, outage, with commas; empty: all")
	flag.StringVar(&s.tools, "tools", "", "names of tools, with commas; empty: both")
	flag.IntVar(&s.rounds, "rounds", 1, "how often each tool drains each workload; the medians count")
	flag.BoolVar(&s.trace, "trace", false, "where the time went, on standard error")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings, out, log io.Writer) error {
	if s.kdrain == "" {
		return errors.New("which kdrain-tui is to be measured? Name it by -kdrain or KDRAIN_BIN")
	}
	if slices.ContainsFunc(workloads, func(w workload) bool { return listed(s.only, w.name) }) {
		if err := measureWorkloads(ctx, s, out, log); err != nil {
			return err
		}
	}
	if listed(s.only, managedName) {
		if err := measureManaged(ctx, s, out, log); err != nil {
			return err
		}
	}
	if listed(s.only, largeName) {
		if err := measureLarge(ctx, s, out, log); err != nil {
			return err
		}
	}
	if listed(s.only, outageName) {
		return measureOutage(ctx, s, out, log)
	}
	return nil
}

func measureWorkloads(ctx context.Context, s settings, out, log io.Writer) (err error) {
	r, err := rig.Start(ctx, s.lab, s.dir, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	m, err := startMeter(r)
	if err != nil {
		return err
	}
	defer m.relay.Close()
	theatre := stage{client: r.Client}
	if err := theatre.makeNamespace(ctx); err != nil {
		return err
	}
	// A lab that stays is left as empty as it was found, also after an interrupt.
	defer func() { err = errors.Join(err, theatre.clear(context.WithoutCancel(ctx))) }()
	both := slices.DeleteFunc(tools(r, s.kdrain), func(t tool) bool { return !listed(s.tools, t.name) })
	// kubectl keeps what it has learned of the server, as at any operator's.
	if _, err := r.Call(ctx, r.Kubectl(), "get", "nodes"); err != nil {
		return err
	}
	turn := 0
	for _, w := range workloads {
		if !listed(s.only, w.name) {
			continue
		}
		results := map[string][]drained{}
		for range s.rounds {
			// Neither tool always has the lab that the other one has warmed up.
			order := slices.Clone(both)
			if turn++; turn%2 == 0 {
				slices.Reverse(order)
			}
			for _, t := range order {
				d, err := measure(ctx, r, m, w, t)
				if err != nil {
					return err
				}
				fmt.Fprintf(log, "bench: %s by %s in %.2f s\n", w.name, t.name, d.result.Took().Seconds())
				if d.failed != "" {
					fmt.Fprintf(log, "bench: that failed: %s\n", d.failed)
				}
				if s.trace {
					d.trace(log)
				}
				results[t.name] = append(results[t.name], d)
			}
		}
		print(out, w, results)
	}
	return nil
}

// listed tells whether the name is in the list; an empty list has every name.
func listed(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}
