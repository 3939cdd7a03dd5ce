package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Handover: a run whose journal is on another machine, known by its annotations alone.

// checkMarkArgs judges a command line with --node before anything connects.
func (c *pastRun) checkMarkArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return usage("", "either a run or --node: %s %s", cmd.CommandPath(), strings.Join(args, " "))
	case c.connection.ReadOnly:
		return usage(c.line("plan")+" shows what is on a node", "--read-only forbids %s", cmd.Name())
	case !c.f.yes && !c.canAsk():
		return usage("add --yes to confirm", "there is no terminal to ask on; nothing was done")
	}
	return checkSelection(c.f.marked, "")
}

// sayMarked says whose run it is and what the annotations do not tell.
func (p *Program) sayMarked(m rollback.Marked, s *kube.Snapshot) {
	say := func(text string) { fmt.Fprintln(p.Err, kube.Clean(text)) }
	say("The annotations are of " + m.Sentence())
	if len(m.Others) > 0 {
		say("The same run has cordoned " + strings.Join(m.Others, ", ") + " too: add --node for each to be included")
	}
	if state := s.Sync(kube.KindBudgets); state.Phase == kube.Denied {
		say("Warning: budgets cannot be listed: whether the run left temporary ones is not known")
	}
	if state := s.Sync(kube.KindLeases); state.Phase == kube.Denied {
		say("Warning: Leases cannot be read: whether the run is live on another machine is not known")
	}
	if p.runs.Lives()(m.Mark.Run) == tempbudget.RunDead {
		say("Its journal is on this machine and has more details: see " + p.display() + " report " + m.Mark.Run)
	}
}

// rollbackMarked undoes what the annotations on nodes say, by the rules of rollback.
func (c *pastRun) rollbackMarked(cmd *cobra.Command, args []string) error {
	if err := c.checkMarkArgs(cmd, args); err != nil {
		return err
	}
	c.listen(c.f.yes)
	ctx := cmd.Context()
	session, err := c.open(ctx, app.ConnectOptions{
		ChunkSize: runPageSize, Nodes: app.Selection{Args: c.f.marked}.Names(), LeaseNamespace: c.f.LeaseNamespace,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
		return err
	}
	handover, err := session.Handover(ctx, c.f.marked)
	if err != nil {
		return err
	}
	b, err := handover.Rollback()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // nothing was written
	c.sayMarked(handover.Marked, session.Snapshot())
	if err := handover.Over(ctx); err != nil {
		return err
	}
	b.Plan()
	return c.undo(ctx, b, session, c.f.yes)
}

// predecessors are the dead runs whose nodes the drain takes over, by resume --node or by --take-over.
func (c *draining) predecessors(ctx context.Context, session *app.Session, args []string, o *plan.Options) (
	[]*app.Handover, error) {
	if !c.f.takesUp {
		return session.Abandoned(ctx, c.f.selection(args), o)
	}
	h, err := session.Handover(ctx, args)
	return []*app.Handover{h}, err
}

// takeUp undoes the temporary budgets and surges of the predecessors before the plan is made. The drain keeps their
// reason if it has none of its own, and its cordon replaces their annotations.
func (c *draining) takeUp(ctx context.Context, session *app.Session, args []string, o *plan.Options) error {
	handovers, err := c.predecessors(ctx, session, args, o)
	if err != nil {
		return err
	}
	for _, h := range handovers {
		c.sayMarked(h.Marked, session.Snapshot())
		if err := h.Over(ctx); err != nil {
			return err
		}
		o.Reason = cmp.Or(o.Reason, h.Marked.Mark.Reason)
		if err := h.MayUndo(ctx); err != nil {
			return err
		}
		for _, u := range h.Undos() {
			fmt.Fprintln(c.Err, kube.Clean("first: "+u.What))
		}
		if !c.f.yes {
			if err := c.askFor(ctx, "Drain its nodes in a new run?"); err != nil {
				return err
			}
		}
		if err := h.Undo(ctx, func(u rollback.Undo) { c.printer(c.f).Line("", u.Undone()) }); err != nil {
			return err
		}
	}
	return nil
}

// resumeMarked drains the nodes of a run whose journal is elsewhere, in a new run that takes its annotations over.
func (c *pastRun) resumeMarked(cmd *cobra.Command, args []string) error {
	if err := c.checkMarkArgs(cmd, args); err != nil {
		return err
	}
	c.f.takesUp = true
	return (&draining{Program: c.Program, f: c.f}).drain(cmd, c.f.marked)
}

func (f *flags) bindMarked(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.marked, "node", nil,
		"a node that carries the annotation of a run, instead of the run's id; may be given more than once")
}

func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// onlyWithMarked refuses the flags of a drain where a run is resumed: it keeps its own options.
func (f *flags) onlyWithMarked(fs *pflag.FlagSet, ofDrain []string) error {
	for _, name := range ofDrain {
		if len(f.marked) == 0 && fs.Changed(name) {
			return usage("", "a run is resumed with the options that it had: --%s is for --node only", name)
		}
	}
	return nil
}
