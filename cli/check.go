package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
)

func (p *Program) checkCommand() *cobra.Command {
	f := p.newFlags()
	cmd := &cobra.Command{
		Use:   "check NODE...",
		Short: "Is the node safe to power off? Shows the checklist; changes nothing",
		Long: "Judges whether the machines of the nodes can be powered off and nothing ends or is lost with\n" +
			"them: a checklist whose lines are true, false or not known, each with the objects that make it so.\n" +
			"Several nodes are judged together, as if all were powered off.\n\n" +
			"Reads only. Exits 0 if all lines are true, 3 if a line of a node is false, 4 if one is not known.",
		Example: p.examples(`
# Tell whether a node is safe to power off, and what speaks against it
check worker-1
# Tell it of the nodes of a pool together, as JSON
check -l pool=batch -o json`),
		ValidArgsFunction: completion{p}.nodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.check(cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.bindNodes(fs)
	f.bindOptions(fs, "lease-namespace")
	f.bindOutput(fs)
	f.bindLook(fs)
	return cmd
}

func (p *Program) check(cmd *cobra.Command, f *flags, args []string) error {
	if err := checkNodeArgs(cmd, args, f); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{
		ReadOnly: true, Nodes: f.selection(args).Names(), LeaseNamespace: f.LeaseNamespace,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	verdicts, err := app.Check(ctx, session, f.selection(args))
	if err != nil {
		return err
	}
	result := print.ProjectCheck(session.Identity(), p.Now(), verdicts)
	if err := p.printer(f).Value(result, result.Text); err != nil {
		return err
	}
	return told(exitOfCheck(result.Safe))
}

// exitOfCheck is the code for the worst of the nodes: one that is not safe is worse than
// one of which that is not known.
func exitOfCheck(safe *bool) int {
	switch {
	case safe == nil:
		return ExitUnknown
	case !*safe:
		return ExitRefused
	}
	return ExitDone
}
