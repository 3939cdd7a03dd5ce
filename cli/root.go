package cli

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/cli/complete"
	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Command builds the tree of commands. It sets no templates: that would
// link text/template and turn the linker's removal of unused methods off.
func (p *Program) Command() *cobra.Command {
	f := p.newFlags()
	root := &cobra.Command{
		Use:   programName(p.Name) + " [NODE...]",
		Short: "Drain nodes: see what that does to each pod and why, watch it live, undo it",
		Long: "Opens the dashboard: every node, and what a drain of it would do to each pod and why.\n" +
			"Nodes that are given are marked at the start. Nothing is changed without a confirmation on the screen.\n\n" +
			"The same engine runs without a dashboard, as a superset of kubectl drain: see plan and drain.",
		Example: p.examples(`
# Open the dashboard with a node marked
worker-1
# Show what a drain would do to each pod of a node, and why
plan worker-1
# Drain a node from a script
drain worker-1 --ignore-daemonsets --yes
# Drain the nodes of a pool, three at a time, told as JSON
drain -l pool=batch --ignore-daemonsets --max-parallel-nodes=3 --yes -o json`),
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: completionOf(p).Nodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.dashboard(cmd, f, args) },
	}
	if display := p.display(); display != root.Name() {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: display}
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return applySettings(p, cmd) }
	p.connection.Bind(root.PersistentFlags())
	fs := root.Flags()
	fs.SortFlags = false
	root.Version = p.Build.String()
	fs.Bool("version", false, "print the version and commit of this program")
	f.bindNodes(fs)
	f.bindDrain(fs, "dry-run", "take-over")
	f.bindLook(fs)
	f.bindScreen(fs)
	f.bindColumns(fs)
	f.bindJournals(fs)
	f.telling.BindAll(fs)
	f.bindProtected(fs)
	addCommands(p, root)
	return root
}

// addCommands adds the commands in the groups that help shows them in.
func addCommands(p *Program, root *cobra.Command) {
	if root.Annotations == nil {
		root.Annotations = map[string]string{}
	}
	root.Annotations[help.FlagsOf] = "drain"
	helpCommand := help.Command(p.examples("# Print what drain does and which flags it takes\nhelp drain"),
		func(topic string, commands []string) error {
			return usage(meant(commands)+p.display()+" --help lists them", "there is no command %q", topic)
		})
	root.SetHelpCommand(helpCommand)
	completionCommand := help.CompletionCommand(
		p.examples("# Print the script for bash\ncompletion bash"), unknownShell)
	help.Setup(root, p.Terminal.Width,
		help.Group{Title: "Nodes", Commands: []*cobra.Command{
			p.planCommand(), p.checkCommand(), p.drainCommand(), newRollCommand(p), newRetireCommand(p), newJobCommand(p), p.cordonCommand(true),
			p.cordonCommand(false), newCleanupScriptCommand(p)}},
		help.Group{Title: "Runs of this machine", Commands: []*cobra.Command{
			p.runsCommand(), p.reportCommand(), p.replayCommand(), p.resumeCommand(), p.rollbackCommand(),
			p.watchCommand(), p.ctlCommand()}},
		help.Group{Title: "This program", Commands: []*cobra.Command{
			p.configCommand(), p.versionCommand(), completionCommand, helpCommand,
			help.OptionsCommand(noArgs, p.examples("# List the flags that choose the cluster and the identity\noptions"))}})
	completionOf(p).FlagsOf(root, root.PersistentFlags())
	for _, cmd := range append(root.Commands(), root) {
		completionOf(p).FlagsOf(cmd, cmd.Flags())
	}
}

// completionOf is what a pressed Tab is offered.
func completionOf(p *Program) complete.Completion {
	return complete.Completion{
		Names: func() (contexts, clusters, users []string) { return p.connection.Names() },
		Themes: func() []string {
			if p.Themes == nil {
				return nil
			}
			return p.Themes()
		},
		Briefs: func() ([]live.Brief, error) { return p.runs.All() },
		Open:   p.open, Now: func() time.Time { return p.Now() },
	}
}

// flagError is an error of the flag parser, with the flag or the command that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if nearest := help.NearestFlag(cmd, err); nearest != "" {
		hint = "did you mean " + nearest + "? " + hint
	}
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		hint = meant(help.MeantCommands(cmd, args[0])) + hint
	}
	return &failure{code: ExitUsage, err: flagText(err), hint: hint}
}

// unknownShell is the error for a completion script that there is not.
func unknownShell(shell string) error {
	if shell == "" {
		return usage("", "which shell? bash, zsh, fish or powershell, or kubectl for kubectl kdrain")
	}
	return usage("", "no completion for %q: bash, zsh, fish, powershell or kubectl", shell)
}

// meant is a hint at the commands that were probably meant, with a space after it.
func meant(commands []string) string {
	if len(commands) == 0 {
		return ""
	}
	return "did you mean the command " + strings.Join(commands, " or ") + "? "
}

// programName is the name that completion scripts are made for.
func programName(argv0 string) string {
	name := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	if strings.HasPrefix(name, "kubectl-") {
		return name
	}
	return "kdrain-tui"
}

// printed is one of our commands about a run as it is printed, for the cluster and the identity of that run.
func (p *Program) printed(run drain.RunFacts, verb string) string {
	target := run.Target()
	target.Program = p.display()
	return target.Line("kdrain-tui " + verb + " " + run.ID)
}

// display is how the operator calls the program: "kubectl kdrain" where it runs as a plugin.
func (p *Program) display() string {
	name := programName(p.Name)
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return name
}

// examples are lines to be typed, each under a comment, as help shows them.
func (p *Program) examples(text string) string { return help.Examples(p.display(), text) }
