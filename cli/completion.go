package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// completionPatience is how long a pressed Tab may wait for a cluster.
const completionPatience = 2 * time.Second

func (p *Program) completionCommand(root *cobra.Command) *cobra.Command {
	name := root.Name()
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print the completion script for a shell",
		Long: "Prints a script that completes commands, flags and node names.\n\n" +
			"  bash:  source <(" + name + " completion bash)\n" +
			"  zsh:   " + name + " completion zsh > \"${fpath[1]}/_" + name + "\"\n" +
			"  fish:  " + name + " completion fish | source\n\n" +
			"For kubectl kdrain, put an executable file kubectl_complete-kdrain on the PATH:\n\n" +
			"  #!/bin/sh\n" +
			"  exec kubectl-kdrain __complete \"$@\"",
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("", "which shell? bash, zsh or fish")
			}
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.Out, true)
			case "zsh":
				return root.GenZshCompletion(p.Out)
			case "fish":
				return root.GenFishCompletion(p.Out, true)
			}
			return usage("", "no completion for %q: bash, zsh or fish", args[0])
		},
	}
}

// completeNodes offers the names of nodes. It never prompts, says nothing on
// failure, and gives up after two seconds.
func (p *Program) completeNodes(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, completionPatience)
	defer cancel()
	session, err := p.open(ctx, app.ConnectOptions{Quiet: true, ReadOnly: true})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer session.Close()
	session.Progress = nil
	session.Observe(ctx, kube.KindNodes)
	snapshot, err := session.Synced(ctx, []kube.Kind{kube.KindNodes})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind := ""
	if head, tail, ok := strings.Cut(prefix, "/"); ok {
		kind, prefix = head+"/", tail
	}
	var offers []string
	for _, n := range snapshot.Nodes() {
		name := n.Name
		if strings.HasPrefix(name, prefix) && !slices.Contains(args, name) && !slices.Contains(args, "node/"+name) {
			offers = append(offers, kind+name)
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
