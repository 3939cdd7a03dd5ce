package help

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// tree is a small program.
func tree(width int) (root *cobra.Command, out *bytes.Buffer) {
	root, out = &cobra.Command{Use: "prog [NODE...]", Short: "Do it", Run: func(*cobra.Command, []string) {}}, &bytes.Buffer{}
	root.SetOut(out)
	root.PersistentFlags().String("context", "", "The context.")
	output := "text"
	drain := &cobra.Command{
		Use: "drain NODE...", Short: "Drain nodes, one after the other, until none is left of them",
		Long:    "Drains nodes, and says\nof each what became of it.\n\n  pause      sends nothing more until somebody continues the run\n  leave NODE ends it there\n\nThat is all.",
		Example: Examples("kubectl kdrain", "# Drain a node\ndrain a --yes"),
		Run:     func(*cobra.Command, []string) {},
	}
	plan.AddGroup(drain.Flags(), "Pace", func(fs *pflag.FlagSet) {
		fs.Int("zeal", 3, "how many at a time, more than which there are never on their way")
		fs.Bool("a-flag-with-a-very-long-name-indeed", false, "what it does")
	})
	plan.AddGroup(drain.Flags(), GroupOutput, func(fs *pflag.FlagSet) {
		fs.VarP(OneOf(&output, []plan.Choice{{Value: "text"}, {Value: "json"}}), "output", "o", "form of the result")
	})
	drain.Flags().Bool("hidden", false, "not to be seen")
	drain.Flags().Lookup("hidden").Hidden = true
	noArgs := cobra.NoArgs
	Setup(root, width, Group{"Nodes", []*cobra.Command{drain}},
		Group{"This program", []*cobra.Command{OptionsCommand(noArgs, "  # a\n  prog options")}})
	return root, out
}

func TestHelpOfACommand(t *testing.T) {
	root, out := tree(64)
	root.SetArgs([]string{"drain", "--help"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	const want = `Drains nodes, and says of each what became of it.

  pause      sends nothing more until somebody continues the run
  leave NODE ends it there

That is all.

Usage:
  prog drain NODE... [flags]

Examples:
  # Drain a node
  kubectl kdrain drain a --yes

Pace:
      --zeal int                  how many at a time, more than
                                  which there are never on their
                                  way (default 3)
      --a-flag-with-a-very-long-name-indeed
                                  what it does

Output:
  -o, --output text|json          form of the result (default
                                  text)

Use prog options for the connection flags (--context, -v and
others).
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
}

func TestHelpOfTheRoot(t *testing.T) {
	root, out := tree(0)
	root.SetArgs([]string{"--help"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Usage:\n  prog [NODE...] [flags]\n  prog COMMAND\n",
		"\nNodes:\n  drain        Drain nodes, one after the other, until none is left of them\n",
		"\nThis program:\n  options      List",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out.String(), "The context.") {
		t.Errorf("connection flags:\n%s", out)
	}
	out.Reset()
	root.SetArgs([]string{"options", "--help"})
	if err := root.Execute(); err != nil || !strings.Contains(out.String(), "--context string") {
		t.Errorf("%v %s", err, out)
	}
}

func TestColumns(t *testing.T) {
	for terminal, want := range map[int]int{0: 80, -1: 80, 20: 60, 100: 100, 300: 120} {
		if got := columns(terminal); got != want {
			t.Errorf("%d: %d, want %d", terminal, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                    {""},
		"aa bb":               {"aa bb"},
		"aa bb cc":            {"aa bb", "cc"},
		"longerthanthat a":    {"longerthanthat", "a"},
		"äöü äö x":            {"äöü", "äö x"},
		"  spaces   between ": {"spaces", "between"},
	} {
		if got := wrap(text, 5); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNearestFlag(t *testing.T) {
	root, _ := tree(0)
	drain, _, err := root.Find([]string{"drain"})
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"--zael": "--zeal", "--outptu": "--output", "--outp": "--output", "--contxt": "--context", "--something": "", "--hiden": "", "-x": "",
	} {
		err := drain.ParseFlags([]string{typed})
		if got := NearestFlag(drain, err); err == nil || got != want {
			t.Errorf("%s: %q, want %q (%v)", typed, got, want, err)
		}
	}
	if got := NearestFlag(drain, errors.New("another")); got != "" {
		t.Errorf("%q", got)
	}
}

func TestLongExamplesAreFolded(t *testing.T) {
	got := Examples("kdrain-tui", `
# Drain it, then the machine is powered off - by ssh, as root, with a comment that is longer than 80 columns
retire worker-1 --ignore-daemonsets --yes --delete-node --host-exec 'ssh {node} sudo sh -s -- --yes'
plan worker-1`)
	want := `  # Drain it, then the machine is powered off - by ssh, as root, with a comment that is longer than 80 columns
  kdrain-tui retire worker-1 --ignore-daemonsets --yes --delete-node \
    --host-exec 'ssh {node} sudo sh -s -- --yes'
  kdrain-tui plan worker-1`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
