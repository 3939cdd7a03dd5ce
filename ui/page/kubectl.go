package page

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Kubectl is the plan as a kubectl command. Flags of ours have no place there.
func Kubectl(t drain.Target, nodes []string, o drain.Options) string {
	kubectls := func(f *pflag.Flag) bool { return drain.InGroup(f, drain.GroupKubectl) }
	return t.Line(strings.Join(append(kubectlWords("drain", nodes), o.FlagWords(kubectls)...), " "))
}

// KubectlCordon is a cordon of nodes, or its end, as a kubectl command.
func KubectlCordon(t drain.Target, nodes []string, unschedulable bool) string {
	verb := "uncordon"
	if unschedulable {
		verb = "cordon"
	}
	return t.Line(strings.Join(kubectlWords(verb, nodes), " "))
}

// KubectlDeleteBudget is the removal of a budget as a kubectl command, which looks
// at its name alone and not at its UID.
func KubectlDeleteBudget(t drain.Target, namespace, name string) string {
	return t.Line("kubectl delete pdb -n " + drain.ShellWord(namespace) + " " + drain.ShellWord(name))
}

func kubectlWords(verb string, objects []string) []string {
	words := []string{"kubectl", verb}
	for _, o := range objects {
		words = append(words, drain.ShellWord(o))
	}
	return words
}
