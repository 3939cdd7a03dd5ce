package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
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
		ValidArgsFunction: completionOf(p).Nodes,
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
	ctx := cmd.Context()
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
		return ExitPartly
	case !*safe:
		return ExitRefused
	}
	return ExitDone
}

func newCleanupScriptCommand(p *Program) *cobra.Command {
	step, run := "", ""
	cmd := &cobra.Command{
		Use:   "cleanup-script NODE --step stop|clean",
		Short: "Print the script that takes the node's machine out of service; changes nothing",
		Long: "Prints a POSIX shell script for the machine of a node that was drained and is to leave the cluster,\n" +
			"for its container runtime (containerd, CRI-O or docker). Run it as root on the machine, stop first:\n" +
			"  stop   stops and disables the kubelet\n" +
			"  clean  removes pods and containers, stops the runtime, unmounts volumes,\n" +
			"         removes CNI state, configuration and certificates, checks the result\n" +
			"Each compares hostname and machine-id with the node's status before it changes anything, and takes\n" +
			"--dry-run and --yes. This command itself only reads.\n\n" +
			"Once the Node object is deleted, --run finds the machine in the journal of the run that retires the node.",
		Example: p.examples(`
# Show what stopping the kubelet of a drained node would do
cleanup-script worker-1 --step stop | ssh worker-1 sudo sh -s -- --dry-run
# Stop it
cleanup-script worker-1 --step stop | ssh worker-1 sudo sh -s -- --yes`),
		ValidArgsFunction: completionOf(p).Nodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cleanupScript(p, cmd, args, host.Step(step), run)
		},
	}
	cmd.Flags().Var(help.OneOf(&step, []plan.Choice{
		{Value: string(host.StepStop), Does: "the kubelet"}, {Value: string(host.StepClean), Does: "the machine"},
	}), "step", "what the script does")
	cmd.Flags().StringVar(&run, "run", "",
		"the machine as the journal of that `RUN` has it, where the Node object is gone")
	return cmd
}

func cleanupScript(p *Program, cmd *cobra.Command, args []string, step host.Step, run string) error {
	if len(args) != 1 {
		return usage("see "+cmd.CommandPath()+" --help", "which node? It takes one")
	}
	if !slices.Contains(host.Steps, step) {
		return usage("see "+cmd.CommandPath()+" --help", "--step=%s: must be stop or clean", string(step))
	}
	if err := checkSelection(args, ""); err != nil {
		return err
	}
	if run != "" {
		text, err := p.runs.CleanupScriptOf(run, args[0], step)
		return writeScript(p.Out, text, err)
	}
	ctx := cmd.Context()
	session, err := p.open(ctx, app.ConnectOptions{ReadOnly: true, Nodes: app.Selection{Args: args}.Names()})
	if err != nil {
		return err
	}
	defer session.Close()
	text, err := app.CleanupScript(ctx, session, args[0], step)
	return writeScript(p.Out, text, err)
}

// writeScript writes a text that is the result, unless it could not be made.
func writeScript(w io.Writer, text string, err error) error {
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
