package nodes

import (
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// kubectlDeleteBudget is the removal of a budget as a kubectl command, which looks
// at its name alone and not at its UID.
func kubectlDeleteBudget(t plan.Target, namespace, name string) string {
	return t.Line("kubectl delete pdb -n " + format.ShellWord(namespace) + " " + format.ShellWord(name))
}
