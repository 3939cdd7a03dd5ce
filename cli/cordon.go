package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// cordonCommand is cordon or uncordon, as kubectl's.
func (p *Program) cordonCommand(cordon bool) *cobra.Command {
	c := &cordoning{Program: p, f: p.newFlags(), cordon: cordon}
	verb, short := "cordon", "Mark nodes as unschedulable"
	examples := `
# Cordon a node, and say why
cordon worker-1 --reason="disk is failing, CHG-4711"
# Ask the API server whether it would cordon a pool, and change nothing
cordon -l pool=batch --dry-run=server`
	if !cordon {
		verb, short = "uncordon", "Mark nodes as schedulable"
		examples = `
# Uncordon a node
uncordon worker-1
# Print which nodes of a pool would be uncordoned, and change nothing
uncordon -l pool=batch --dry-run=client`
	}
	cmd := &cobra.Command{
		Use:   verb + " NODE...",
		Short: short,
		Long: short + ". The annotation that says who cordoned a node, when and why\n" +
			"(" + kube.CordonAnnotation + ") is written and removed together with it." + map[bool]string{
			false: "\nA node whose Lease a live run holds is uncordoned only once the run's id was\ntyped, or with --take-over: that run then stops draining it."}[cordon],
		Example:           p.examples(examples),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE:              c.run,
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	c.f.bindNodes(fs)
	c.f.bindProtected(fs)
	if cordon {
		c.f.bindOptions(fs, "dry-run", "reason")
	} else {
		c.f.bindOptions(fs, "dry-run", "lease-namespace", "take-over")
	}
	return cmd
}

// cordoning is the command cordon or uncordon.
type cordoning struct {
	*Program
	f      *flags
	cordon bool
}

func (c *cordoning) run(cmd *cobra.Command, args []string) error {
	if err := checkNodeArgs(cmd, args, c.f); err != nil {
		return err
	}
	o, err := c.f.options()
	if err != nil {
		return err
	}
	if c.connection.ReadOnly && o.DryRun == plan.DryRunNone {
		return usage("see --dry-run=server", "--read-only forbids %s", cmd.Name())
	}
	ctx := cmd.Context()
	kinds := []kube.Kind{kube.KindNodes}
	if !c.cordon {
		kinds = append(kinds, kube.KindLeases)
	}
	session, err := c.open(ctx, app.ConnectOptions{Nodes: c.f.selection(args).Names(),
		LeaseNamespace: o.LeaseNamespace})
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.MayCordon(ctx, o.DryRun); err != nil {
		return err
	}
	session.Observe(ctx, kinds...)
	nodes, err := session.Select(ctx, c.f.selection(args))
	if err != nil {
		return err
	}
	if o.DryRun == plan.DryRunNone {
		if err := c.f.protect(ctx, c.Program, session, cmd.Name()+" "+strings.Join(nodes, ", ")); err != nil {
			return err
		}
	}
	if !c.cordon && o.DryRun != plan.DryRunClient {
		if err := c.askHeld(ctx, session, nodes, o); err != nil {
			return err
		}
	}
	if !c.cordon && o.DryRun == plan.DryRunNone {
		defer c.sayLeft(session, nodes)
	}
	return c.all(ctx, session, nodes, o)
}

// sayLeft names the runs that left more on the nodes than their cordons.
func (c *cordoning) sayLeft(session *app.Session, nodes []string) {
	s := session.Snapshot()
	said := c.runs.LeftOn(func(uid kube.UID) bool {
		return slices.ContainsFunc(nodes, func(name string) bool { n := s.Node(name); return n != nil && n.UID == uid })
	})
	for _, line := range append(said, session.Unreleased(nodes)...) {
		fmt.Fprintln(c.Err, line)
	}
}

// all goes on after a failure, as kubectl does, and does not hide it from the exit code, as kubectl does.
func (c *cordoning) all(ctx context.Context, session *app.Session, nodes []string, o plan.Options) error {
	verb, set := "uncordon", func(node string) (bool, error) { return session.Uncordon(ctx, node, o.DryRun) }
	if c.cordon {
		verb, set = "cordon", func(node string) (bool, error) { return session.Cordon(ctx, node, o.Reason, o.DryRun) }
	}
	failed := 0
	for _, name := range nodes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		changed, err := set(name)
		switch {
		case err != nil:
			explain(c.Err, fmt.Errorf("unable to %s node %q: %w", verb, name, err))
			failed++
		case changed:
			fmt.Fprintf(c.Out, "node/%s %sed%s\n", name, verb, print.DrySuffix(o.DryRun))
		default:
			fmt.Fprintf(c.Out, "node/%s already %sed%s\n", name, verb, print.DrySuffix(o.DryRun))
		}
	}
	switch {
	case failed == 0:
		return nil
	case failed == len(nodes):
		return told(ExitError)
	}
	return told(ExitPartly)
}

// askHeld asks before nodes are uncordoned that a run holds by its Lease: the run
// would stop there. Without a terminal that takes --take-over. A Lease that cannot be
// read does not prevent it: it is said that nothing is known. One whose run is known
// on this machine to have ended holds nothing.
func (c *cordoning) askHeld(ctx context.Context, session *app.Session, nodes []string, o plan.Options) error {
	if o.LeaseNamespace == "" {
		return nil
	}
	s, err := session.Synced(ctx, []kube.Kind{kube.KindLeases})
	if err != nil {
		return err
	}
	if !s.Trusted(kube.KindLeases) {
		words := "Warning: Leases cannot be read: whether a run is draining " + strings.Join(nodes, ", ") +
			" is not known"
		if reason := s.Sync(kube.KindLeases).Reason; reason != "" {
			words += ": " + reason
		}
		fmt.Fprintln(c.Err, kube.Clean(words))
		return nil
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		n := s.Node(name)
		return n == nil || !n.Unschedulable
	})
	life, said := c.runs.Lives(), []string(nil)
	holds := lease.InTheWay(s, nodes, "", c.Now(), func(run string) bool {
		return o.TakesOver(run) || life(run) == tempbudget.RunDead
	})
	for _, h := range holds {
		said = append(said, "node "+h.Node+" is held by "+h.Words+
			", which leaves it once it is uncordoned; a command that works on it is not ended")
	}
	if len(holds) == 0 {
		return nil
	}
	refused := &failure{code: ExitRefused, text: strings.Join(said, "\n") + "\nnothing was changed",
		hint: "let that run end, or abort it where it runs; or uncordon anyway: --take-over=" + holds[0].Run}
	if !c.canAsk() {
		return refused
	}
	word := holds[0].Run
	if slices.ContainsFunc(holds, func(h lease.Hold) bool { return h.Run != word }) {
		word = "take over"
	}
	question := kube.Clean(strings.Join(said, "; ") + ". Type " + word + " to uncordon anyway: ")
	select {
	case line := <-c.ask(func() { fmt.Fprint(c.Err, question) }): // "" where none can come
		if line == word {
			return nil
		}
		return refused
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
