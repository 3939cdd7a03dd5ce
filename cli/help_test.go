package cli

import (
	"slices"
	"strings"
	"testing"
)

// helpOf is what --help prints for a command in a terminal of that width.
func helpOf(t *testing.T, width int, args ...string) string {
	t.Helper()
	b := newBench(t, nil)
	b.Terminal.Width = width
	b.expect(t, ExitDone, nil, append(args, "--help")...)
	return b.out.String()
}

// commandNames are those of all commands, "" for the root.
func commandNames(t *testing.T) []string {
	t.Helper()
	names := []string{""}
	for _, cmd := range newBench(t, nil).Command().Commands() {
		names = append(names, cmd.Name())
	}
	return names
}

// Nothing is cut off or broken by the terminal, but for lines that are to be copied.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, name := range commandNames(t) {
		for _, width := range []int{60, 80, 120} {
			text := helpOf(t, width, strings.Fields(name)...)
			copied := false
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				switch {
				case line == "Usage:", line == "Examples:":
					copied = true
				case line == "":
					copied = false
				case !copied && len(line) > width && len(strings.Fields(line)) > 1 && !strings.HasPrefix(line, "  "):
					t.Errorf("%s at %d columns: %q", name, width, line)
				}
			}
		}
	}
}

// The connection flags are the same for all: one command lists them.
func TestConnectionFlagsAreListedOnce(t *testing.T) {
	for _, name := range commandNames(t) {
		text := helpOf(t, 0, strings.Fields(name)...)
		for _, flag := range strings.Fields(kubectlConnectionFlags) {
			long, _, _ := strings.Cut(flag, "/")
			if listed := strings.Contains(text, "\n      --"+long+" ") || strings.Contains(text, ", --"+long+" "); listed != (name == "options") {
				t.Errorf("%q and --%s", name, long)
			}
		}
	}
}

// Every example has a comment and is a command line that the parser takes.
func TestExamplesCanBeTyped(t *testing.T) {
	for _, name := range commandNames(t) {
		b := newBench(t, nil)
		cmd, _, err := b.Command().Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(cmd.Example, "\n")
		if len(lines) < 2 || !strings.HasPrefix(lines[0], "  # ") {
			t.Errorf("%s: no example with a comment: %q", name, cmd.Example)
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("%s: more than 80 columns: %q", name, line)
			}
		}
		for line := range strings.SplitSeq(strings.ReplaceAll(cmd.Example, " \\\n   ", ""), "\n") {
			rest, typed := strings.CutPrefix(line, "  kdrain-tui")
			if !typed {
				if !strings.HasPrefix(line, "  # ") || len(line) < 10 || len(line) > 80 {
					t.Errorf("%s: neither a comment nor a command: %q", name, line)
				}
				continue
			}
			rest, _, _ = strings.Cut(rest, " | ")
			rest, _, _ = strings.Cut(rest, " > ")
			used, args, err := b.Command().Find(shellWords(rest))
			if err != nil || name != "" && used.Name() != cmd.Name() {
				t.Errorf("%s: %q is of another command: %v", name, line, err)
				continue
			}
			if err := used.ParseFlags(args); err != nil {
				t.Errorf("%s: %q: %v", name, line, err)
			}
		}
	}
}

// shellWords are the words of a line whose quotes are single or double.
func shellWords(line string) []string {
	var words []string
	quote, word := rune(0), ""
	for _, r := range line {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			words, word = append(words, word), ""
		default:
			word += string(r)
		}
	}
	return slices.DeleteFunc(append(words, word), func(w string) bool { return w == "" })
}

func TestMistyped(t *testing.T) {
	for args, says := range map[string]string{
		"drain a --ignore-daemonset":   "did you mean --ignore-daemonsets?",
		"drain a --max-paralel-nodes=": "did you mean --max-parallel-nodes?",
		"plan a --contxt=b":            "did you mean --context?",
		"drian a --yes":                "did you mean the command drain?",
		"drian a":                      "did you mean the command drain?",
		"help drian":                   "did you mean the command drain?",
		"help no-such":                 `there is no command "no-such"`,
		"drain a --zzzzzz":             "unknown flag: --zzzzzz\n  see kdrain-tui drain --help",
	} {
		b := newBench(t, nil)
		b.expect(t, ExitUsage, []string{says}, strings.Fields(args)...)
		if len(b.opened) > 0 || b.out.Len() > 0 {
			t.Errorf("%s: %d connections, %s", args, len(b.opened), b.out)
		}
	}
}

func TestHelpCommand(t *testing.T) {
	b := newBench(t, nil)
	b.expect(t, ExitDone, nil, "help", "drain")
	if got, want := b.out.String(), helpOf(t, 0, "drain"); got != want {
		t.Errorf("help drain prints\n%s\nand drain --help\n%s", got, want)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "__complete", "help", "dr")
	if !strings.Contains(b.out.String(), "drain\tDrain nodes") {
		t.Errorf("%s", b.out)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "options")
	if got, want := b.out.String(), helpOf(t, 0, "options"); got != want {
		t.Errorf("options prints\n%s", got)
	}
}

const commandsIntro = "# Commands and flags\n\n" +
	"Generated from the commands by `make docs`; do not edit. Each block is what `kdrain-tui COMMAND --help` prints.\n" +
	"The flags that choose the cluster and the identity are the same for all commands: see [options](#options).\n" +
	"Exit codes are on [a page of their own](exit-codes.md).\n"

// TestCommandsPage holds docs/commands.md to the commands; -update writes it.
func TestCommandsPage(t *testing.T) {
	var text strings.Builder
	text.WriteString(commandsIntro + "\n## kdrain-tui\n\n```text\n" + helpOf(t, 100) + "```\n")
	root := newBench(t, nil).Command()
	for _, group := range root.Groups() {
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				text.WriteString("\n## " + cmd.Name() + "\n\n```text\n" + helpOf(t, 100, cmd.Name()) + "```\n")
			}
		}
	}
	page(t, "../docs/commands.md", text.String())
}

func TestEveryCommandIsInAGroup(t *testing.T) {
	for _, cmd := range newBench(t, nil).Command().Commands() {
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group of the help", cmd.Name())
		}
	}
}

// A value that is not of the list is refused with the list.
func TestEveryOutputForm(t *testing.T) {
	for _, name := range commandNames(t) {
		cmd, _, err := newBench(t, nil).Command().Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		if f := cmd.Flags().Lookup("output"); f != nil {
			if err := f.Value.Set("xml"); err == nil || !strings.Contains(err.Error(), "text") {
				t.Errorf("%s --output=xml: %v", name, err)
			}
			if f.DefValue != "text" {
				t.Errorf("%s: --output is %q by default", name, f.DefValue)
			}
		}
	}
}
