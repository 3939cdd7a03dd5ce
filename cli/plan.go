package cli

import (
	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
)

func (p *Program) planCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "plan NODE...",
		Short: "Show what a drain would do to every pod, and why; changes nothing",
		Long: "Shows what a drain with the same flags would do to every pod of the nodes, and why.\n" +
			"Reads only. Exits 3 if the drain would not complete by itself, 5 if a right is missing for it.",
		Example: p.examples(`
# Show what a drain of a node would do to each of its pods, and why
plan worker-1
# Show it for the nodes of a pool, as JSON
plan -l pool=batch --ignore-daemonsets -o json`),
		ValidArgsFunction: completionOf(p).Nodes,
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
	steps := session.Preview(ctx, f.selection(args))
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
