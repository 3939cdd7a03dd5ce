package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Command builds the tree of commands. It sets no templates: that would
// link text/template and turn the linker's removal of unused methods off.
func (p *Program) Command() *cobra.Command {
	f := p.newFlags()
	root := &cobra.Command{
		Use:   programName(p.Name) + " [NODE...]",
		Short: "The cockpit for node maintenance: kubectl drain that shows what it does and why",
		Long: "Opens the dashboard: every node, and what a drain of it would do to each pod and why.\n" +
			"Nodes that are given come up marked. Nothing is changed without a confirmation on the screen.\n\n" +
			"The same engine runs without a dashboard, as a superset of kubectl drain: see plan and drain.",
		Example: p.examples("worker-1", "plan worker-1", "drain worker-1 --ignore-daemonsets --yes",
			"drain -l pool=batch --ignore-daemonsets --max-parallel-nodes=3 --yes -o json"),
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: p.completeNodes,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.dashboard(cmd, f, args) },
	}
	if display := p.display(); display != root.Name() {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: display}
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &failure{code: ExitUsage, err: flagText(err), hint: "see " + cmd.CommandPath() + " --help"}
	})
	p.connection.Bind(root.PersistentFlags())
	fs := root.Flags()
	fs.SortFlags = false
	root.Version = p.Build.String()
	fs.Bool("version", false, "print the version and commit of this program")
	f.bindNodes(fs)
	f.bindDrain(fs, "dry-run", "take-over")
	f.bindLook(fs)
	fs.StringVar(&f.theme, "theme", "", "the colours of the dashboard")
	root.AddCommand(p.planCommand(), newCheckCommand(p), newCleanupScriptCommand(p), p.drainCommand(), newJobCommand(p),
		p.cordonCommand(true), p.cordonCommand(false),
		p.runsCommand(), p.reportCommand(), p.replayCommand(), p.resumeCommand(), p.rollbackCommand(), p.ctlCommand(),
		p.versionCommand(), p.completionCommand(root))
	return root
}

// programName is the name that completion scripts are made for.
func programName(argv0 string) string {
	name := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	if strings.HasPrefix(name, "kubectl-") {
		return name
	}
	return "kdrain-tui"
}

// printed is one of our commands about a run as it is printed, for the cluster and
// the identity of that run.
func (p *Program) printed(s *drain.State, verb string) string {
	target := s.Run.Target()
	target.Program = p.display()
	return target.Line("kdrain-tui " + verb + " " + s.Run.ID)
}

// display is how the operator calls the program: "kubectl kdrain" where it
// runs as a plugin.
func (p *Program) display() string {
	name := programName(p.Name)
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return name
}

func (p *Program) examples(lines ...string) string {
	for i, line := range lines {
		lines[i] = "  " + p.display() + " " + line
	}
	return strings.Join(lines, "\n")
}
