// Soak lets kdrain-tui drain random worlds with random flags on a real control
// plane, and judges each run by the API server's audit log and by a film of
// every pod and budget. It fails if anything is wrong with any run, and prints
// what is needed to see it again.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/rig"
)

// settings are what the command line says.
type settings struct {
	kdrain, lab, dir, keep string
	runs, kills, only      int
	seed                   uint64
	every                  kinds
}

// kinds are what every world has, whatever else it is.
type kinds struct{ surges, rolls bool }

func main() {
	if len(os.Args) > 1 && os.Args[1] == traceWord {
		os.Exit(leaveTrace(os.Args[2:]))
	}
	var s settings
	flag.StringVar(&s.kdrain, "kdrain", os.Getenv("KDRAIN_BIN"), "the kdrain-tui to judge")
	flag.StringVar(&s.lab, "lab", os.Getenv("KDRAIN_LAB"), "the program that starts a lab")
	flag.StringVar(&s.dir, "dir", "", "folder of a lab to use and leave running; empty: one of its own")
	flag.StringVar(&s.keep, "keep", "", "folder for the evidence of runs that went wrong; empty: a new one")
	flag.IntVar(&s.runs, "n", 50, "how many runs")
	flag.IntVar(&s.kills, "kills", 0, "after them, how many runs are killed, resumed or rolled back")
	flag.IntVar(&s.only, "run", 0, "only the run of this number, from 1; 0: all")
	flag.Uint64Var(&s.seed, "seed", 0, "makes the worlds; 0: a random one")
	flag.BoolVar(&s.every.surges, "surge", false, "let the replacements start first in every run")
	flag.BoolVar(&s.every.rolls, "roll", false, "let every run be one of a roll")
	flag.Parse()
	// Under nohup its runs would inherit that a hangup is ignored; a signal with a
	// handler is back at its default in a child.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func soak(ctx context.Context, s settings, out io.Writer) (err error) {
	if s.kdrain == "" {
		return errors.New("which kdrain-tui is to be judged? Name it by -kdrain or KDRAIN_BIN")
	}
	if s.seed == 0 {
		s.seed = rand.Uint64N(1 << 32)
	}
	fmt.Fprintf(out, "soak: seed %d\n", s.seed)
	r, err := rig.Start(ctx, s.lab, s.dir, os.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	if err := (builder{client: r.Client}).empty(ctx); err != nil {
		return err
	}
	if err := grantRights(ctx, r.Client); err != nil {
		return err
	}
	t := &trial{settings: s, rig: r, out: out}
	for run := 1; err == nil && run <= s.runs; run++ {
		err = t.run(ctx, newWorld(s.seed, run, s.every))
	}
	for run := 1; err == nil && run <= s.kills; run++ {
		err = t.run(ctx, newKilledWorld(s.seed, run, s.every))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "soak: seed %d: %d runs, %d wrong; %s\n", s.seed, t.done, t.wrong, t.sums)
	if t.wrong > 0 {
		return fmt.Errorf("%d of %d runs are wrong", t.wrong, t.done)
	}
	return nil
}

// trial is all runs of a seed.
type trial struct {
	settings
	rig         *rig.Rig
	out         io.Writer
	done, wrong int
	sums        tally
}

// run judges one run and says what came of it.
func (t *trial) run(ctx context.Context, w world) error {
	if t.only != 0 && w.Run != t.only {
		return nil
	}
	e, err := judge(ctx, t.rig, t.settings, w)
	if err != nil {
		return fmt.Errorf("run %d of seed %d: %w", w.Run, t.seed, err)
	}
	t.done++
	t.sums.add(e)
	fmt.Fprintln(t.out, e.summary(t.seed))
	if len(e.wrong) == 0 {
		return nil
	}
	t.wrong++
	return e.keep(t.out, &t.settings)
}

// judge makes a world, drains it, and checks what came of it.
func judge(ctx context.Context, r *rig.Rig, s settings, w world) (*evidence, error) {
	b := builder{client: r.Client}
	detach := func() error { return nil }
	if len(w.drivers()) > 0 {
		var err error
		if detach, err = r.Attacher(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err := errors.Join(b.clear(context.WithoutCancel(ctx), w), detach()); err != nil {
			fmt.Fprintf(os.Stderr, "soak: run %d: clear away: %v\n", w.Run, err)
		}
	}()
	if err := b.build(ctx, w); err != nil {
		return nil, err
	}
	e := &evidence{world: w}
	var err error
	if e.before, err = b.dump(ctx, w); err != nil {
		return nil, err
	}
	release, err := b.admit(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(e.record(ctx, r, b, s.kdrain), release()); err != nil {
		return nil, err
	}
	if len(e.wrong) == 0 {
		e.check()
	}
	return e, e.checkScales(ctx, b, e.before)
}

// record lets the run happen, and notes all that there is to see of it.
func (e *evidence) record(ctx context.Context, r *rig.Rig, b builder, kdrain string) error {
	begin, run := film.Record, e.run
	if k := e.world.Killing; k != nil {
		run = e.runKilled
		if k.Fault != nil {
			begin = film.RecordThroughFaults
		}
	}
	recording, err := begin(ctx, r.Client)
	if err != nil {
		return err
	}
	defer recording.Stop()
	attachments, err := b.filmAttachments(ctx)
	if err != nil {
		return err
	}
	defer attachments.stop()
	offset, err := audit.End(r.AuditLog())
	if err != nil {
		return err
	}
	felt := feel(ctx, func(ctx context.Context) error {
		_, err := r.Client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err
	})
	err = run(ctx, r, b, kdrain)
	e.stall = felt.end()
	if err != nil && !errors.Is(err, errStuck) {
		return err
	}
	// Changes right after the end say whether the report was true.
	time.Sleep(300 * time.Millisecond)
	if err := recording.CatchUp(ctx); err != nil {
		return err
	}
	if e.attachments, err = attachments.end(); err != nil && len(e.world.drivers()) > 0 {
		return err
	}
	requests, _, err := audit.Read(r.AuditLog(), offset)
	if err != nil {
		return err
	}
	e.requests, e.pods, e.budgets = audit.Of(requests, "kdrain-tui"), recording.Pods(), recording.Budgets()
	return nil
}

// beginAndEnd is how long a process may take for what no timeout counts, on a busy
// machine.
const beginAndEnd = 90 * time.Second

// run drains while things happen.
func (e *evidence) run(ctx context.Context, r *rig.Rig, b builder, kdrain string) error {
	// A node after the other, each up to its timeout, and time to begin and end.
	limit := time.Duration(len(e.world.Targets))*e.world.Timeout + beginAndEnd
	calling, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	happened := make(chan error, 1)
	happening, stop := context.WithCancel(ctx)
	go func() { happened <- b.happen(happening, e.world) }()
	steers := steer(happening, r, b, kdrain, e.world)
	p, err := r.Begin(calling, steers.line, kdrain, e.args()...)
	if err == nil {
		e.result, err = p.Wait()
	}
	stop()
	e.steered = steers.end()
	if failed := <-happened; failed != nil {
		return failed
	}
	switch {
	case ctx.Err() != nil:
		return err
	case calling.Err() != nil:
		e.accuse("it had not ended after %s", limit)
	case err != nil:
		return err
	}
	return nil
}

func (e *evidence) args() []string {
	args := slices.Concat([]string{"drain", "--yes", "-o", "json"}, e.world.as(), e.world.Flags)
	if e.world.Roll != nil {
		args = slices.Concat([]string{"roll", "--yes", "-o", "json"}, e.world.Flags,
			e.world.Roll.args(e.world, e.ordeal.roll.trace))
	}
	return append(args, e.world.Targets...)
}

func (e *evidence) summary(seed uint64) string {
	outcome := "?"
	if e.said.report != nil {
		outcome = e.said.report.Outcome
	}
	verdict := "ok"
	if len(e.wrong) > 0 {
		verdict = "WRONG"
	}
	if e.ordeal != nil {
		return e.summaryKilled(verdict, seed)
	}
	return fmt.Sprintf("run %3d %-5s %-8s %5.1f s  %d nodes, %d pods, %d budgets, %d happenings, %d words%s  %s",
		e.world.Run, verdict, outcome, e.result.Took().Seconds(), len(e.world.Targets), len(e.said.planned),
		len(e.world.Budgets), len(e.world.Happenings), len(e.steered), e.world.adversity(),
		strings.Join(e.world.Flags, " "))
}

// keep says what is wrong and writes down everything that is known of the run.
func (e *evidence) keep(out io.Writer, s *settings) error {
	for _, text := range e.wrong {
		fmt.Fprintf(out, "  wrong: %s\n", text)
	}
	fmt.Fprintf(out, "  the machine made us wait for up to %s\n", e.stall)
	if s.keep == "" {
		dir, err := os.MkdirTemp("", "kdrain-soak-")
		if err != nil {
			return fmt.Errorf("make a folder for the evidence: %w", err)
		}
		s.keep = dir
	}
	dir := filepath.Join(s.keep, fmt.Sprintf("seed-%d-run-%d", s.seed, e.world.Run))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder for the evidence: %w", err)
	}
	for name, content := range map[string]any{
		"world.json": e.world, "requests.json": e.requests, "pods.json": e.pods, "budgets.json": e.budgets,
		"attachments.json": e.attachments, "wrong.json": e.wrong,
		"stdout.jsonl": e.result.Out, "stderr.txt": e.result.Err, "args.txt": strings.Join(e.args(), " "),
		"words.json": e.steered, "calls.json": e.calls(), "former.jsonl": e.formerText(),
		"journal.jsonl": e.journalText(), "roll.json": e.rollEvidence(),
	} {
		text, isText := content.(string)
		data := []byte(text)
		if !isText {
			var err error
			if data, err = json.MarshalIndent(content, "", " "); err != nil {
				return fmt.Errorf("write down %s: %w", name, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return fmt.Errorf("write down %s: %w", name, err)
		}
	}
	which := fmt.Sprintf("-n %d", e.world.Run)
	if k := e.world.Killing; k != nil && len(k.Moments) > 0 {
		which = fmt.Sprintf("-n 0 -kills %d", e.world.Run)
	}
	for name, is := range map[string]bool{" -surge": s.every.surges, " -roll": s.every.rolls} {
		if is {
			which += name
		}
	}
	fmt.Fprintf(out, "  the evidence is in %s; again: go run ./soak -seed %d %s -run %d\n", dir, s.seed, which,
		e.world.Run)
	return nil
}
