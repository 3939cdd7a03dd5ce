package help

import (
	"github.com/spf13/cobra"
)

const (
	optionsName = "options"
	helpName    = "help"
)

// OptionsCommand lists the connection flags, which every command takes and no other
// help lists.
func OptionsCommand(noArgs cobra.PositionalArgs, examples string) *cobra.Command {
	return &cobra.Command{
		Use:     optionsName,
		Short:   "List the flags that every command takes: cluster, identity, log",
		Long:    "The flags that every command takes: those of kubectl that choose the cluster and the identity, and those\nfor the log of requests.",
		Example: examples,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

// Command prints the help of a command. Unknown is the error for one that there is not,
// with what was probably meant.
func Command(examples string, unknown func(topic string, meant []string) error) *cobra.Command {
	return &cobra.Command{
		Use:     helpName + " [COMMAND]",
		Short:   "Print the help of a command",
		Example: examples,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, topic := unknownTopic(cmd.Root(), args)
			if about == nil {
				return unknown(topic, MeantCommands(cmd.Root(), args[0]))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
