package rolling

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/dryrun"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/signals"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Host is what a command about rolls needs of the program that it is part of.
type Host struct {
	Runs    *app.Runs
	Program string // how the operator calls it
	Err     io.Writer
	// CanAsk reports whether there is somebody to ask; Listen begins to read what is typed, Ask puts a
	// question, AskFor one whose answer confirms.
	CanAsk func() bool
	Listen func(yes bool)
	Ask    func(put func()) <-chan string
	AskFor func(ctx context.Context, question string) error
	// Protect asks what a protected context needs.
	Protect func(ctx context.Context, s *app.Session, question string) error
	Output  func(s *app.Session) *print.Drain
	Signals *signals.Signals
	Exit    func(o drain.Outcome) error // with the code of an outcome
}

// Use, Short, Long and Examples are the help of the command.
const (
	Use   = "roll NODE..."
	Short = "Rolling maintenance: drain, work, back again and uncordon, batch by batch"
	Long  = `Maintains the nodes in batches. The nodes of a batch are drained by a run of its own, the work is done on
them by --work or by you, and they are uncordoned once they are Ready again. The next batch begins when the
workloads are as healthy as before the roll. A node that fails stays as it is, cordoned, and is named. The plan
and the batches are shown first; one confirmation, or --yes, stands for all of them.

A command gets the name of the node as NODE and the id of the roll as RUN in its environment; its exit code
decides. It is run by sh -c (on Windows by cmd /C) in a process group of its own, which is killed when the roll is
aborted. A roll whose process died goes on with resume; a command that was cut off is not run again without a
question or --rerun-work.

Exit codes: 0 all nodes are back, 1 error, 2 usage, 3 a node is refused and nothing was written, 4 a node
failed, 5 permission missing, 6 aborted, 128+n ended by signal n.`
	Examples = `
# Patch a pool two nodes at a time, never two zones at once
roll -l pool=web --batch=2 --by=topology.kubernetes.io/zone --work='ssh $NODE sudo patch' --expect-reboot --ignore-daemonsets --yes
# Do the work by hand: it asks after each drain
roll worker-1 worker-2 --ignore-daemonsets
# Begin batches at night only; show the plan first
roll -l pool=web --window="22:00-04:00 Europe/Berlin" --work=./patch.sh --ignore-daemonsets --dry-run=client`
)

// Judge judges the flags beside those of the drain, before anything connects.
func Judge(of roll.Options, o *plan.Options, parallelGiven, canAsk bool) error {
	parallel := o.MaxParallelNodes
	if *o = of.Drain(*o); parallelGiven {
		o.MaxParallelNodes = parallel
	}
	if err := of.Validate(); err != nil {
		return &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	if err := rolls.Check(of); err != nil {
		return &app.Error{Reason: app.ReasonUsage, Err: err}
	}
	if of.Work == "" && o.DryRun == plan.DryRunNone && !canAsk {
		return &app.Error{Reason: app.ReasonUsage, Hint: "add --work=COMMAND",
			Text: "without --work you are asked when the work is done, and there is no terminal to ask on; nothing was done"}
	}
	return nil
}

// Request is what a roll is asked for.
type Request struct {
	Session *app.Session
	Nodes   app.Selection
	Drain   plan.Options
	Roll    roll.Options
	Yes     bool
}

// New plans a roll, shows and confirms it, and follows it to its end.
func (h *Host) New(ctx context.Context, r Request) error {
	session := r.Session
	if r.Drain.DryRun == plan.DryRunNone {
		if err := h.Protect(ctx, session, ""); err != nil {
			return err
		}
	}
	steps := session.Drain(ctx, r.Nodes, r.Drain, app.Whole)
	steps.InBatches = true
	note, err := session.SettleEvictions(ctx, &r.Drain)
	if note != "" {
		fmt.Fprintln(h.Err, note)
	}
	if err != nil {
		return err
	}
	if err := session.MayRoll(ctx, r.Drain); err != nil {
		return err
	}
	planned, err := steps.Plan(ctx, r.Drain, preflight.Access{})
	if err != nil {
		return err
	}
	out := print.Roll{Drain: h.Output(session).Of(planned)}
	if len(planned.Nodes) == 0 {
		out.Nothing()
		return nil
	}
	if refused := planned.Refused(); len(refused) > 0 {
		out.Refusals(planned)
		out.Complain(format.Plural(len(refused), "node is",
			"nodes are") + " refused: the roll does not begin, nothing was changed")
		return h.Exit(drain.OutcomeRefused)
	}
	facts := rolls.Plan(session, planned, r.Roll)
	if r.Drain.DryRun != plan.DryRunNone {
		out.Batches(&facts)
		outcome, err := dryrun.Do(ctx, steps, planned, out.Drain)
		return cmp.Or(err, h.Exit(outcome))
	}
	if err := h.confirm(ctx, r, planned, &facts, out); err != nil {
		return err
	}
	h.Signals.Graceful.Store(true)
	live, err := rolls.Begin(ctx, session, facts)
	if err != nil {
		return err
	}
	if out.Out.Watched() {
		out.Note("roll %s: %s ctl %s status shows its progress, pause and abort steer it", facts.Run.ID, h.Program,
			facts.Run.ID)
	}
	return (&follower{h: h, roll: live, out: out, yes: r.Yes, by: facts.Run.User}).see(ctx)
}

// confirm shows the plan and the batches, and asks.
func (h *Host) confirm(ctx context.Context, r Request, planned plan.Plan, facts *roll.Facts, out print.Roll) error {
	if r.Yes {
		out.Findings(planned)
	} else {
		out.Preview(planned)
	}
	out.Batches(facts)
	if r.Yes {
		return nil
	}
	return h.AskFor(ctx, fmt.Sprintf("Drain and maintain %s, batch by batch?", format.Plural(len(facts.Run.Nodes),
		"node", "nodes")))
}
