package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) rollbackCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "rollback RUN | --node NODE",
		Short: "Undo what a run did to nodes and budgets, and only that",
		Long: "Uncordons the nodes that the run cordoned, removes the temporary budgets that it made, and takes back the\n" +
			"replicas and out-of-service taints that the operator asked it for; its Leases are given back. What somebody\n" +
			"has changed since is left alone, and said. Pods that have left are not brought back. It refuses another\n" +
			"cluster than the run's, and a run that is live.\n\n" +
			"With --node it needs no journal: it undoes what the marks of a run say, on these nodes and in the\n" +
			"temporary budgets with its label, by the same rules; it says whose run it was, since when and why.\n\n" +
			"Exit codes: 0 undone or nothing to undo, 1 error, 2 usage or wrong cluster, 4 something could not be\n" +
			"undone, 5 permission missing, 6 not confirmed, 128+n ended by signal n.",
		Example:           p.examples("rollback k7f3pm", "rollback k7f3pm --yes", "rollback --node worker-1"),
		ValidArgsFunction: p.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.marked) > 0 {
				return p.rollbackMarked(cmd, f, args)
			}
			return p.rollback(cmd, f, args)
		},
	}
	f.bindMarked(cmd)
	f.bindOptions(cmd.Flags(), "lease-namespace")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "undo it instead of asking")
	return cmd
}

func (p *Program) rollback(cmd *cobra.Command, f *flags, args []string) (err error) {
	if err := p.checkRunArgs(cmd, f, args); err != nil {
		return err
	}
	r, err := p.deadRun(args[0])
	if err != nil {
		return err
	}
	p.listen(f.yes)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.openOf(ctx, cmd, &r.state.Run)
	if err != nil {
		return err
	}
	defer cluster.Close()
	// The lock keeps a resume away until the end; nothing is written to it.
	journal, events, err := p.takeJournal(args[0])
	if err != nil {
		return err
	}
	defer func() {
		if failed := journal.Close(); err == nil {
			err = failed
		}
	}()
	b := &rollbacker{p: p, cluster: cluster, state: drain.Fold(nil, events...)}
	if err := b.look(ctx); err != nil {
		return err
	}
	return b.undo(ctx, f.yes)
}

// rollbacker takes back what one run did.
type rollbacker struct {
	p       *Program
	cluster *Cluster
	state   *drain.State
	source  drain.Source
	plan    []drain.Undo
}

// look reads the cluster as it is now and plans.
func (b *rollbacker) look(ctx context.Context) error {
	kinds, rules := []kube.Kind{kube.KindNodes}, []kube.Permission{{Verb: "get", Resource: "nodes"}}
	if b.budgetsOpen() {
		kinds = append(kinds, kube.KindBudgets)
		rules = append(rules, kube.Permission{Verb: "list", Group: "policy", Resource: "poddisruptionbudgets"})
	}
	if b.state.LeasesMayStand() {
		kinds = append(kinds, kube.KindLeases)
	}
	moreKinds, moreRules := b.scalesOpen()
	kinds, rules = append(kinds, moreKinds...), append(rules, moreRules...)
	if b.state.Run.Options.LeaseNamespace != "" {
		kinds = append(kinds, kube.KindLeases)
	}
	if err := checkAccess(ctx, b.cluster, rules); err != nil {
		return err
	}
	b.source = b.cluster.Watch(ctx, kinds...)
	snapshot, err := waitSynced(ctx, b.source, kinds, b.p.Err)
	if err != nil {
		return err
	}
	if err := b.scalesSeen(snapshot); err != nil {
		return err
	}
	if b.budgetsOpen() && snapshot.Sync(kube.KindBudgets).Phase == kube.Denied {
		// Absence from a list that may not be read is not "gone".
		return &failure{code: ExitPermission, text: "cannot list poddisruptionbudgets: " + snapshot.Sync(kube.KindBudgets).Reason,
			hint: "the run made temporary budgets; nothing was changed"}
	}
	if snapshot, err = b.awaitHolders(ctx, snapshot); err != nil {
		return err
	}
	b.plan = drain.RollbackPlan(b.state, snapshot, b.p.Now())
	return nil
}

func (b *rollbacker) budgetsOpen() bool {
	for _, budget := range b.state.Budgets {
		if budget.State != drain.BudgetRemoved {
			return true
		}
	}
	return false
}

