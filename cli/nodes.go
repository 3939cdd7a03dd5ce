package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
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
	_, err := plan.SelectNodes(kube.SnapshotOf(time.Time{}), args, selector)
	var unknown *plan.UnknownNodesError
	if err == nil || errors.As(err, &unknown) {
		return nil
	}
	return &failure{code: ExitUsage, err: err}
}

// selection is which nodes the command line means.
func (f *flags) selection(args []string) app.Selection {
	return app.Selection{Args: args, Selector: f.selector}
}
