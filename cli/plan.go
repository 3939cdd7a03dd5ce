package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
)

func (p *Program) planCommand() *cobra.Command {
	f, landing := p.newFlags(), "on"
	cmd := &cobra.Command{
		Use:   "plan NODE...",
		Short: "Show what a drain would do to every pod, and why; changes nothing",
		Long: "Shows what a drain with the same flags would do to every pod of the nodes, and why.\n" +
			"Reads only. Exits 3 if the drain would not complete by itself, 5 if a right is missing for it.",
		Example: p.examples(`
# Show what a drain of a node would do to each of its pods, and why
plan worker-1
# Show it for the nodes of a pool, as JSON
plan -l pool=batch --ignore-daemonsets -o json
# Show it soon in a large cluster, without where the pods could go
plan worker-1 --landing=off`),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.plan(cmd, f, args, landing) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindDrain(fs, "dry-run", "allow-scale", "allow-zero-grace", "allow-taint")
	f.bindOutput(fs)
	f.bindLook(fs)
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		choices := []plan.Choice{{Value: "on", Does: "looked for"}, {Value: "off", Does: "not looked for"}}
		fs.Var(help.OneOf(&landing, choices), "landing",
			"where the pods could go: without it only what the drain touches is read, if the flags allow")
	})
	return cmd
}

func (p *Program) plan(cmd *cobra.Command, f *flags, args []string, landing string) error {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return err
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	session, err := p.open(ctx, app.ConnectOptions{
		ReadOnly: true, ChunkSize: f.chunkSize, Nodes: f.selection(args).Names(),
		LeaseNamespace: options.LeaseNamespace,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	extent := map[string]app.Extent{"on": app.Whole, "off": app.Touched}[landing]
	steps := session.Drain(ctx, f.selection(args), options, extent)
	if err := settleEvictions(ctx, p.Err, session, &options); err != nil {
		return err
	}
	access, err := steps.MayPlan(ctx, options)
	if err != nil {
		return err
	}
	planned, err := steps.Plan(ctx, options, access)
	if err != nil {
		return err
	}
	steps.Estimate(&planned)
	if err := p.printer(f).Plan(session.Identity(), planned); err != nil {
		return err
	}
	return told(map[verdict.End]int{verdict.EndForbidden: ExitPermission, verdict.EndRefused: ExitRefused,
		verdict.EndNever: ExitRefused}[verdict.Of(&planned).End])
}
