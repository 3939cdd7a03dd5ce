package help

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// forKubectl is what kubectl runs to complete the plugin kdrain.
const forKubectl = "#!/bin/sh\n# kubectl runs this to complete kubectl kdrain.\nexec kubectl-kdrain __complete \"$@\"\n"

// scripts are the completion scripts by the shell that they are for, with what each is.
var scripts = []struct {
	shell, about string
	write        func(*cobra.Command) error
}{
	{"bash", "4.1 or newer", func(root *cobra.Command) error { return root.GenBashCompletionV2(root.OutOrStdout(), true) }},
	{"zsh", "", func(root *cobra.Command) error { return root.GenZshCompletion(root.OutOrStdout()) }},
	{"fish", "", func(root *cobra.Command) error { return root.GenFishCompletion(root.OutOrStdout(), true) }},
	{"powershell", "", func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(root.OutOrStdout()) }},
	{"kubectl", "the script by which kubectl completes kubectl kdrain", func(root *cobra.Command) error {
		_, err := fmt.Fprint(root.OutOrStdout(), forKubectl)
		return err
	}},
}

// CompletionCommand prints the completion script of a shell. Unknown is the error for a
// shell that there is none for, "" being none that was given.
func CompletionCommand(examples string, unknown func(shell string) error) *cobra.Command {
	var shells, offered []string
	for _, s := range scripts {
		shells, offered = append(shells, s.shell), append(offered, strings.TrimSuffix(s.shell+"\t"+s.about, "\t"))
	}
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Print the completion script for a shell",
		Long: `Prints a script that completes commands, flags and their values, nodes, contexts, namespaces and runs.
Nodes and namespaces are asked for from the server, for two seconds at most. bash needs the package
bash-completion, as for kubectl.

  bash        source <(kdrain-tui completion bash)
  zsh         kdrain-tui completion zsh > "${fpath[1]}/_kdrain-tui"
  fish        kdrain-tui completion fish > ~/.config/fish/completions/kdrain-tui.fish
  powershell  kdrain-tui completion powershell | Out-String | Invoke-Expression

For good, put the line for bash into ~/.bashrc, that for powershell into $PROFILE.

kubectl completes a plugin by an executable file in the PATH whose name is kubectl_complete- and that of the
plugin. For kubectl kdrain:

  kdrain-tui completion kubectl > ~/bin/kubectl_complete-kdrain
  chmod +x ~/bin/kubectl_complete-kdrain`,
		Example:   examples,
		ValidArgs: offered,
		RunE: func(cmd *cobra.Command, args []string) error {
			shell := ""
			if len(args) == 1 {
				shell = args[0]
			}
			at := slices.Index(shells, shell)
			if at < 0 {
				return unknown(shell)
			}
			return scripts[at].write(cmd.Root())
		},
	}
}

// described is an offer with what it does. Behind a comma it has none: the script for bash
// finds a value with one only where its quoted form is what was typed.
func described(value, does string, first bool) string {
	if does == "" || !first {
		return value
	}
	return value + "\t" + does
}

// CompleteChoices offers the values of a flag; of a list, one more behind the last comma.
func CompleteChoices(choices []plan.Choice, list bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := ""
		if list {
			before = typed[:strings.LastIndexByte(typed, ',')+1]
		}
		var values []string
		for _, c := range choices {
			if !slices.Contains(strings.Split(before, ","), c.Value) {
				values = append(values, described(before+c.Value, c.Does, before == ""))
			}
		}
		return values, cobra.ShellCompDirectiveNoFileComp
	}
}
