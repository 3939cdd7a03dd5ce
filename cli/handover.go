package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Handover: a run whose journal is on another machine, known by its marks alone.

// markKinds are where marks are.
var markKinds = []kube.Kind{kube.KindNodes, kube.KindBudgets, kube.KindLeases}

// checkMarkArgs judges a command line with --node before anything connects.
func (p *Program) checkMarkArgs(cmd *cobra.Command, f *flags, args []string) error {
	switch {
	case len(args) > 0:
		return usage("", "either a run or --node: %s %s", cmd.CommandPath(), strings.Join(args, " "))
	case p.connection.ReadOnly:
		return usage(p.display()+" plan shows what is on a node", "--read-only forbids to %s a run", cmd.Name())
	case !f.yes && !p.canAsk():
		return usage("add --yes to confirm", "there is no terminal to ask on; nothing was done")
	}
	return checkSelection(f.marked, "")
}

// readMarks reads the run that the nodes carry the mark of, and refuses one that
// is live here.
func (p *Program) readMarks(s *kube.Snapshot, t drain.Target, args []string) (drain.Marked, error) {
	nodes, err := chooseNodes(s, args, &flags{})
	if err != nil {
		return drain.Marked{}, err
	}
	m, err := drain.ReadMarks(s, nodes)
	var none *drain.NoMarkError
	switch {
	case errors.As(err, &none):
		return m, &failure{code: ExitError, text: "nothing was changed", err: err,
			hint: "a run is known by its mark on a node that it cordoned; " + t.Line("kdrain-tui uncordon "+none.Node) + " takes any cordon back"}
	case err != nil:
		return m, &failure{code: ExitError, text: "nothing was changed", err: err}
	}
	if p.runLife()(m.Mark.Run) == drain.RunLive {
		return m, p.livesOn(m.Mark.Run)
	}
	return m, nil
}

// sayMarked says whose run it is and what the marks do not tell.
func (p *Program) sayMarked(m drain.Marked, s *kube.Snapshot) {
	say := func(text string) { fmt.Fprintln(p.Err, kube.Clean(text)) }
	say("The marks are of " + m.Sentence())
	if len(m.Others) > 0 {
		say("The same run has marked " + strings.Join(m.Others, ", ") + ": add --node for what is meant too")
	}
	if state := s.Sync(kube.KindBudgets); state.Phase == kube.Denied {
		say("Warning: budgets cannot be listed: whether the run left temporary ones is not known")
	}
	if state := s.Sync(kube.KindLeases); state.Phase == kube.Denied {
		say("Warning: Leases cannot be read: whether the run is live on another machine is not known")
	}
	if p.runLife()(m.Mark.Run) == drain.RunDead {
		say("Its journal is on this machine and knows more: see " + p.display() + " report " + m.Mark.Run)
	}
}

// rollbackMarked undoes what the marks on nodes say, by the rules of rollback.
func (p *Program) rollbackMarked(cmd *cobra.Command, f *flags, args []string) error {
	if err := p.checkMarkArgs(cmd, f, args); err != nil {
		return err
	}
	p.listen(f.yes)
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.open(ctx, OpenOptions{ChunkSize: runPageSize, Nodes: namesIn(f.marked), LeaseNamespace: f.LeaseNamespace})
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := checkAccess(ctx, cluster, []kube.Permission{{Verb: "get", Resource: "nodes"}}); err != nil {
		return err
	}
	b := &rollbacker{p: p, cluster: cluster, source: cluster.Watch(ctx, markKinds...)}
	snapshot, err := waitSynced(ctx, b.source, markKinds, p.Err)
	if err != nil {
		return err
	}
	marked, err := p.readMarks(snapshot, cluster.Target, f.marked)
	if err != nil {
		return err
	}
	if p.runLife()(marked.Mark.Run) == drain.RunDead {
		journal, _, err := p.takeJournal(marked.Mark.Run) // keeps a resume away until the end
		if err != nil {
			return err
		}
		defer func() { _ = journal.Close() }() // nothing was written to it
	}
	p.sayMarked(marked, snapshot)
	if err := p.notHeld(ctx, b.source, marked); err != nil {
		return err
	}
	b.state = marked.State
	b.plan = drain.RollbackPlan(b.state, b.source.Snapshot(), b.p.Now())
	return b.undo(ctx, f.yes)
}

