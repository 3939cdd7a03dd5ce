package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// headless are the flags of `drain` that are no option of a drain: what they say is
// decided elsewhere in the dashboard, or has no place there.
var headless = []string{
	"selector", "chunk-size", // which nodes, and how they are read
	"dry-run", "yes", "output", "fail-on-blockers", // a screen asks instead
	"take-over", // a typed word, for the runs that it names
	"no-color", "ascii", "help",
}

// The words of a flag have one source, and the options page of the dashboard has
// whatever is there.
func TestEveryFlagOfADrainHasItsWords(t *testing.T) {
	root := newBench(t, nil).rootCommand()
	cmd, _, err := root.Find([]string{"drain"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		seen[f.Name] = true
		if slices.Contains(headless, f.Name) {
			return
		}
		if !slices.Contains(drain.Flags(), f.Name) {
			t.Errorf("--%s is neither among the flags of drain nor headless by nature", f.Name)
			return
		}
		if f.Usage != drain.FlagHelp(f.Name) {
			t.Errorf("--%s has words of its own: %q", f.Name, f.Usage)
		}
		if root.Flags().Lookup(f.Name) == nil {
			t.Errorf("the dashboard cannot be started with --%s", f.Name)
		}
	})
	for _, flag := range drain.Flags() {
		if !seen[flag] {
			t.Errorf("no command takes --%s", flag)
		}
	}
}
