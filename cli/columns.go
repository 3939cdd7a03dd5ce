package cli

import (
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/cli/help"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// bindColumns adds which labels the list of nodes has columns for, as kubectl get has it.
func (f *flags) bindColumns(fs *pflag.FlagSet) {
	plan.AddGroup(fs, help.GroupOutput, func(fs *pflag.FlagSet) {
		fs.VarP(help.LabelKeys{To: &f.labelColumns}, "label-columns", "L",
			"labels that the list of nodes has a column for, like pool,node.kubernetes.io/instance-type")
	})
}
