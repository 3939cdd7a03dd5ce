package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (p *Program) planCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "plan NODE...",
		Short: "Show what a drain would do to every pod, and why; changes nothing",
		Long: "Shows what a drain with the same flags would do to every pod of the nodes, and why.\n" +
			"Reads only. Exits 3 if the drain would not go through by itself: a pod is refused,\n" +
			"or a budget never lets a pod go.",
		Example:           p.examples("plan worker-1", "plan -l pool=batch --ignore-daemonsets -o json"),
		ValidArgsFunction: p.completeNodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.plan(cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindDrain(fs, "dry-run", "allow-scale", "allow-zero-grace", "allow-taint")
	f.bindOutput(fs)
	f.bindLook(fs)
	return cmd
}

func (p *Program) plan(cmd *cobra.Command, f *flags, args []string) error {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	cluster, err := p.open(ctx, OpenOptions{ReadOnly: true, ChunkSize: f.chunkSize, Nodes: namesIn(args), LeaseNamespace: options.LeaseNamespace})
	if err != nil {
		return err
	}
	defer cluster.Close()
	source := cluster.Watch(ctx, planKinds...)
	if err := p.settleEvictions(ctx, cluster, &options); err != nil {
		return err
	}
	access, err := planAccess(ctx, cluster, options)
	if err != nil {
		return err
	}
	plan, err := p.makePlan(ctx, planned{cluster: cluster, source: source, needs: planKinds}, f, args, options)
	if err != nil {
		return err
	}
	plan.Findings = append(cluster.Target.Findings(access.Findings()), plan.Findings...)
	p.estimate(&plan, source)
	if f.json() {
		err = writePlanJSON(p.Out, cluster, plan)
	} else {
		planText{w: p.Out, paint: p.paintFor(f, p.Terminal.Out)}.write(cluster, plan)
	}
	if err == nil && !plan.GoesThrough() {
		err = told(ExitRefused)
	}
	return err
}

// estimate adds how long the plan takes.
func (p *Program) estimate(plan *drain.Plan, source drain.Source) {
	e := drain.Forecast(source.Snapshot(), *plan, p.Now())
	plan.Estimate = &e
}

// planned is what a plan is made from: the source, once the kinds are in.
type planned struct {
	cluster *Cluster
	source  drain.Source
	needs   []kube.Kind
	nodes   []string // the nodes that it is about, where it begins with these
}

// makePlan plans the drain that the command line asks for.
func (p *Program) makePlan(ctx context.Context, from planned, f *flags, args []string, o drain.Options) (drain.Plan, error) {
	snapshot, err := waitSynced(ctx, from.source, from.needs, p.Err, from.nodes...)
	if err != nil {
		return drain.Plan{}, err
	}
	nodes, err := from.choose(snapshot, args, f)
	if err != nil {
		return drain.Plan{}, err
	}
	if whole := drain.NeedsWhole(snapshot, nodes); len(whole) > 0 {
		if snapshot, err = waitRead(ctx, from.source, whole, p.Err); err != nil {
			return drain.Plan{}, err
		}
	}
	if snapshot.Sync(kube.KindDaemonSets).Phase == kube.Denied && from.cluster.DaemonSets != nil {
		if err := from.cluster.DaemonSets(ctx, from.source, nodes); err != nil {
			return drain.Plan{}, err
		}
		snapshot = from.source.Snapshot()
	}
	read := slices.Contains(from.needs, kube.KindServices) // somebody reads the plan
	if read && from.cluster.Scales != nil {
		from.cluster.Scales(ctx, from.source, nodes)
		snapshot = from.source.Snapshot()
	}
	plan, err := drain.NewPlan(snapshot, nodes, o, p.Now())
	if err != nil {
		return drain.Plan{}, err
	}
	plan.Findings = append(plan.Findings, p.leftoverFindings(from.cluster, snapshot)...)
	return from.cluster.Target.Plan(drain.RefuseBlockers(drain.WithSelf(plan, snapshot, p.self(ctx, from.cluster, read)))), nil
}
