package wording

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// DrainLine is the plan as a command: of kubectl where that would do the same, else of ours.
func DrainLine(t plan.Target, nodes []string, o plan.Options) string {
	kubectls := func(f *pflag.Flag) bool { return plan.GroupOf(f) == plan.GroupKubectl }
	ours := func(f *pflag.Flag) bool { return !kubectls(f) && f.Name != "lease-namespace" } // kubectl takes none
	if len(o.FlagWords(ours)) > 0 {
		return t.Drain(nodes, o)
	}
	return t.Line(strings.Join(append(kubectlWords("drain", nodes), o.FlagWords(kubectls)...), " "))
}

// KubectlCordon is a cordon of nodes, or its end, as a kubectl command.
func KubectlCordon(t plan.Target, nodes []string, unschedulable bool) string {
	verb := "uncordon"
	if unschedulable {
		verb = "cordon"
	}
	return t.Line(strings.Join(kubectlWords(verb, nodes), " "))
}

func kubectlWords(verb string, objects []string) []string {
	text := []string{"kubectl", verb}
	for _, o := range objects {
		text = append(text, format.ShellWord(o))
	}
	return text
}