// undo says what will be done and what is left, asks, and does it.
func (b *rollbacker) undo(ctx context.Context, yes bool) error {
	rules := b.writeRules()
	something := slices.ContainsFunc(b.plan, func(u drain.Undo) bool { return u.Left == "" })
	b.tell(something)
	if !something {
		fmt.Fprintln(b.p.Err, "there is nothing to undo for run "+b.state.Run.ID)
		return nil
	}
	if err := checkAccess(ctx, b.cluster, rules); err != nil {
		return err
	}
	if !yes {
		if err := b.p.askFor(ctx, "Undo it?"); err != nil {
			return err
		}
	}
	failed := 0
	for _, u := range b.plan {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if u.Left != "" {
			continue
		}
		err := b.one(ctx, u)
		switch {
		case err == nil:
		case u.Release != nil: // nothing is held up by it for long
			b.say(fmt.Sprintf("unable to %s: %v; it lapses by itself", u.What, err))
		default:
			explain(b.p.Err, fmt.Errorf("unable to %s: %w", u.What, err))
			failed++
		}
	}
	if failed > 0 {
		return told(ExitPartly)
	}
	return nil
}

// writeRules are the rights that the plan needs, none where it changes nothing.
func (b *rollbacker) writeRules() []kube.Permission {
	var nodes, budgets bool
	for _, u := range b.plan {
		nodes, budgets = nodes || u.Cordon != nil || u.Taint != nil, budgets || u.Unguard != nil
	}
	var rules []kube.Permission
	if nodes {
		rules = append(rules, kube.Permission{Verb: "patch", Resource: "nodes"})
	}
	if budgets {
		rules = append(rules, kube.Permission{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"})
	}
	return append(rules, b.scaleWriteRules()...)
}

// tell says what a rollback would do and what it leaves alone, on standard error.
func (b *rollbacker) tell(something bool) {
	var todo, left strings.Builder
	for _, u := range b.plan {
		if u.Left != "" {
			fmt.Fprintf(&left, "  %s: %s\n", u.What, u.Left)
		} else {
			fmt.Fprintf(&todo, "  %s\n", u.What)
		}
	}
	run := &b.state.Run
	if something {
		b.say(fmt.Sprintf("To undo for run %s (by %s, %s, context %s):\n%s", run.ID, run.User,
			b.state.Started.UTC().Format(time.RFC3339), b.cluster.Context, todo.String()))
	}
	if left.Len() > 0 {
		b.say("Left as it is:\n" + left.String())
	}
	if gone := b.state.Progress("").Left; something && gone > 0 {
		b.say(plural(gone, "pod that has left is", "pods that have left are") + " not brought back.\n")
	}
}

// say writes lines whose words may come from a cluster.
func (b *rollbacker) say(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(b.p.Err, kube.Clean(strings.TrimSuffix(line, "\n")))
	}
}

// one undoes one thing of the plan, with one request. It is judged anew: while
// the operator read, somebody may have made the cordon their own, and a node's
// status alone makes its version old.
func (b *rollbacker) one(ctx context.Context, planned drain.Undo) error {
	now, known := planned.Planned(drain.RollbackPlan(b.state, b.source.Snapshot(), b.p.Now()))
	switch {
	case !known:
		return errors.New("it changed meanwhile: nothing of it is left to undo")
	case now.Left != "":
		return fmt.Errorf("it changed meanwhile: %s", now.Left)
	case now.What != planned.What:
		return fmt.Errorf("it changed meanwhile: the run is now to %s", now.What)
	}
	// A request that is out is waited for: a signal stops those after it.
	sending := context.WithoutCancel(ctx)
	var answer kube.Answer
	switch {
	case now.Unguard != nil:
		answer = b.cluster.Writer.DeleteBudget(sending, *now.Unguard)
	case now.Scale != nil:
		answer = b.cluster.Writer.Scale(sending, *now.Scale)
	case now.Taint != nil:
		answer = b.cluster.Writer.Taint(sending, *now.Taint)
	case now.Release != nil:
		answer = b.release(sending, *now.Release)
	default:
		answer = b.cluster.Writer.Cordon(sending, *now.Cordon)
	}
	gone := (now.Unguard != nil || now.Release != nil) && answer.Code == http.StatusNotFound
	if !answer.OK() && !gone {
		return fmt.Errorf("%s", answerWords(answer))
	}
	fmt.Fprintln(b.p.Out, doneWords(now))
	if now.Taint != nil {
		b.awaitTaint(ctx, now.Node)
	}
	return nil
}

// doneWords are the line of a thing undone, like kubectl's.
func doneWords(u drain.Undo) string {
	switch {
	case u.Unguard != nil:
		return "poddisruptionbudget/" + u.Unguard.Name + " removed"
	case u.Scale != nil:
		return fmt.Sprintf("%s/%s scaled back to %d", strings.ToLower(u.Scale.Kind), u.Scale.Name, u.Scale.To)
	case u.Taint != nil:
		return "node/" + u.Node + " in service again"
	case u.Release != nil:
		return "lease/" + u.Release.Name + " given back"
	case u.Cordon.Unschedulable: // the cordon was somebody else's
		return "node/" + u.Node + " used by load balancers again"
	}
	return "node/" + u.Node + " uncordoned"
}
