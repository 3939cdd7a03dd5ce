package nodes

import (
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// kubectlDeleteBudget is the removal of a budget as a kubectl command, which looks
// at its name alone and not at its UID.
func kubectlDeleteBudget(t plan.Target, namespace, name string) string {
	return t.Line("kubectl delete pdb -n " + words.ShellWord(namespace) + " " + words.ShellWord(name))
}
