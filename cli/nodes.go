package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// checkNodeArgs judges the nodes of the command line before anything connects.
func checkNodeArgs(cmd *cobra.Command, args []string, f *flags) error {
	if len(args) == 0 && f.selector == "" {
		if cmd.Flags().Changed("selector") {
			return usage("", "--selector is empty: that would be every node; name them, or choose by a label")
		}
		return usage("see "+cmd.CommandPath()+" --help",
			"which node? USAGE: %s NODE... [flags], or -l LABEL=VALUE", cmd.CommandPath())
	}
	return checkSelection(args, f.selector)
}

// checkSelection asks an empty cluster: all that can be wrong with it is the
// command line.
func checkSelection(args []string, selector string) error {
	_, err := drain.SelectNodes(kube.SnapshotOf(time.Time{}), args, selector)
	var unknown *drain.UnknownNodesError
	if err == nil || errors.As(err, &unknown) {
		return nil
	}
	return &failure{code: ExitUsage, err: err}
}

// namesIn are the names in arguments NAME or node/NAME.
func namesIn(args []string) []string {
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = arg[strings.LastIndexByte(arg, '/')+1:]
	}
	return names
}

// chooseNodes are the nodes that the command line means, in the order given
// and each once.
func chooseNodes(s *kube.Snapshot, args []string, f *flags) ([]string, error) {
	nodes, err := drain.SelectNodes(s, args, f.selector)
	if err != nil {
		return nil, &failure{code: ExitError, err: err, hint: "nothing was changed; kubectl get nodes lists them"}
	}
	return nodes, nil
}
