package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) rollbackCommand() *cobra.Command {
	c := &pastRun{Program: p, f: p.newFlags()}
	f := c.f
	cmd := &cobra.Command{
		Use:   "rollback RUN | --node NODE",
		Short: "Undo what a run did to nodes and budgets, and only that",
		Long: "Uncordons the nodes that the run cordoned, removes the temporary budgets that it created, and undoes the\n" +
			"replicas and out-of-service taints that the operator asked it for; its Leases are given back. What somebody\n" +
			"has changed since is left alone, and said. Pods that were evicted are not brought back. It refuses another\n" +
			"cluster than the run's, and a run that is live.\n\n" +
			"With --node it needs no journal: it undoes what the annotations of a run say, on these nodes and in the\n" +
			"temporary budgets with its label, by the same rules; it says whose run it was, since when and why.\n\n" +
			"Exit codes: 0 undone or nothing to undo, 1 error, 2 usage or wrong cluster, 4 something could not be\n" +
			"undone, 5 permission missing, 6 not confirmed, 128+n ended by signal n.",
		Example: p.examples(`
# Show what would be undone of a run, and undo it once that is confirmed
rollback k7f3pm
# Undo it from a script
rollback k7f3pm --yes
# Undo what the annotation on a node says, without the journal of its run
rollback --node worker-1`),
		ValidArgsFunction: completionOf(p).RunsOf(func(b live.Brief) bool { return !b.Live }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.marked) > 0 {
				return c.rollbackMarked(cmd, args)
			}
			return c.rollback(cmd, args)
		},
	}
	f.bindMarked(cmd)
	f.bindOptions(cmd.Flags(), "lease-namespace")
	f.bindYes(cmd.Flags(), "undo it instead of asking")
	f.bindProtected(cmd.Flags())
	return cmd
}

func (c *pastRun) rollback(cmd *cobra.Command, args []string) error {
	if err := c.checkRunArgs(cmd, args); err != nil {
		return err
	}
	if c.f.host(c.Program).Known(args[0]) {
		return c.rollbackRoll(cmd, args[0])
	}
	return c.rollbackRun(cmd, args[0])
}

func (c *pastRun) rollbackRun(cmd *cobra.Command, id string) error {
	r, err := c.deadRun(id)
	if err != nil {
		return err
	}
	return c.rollbackOf(cmd, &r.State.Run)
}

func (c *pastRun) rollbackOf(cmd *cobra.Command, run *drain.RunFacts) (err error) {
	c.listen(c.f.yes)
	ctx := cmd.Context()
	session, err := c.openOf(ctx, cmd, run, false)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := c.f.protect(ctx, c.Program, session, ""); err != nil {
		return err
	}
	b, err := session.Rollback(ctx, run.ID)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, b.Close()) }()
	return c.undo(ctx, b, session, c.f.yes)
}

// undo says what will be done and what is left, asks, and does it.
func (c *pastRun) undo(ctx context.Context, b *app.Rollback, session identified, yes bool) error {
	something := slices.ContainsFunc(b.Items, func(u rollback.Undo) bool { return u.Left == "" })
	c.tellRollback(b, session, something)
	if !something {
		fmt.Fprintln(c.Err, "nothing is left to undo for run "+b.State.Run.ID)
		return nil
	}
	if err := b.MayUndo(ctx); err != nil {
		return err
	}
	if !yes {
		if err := c.askFor(ctx, "Undo it?"); err != nil {
			return err
		}
	}
	failed := 0
	for _, u := range b.Items {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if u.Left != "" {
			continue
		}
		err := b.Undo(ctx, u)
		switch {
		case err == nil:
			fmt.Fprintln(c.Out, u.Undone())
		case u.Release != nil: // nothing is held up by it for long
			c.say(fmt.Sprintf("unable to %s: %v; it expires by itself", u.What, err))
		default:
			explain(c.Err, fmt.Errorf("unable to %s: %w", u.What, err))
			failed++
		}
	}
	if failed > 0 {
		return told(ExitPartly)
	}
	return nil
}

// tellRollback says what a rollback would do and what it leaves alone, on standard error.
func (c *pastRun) tellRollback(b *app.Rollback, session identified, something bool) {
	var todo, left strings.Builder
	for _, u := range b.Items {
		if u.Left != "" {
			fmt.Fprintf(&left, "  %s: %s\n", u.What, u.Left)
		} else {
			fmt.Fprintf(&todo, "  %s\n", u.What)
		}
	}
	run := &b.State.Run
	if something {
		c.say(fmt.Sprintf("To undo for run %s (by %s, %s, context %s):\n%s", run.ID, run.User,
			b.State.Started.UTC().Format(time.RFC3339), session.Identity().Context, todo.String()))
	}
	if left.Len() > 0 {
		c.say("Left as it is:\n" + left.String())
	}
	if gone := b.State.Progress("").Left; something && gone > 0 {
		c.say(format.Plural(gone, "pod that was evicted is", "pods that were evicted are") + " not brought back.\n")
	}
}

// say writes lines whose words may come from a cluster.
func (c *pastRun) say(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(c.Err, kube.Clean(strings.TrimSuffix(line, "\n")))
	}
}