// takeUp makes a drain the successor of the run that its nodes carry the mark
// of: that run's temporary budgets are removed before the plan is made, its reason
// is kept where there is no new one, and the new run takes the marks over when it
// cordons.
func (p *Program) takeUp(ctx context.Context, f *flags, from planned, args []string, o *drain.Options) error {
	snapshot, err := waitSynced(ctx, from.source, markKinds, p.Err)
	if err != nil {
		return err
	}
	marked, err := p.readMarks(snapshot, from.cluster.Target, args)
	if err != nil {
		return err
	}
	p.sayMarked(marked, snapshot)
	if err := p.notHeld(ctx, from.source, marked); err != nil {
		return err
	}
	if o.Reason == "" {
		o.Reason = marked.Mark.Reason
	}
	budgets := marked.State.Budgets
	if len(budgets) > 0 {
		if err := checkAccess(ctx, from.cluster, []kube.Permission{{Verb: "delete", Group: "policy", Resource: "poddisruptionbudgets"}}); err != nil {
			return err
		}
		fmt.Fprintf(p.Err, "%s removed first:\n", plural(len(budgets), "temporary budget of it is", "temporary budgets of it are"))
		for _, b := range budgets {
			fmt.Fprintln(p.Err, kube.Clean("  "+b.Namespace+"/"+b.Name))
		}
	}
	if !f.yes {
		if err := p.askFor(ctx, "Go on with its nodes in a new run?"); err != nil {
			return err
		}
	}
	for _, b := range budgets {
		if err := removeBudget(ctx, from.cluster.Writer, kube.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}); err != nil {
			return &failure{code: ExitError, text: fmt.Sprintf("cannot remove the temporary budget %s/%s; nothing else was changed", b.Namespace, b.Name), err: err}
		}
		if !f.json() {
			fmt.Fprintln(p.Out, "poddisruptionbudget/"+b.Name+" removed")
		}
	}
	return waitWithout(ctx, from.source, budgets)
}

// waitWithout waits until the cluster shows that the budgets are gone: a plan
// made before would still count them.
func waitWithout(ctx context.Context, source drain.Source, budgets []*drain.BudgetRun) error {
	changed := source.Changed(ctx)
	for {
		s := source.Snapshot()
		if !slices.ContainsFunc(budgets, func(b *drain.BudgetRun) bool {
			live := s.BudgetNamed(b.Namespace, b.Name)
			return live != nil && live.UID == b.UID
		}) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// resumeMarked drains the nodes of a run whose journal is elsewhere in a new run
// that takes its marks over.
func (p *Program) resumeMarked(cmd *cobra.Command, f *flags, args []string) error {
	if err := p.checkMarkArgs(cmd, f, args); err != nil {
		return err
	}
	f.takesUp = true
	return p.drain(cmd, f, f.marked)
}

// askFor asks a plain question on standard error.
func (p *Program) askFor(ctx context.Context, question string) error {
	select {
	case line, ok := <-p.ask(func() { fmt.Fprint(p.Err, question+" [y/N] ") }):
		if ok && accepts(line, "") {
			return nil
		}
		return &failure{code: ExitAborted, text: "not confirmed; nothing was changed"}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *flags) bindMarked(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.marked, "node", nil,
		"a node that carries the mark of a run, instead of the run's id; may be given more than once")
}

func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	return names
}

// onlyWithMarked refuses the flags of a drain where a run goes on with its own
// options.
func (f *flags) onlyWithMarked(fs *pflag.FlagSet, ofDrain []string) error {
	for _, name := range ofDrain {
		if len(f.marked) == 0 && fs.Changed(name) {
			return usage("", "a run goes on with the options that it had: --%s is for --node only", name)
		}
	}
	return nil
}

// notHeld waits until the Leases tell that the run of the marks is over, and
// nobody else is at work on its nodes: a Lease that is renewed is somebody's; one
// that is not lapses, by our own clock.
func (p *Program) notHeld(ctx context.Context, source drain.Source, m drain.Marked) error {
	changed := source.Changed(ctx)
	for said := false; ; said = true {
		s, now := source.Snapshot(), p.Now()
		lease, node := heldLease(s, m, now)
		switch {
		case lease == nil:
			return nil
		case s.LeaseAlive(lease, now):
			return &failure{code: ExitError, text: fmt.Sprintf("run %s is live: it renews its Lease over node %s; nothing was changed", lease.Holder, node),
				hint: "abort it first, where it runs"}
		case !said:
			fmt.Fprintln(p.Err, kube.Clean(fmt.Sprintf("run %s has the Lease over node %s: looking for up to %s whether it lives", lease.Holder, node, lease.Duration)))
		}
		timer := time.NewTimer(max(time.Second, s.LeaseEnds(lease).Sub(now)))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// heldLease is a Lease that has not lapsed over one of the nodes, or of the run
// elsewhere; nil if there is none.
func heldLease(s *kube.Snapshot, m drain.Marked, now time.Time) (lease *kube.Lease, node string) {
	for _, n := range s.Nodes() {
		l := s.LeaseOf(n.UID)
		if l == nil || l.Holder == "" || l.Holder != m.Mark.Run && !slices.Contains(m.Nodes, n.Name) {
			continue
		}
		if ends := s.LeaseEnds(l); ends.IsZero() || now.Before(ends) {
			return l, n.Name
		}
	}
	return nil, ""
}
