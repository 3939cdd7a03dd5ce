package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Groups of flags beside those of the options of a drain.
const (
	GroupConfirm = "Confirmation"
	GroupOutput  = "Output"
)

// FlagsOf is the annotation of a command that takes the options of a drain and leaves it
// to the help of another command, its value, to list them.
const FlagsOf = "flags-of"

// Group is a group of commands with its heading.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// Setup gives a tree of commands its help: its own text instead of cobra's, which would
// list the connection flags, the persistent ones of the root, under each command. Width
// is that of the terminal in columns, 0 where it is not known.
func Setup(root *cobra.Command, width int, groups ...Group) {
	width = columns(width)
	cobra.EnableCommandSorting = false
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		for _, cmd := range g.Commands {
			cmd.GroupID = g.Title
			cmd.Flags().SortFlags = false
			root.AddCommand(cmd)
		}
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		about := cmd.Long
		if about == "" {
			about = cmd.Short + "."
		}
		fmt.Fprint(cmd.OutOrStdout(), reflow(about, width)+"\n")
		writeUsage(cmd.OutOrStdout(), cmd, width)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		writeUsage(cmd.OutOrStdout(), cmd, width)
		return nil
	})
}

// Examples are lines to be typed, each under a comment that begins with #, as they are
// shown: the lines that are no comment follow the name of the program.
func Examples(program, text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		default:
			line = program + " " + line
		}
		for i, part := range folded(line) {
			lines = append(lines, strings.TrimRight(strings.Repeat("  ", 1+min(i, 1))+part, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// folded breaks a command that is too long for 80 columns before a flag or a pipe, as a shell
// takes it. Quoted text stays whole.
func folded(line string) (parts []string) {
	const widest = 74
	if strings.HasPrefix(line, "#") {
		return []string{line}
	}
	quote, begin, last := rune(0), 0, 0
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case strings.HasPrefix(line[i:], " -- "):
		case strings.HasPrefix(line[i:], " --"), strings.HasPrefix(line[i:], " | "):
			if i-begin > widest && last > begin {
				parts, begin = append(parts, line[begin:last]+" \\"), last+1
			}
			last = i
		}
	}
	if len(line)-begin > widest && last > begin {
		parts, begin = append(parts, line[begin:last]+" \\"), last+1
	}
	return append(parts, line[begin:])
}

func writeUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintf(w, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	writeCommands(w, cmd, width)
	for _, g := range flagGroups(cmd) {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, f := range g.flags {
			writeFlag(w, f, width)
		}
	}
	if other := cmd.Annotations[FlagsOf]; other != "" {
		line := fmt.Sprintf("It also takes the options of a drain: see %s %s --help.", cmd.Root().CommandPath(), other)
		fmt.Fprint(w, "\n"+reflow(line, width))
	}
	if cmd.Name() == optionsName {
		return
	}
	last := cmd.Root().CommandPath() + " options for the connection flags (--context, -v and others)."
	if cmd.HasAvailableSubCommands() {
		last = cmd.CommandPath() + " COMMAND --help for more about a command, " + last
	}
	fmt.Fprint(w, "\n"+reflow("Use "+last, width))
}

func writeCommands(w io.Writer, cmd *cobra.Command, width int) {
	groups := append(slices.Clone(cmd.Groups()), &cobra.Group{Title: "Other"})
	for _, g := range groups {
		title := "\n" + g.Title + ":\n"
		for _, sub := range cmd.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == helpName) {
				fmt.Fprint(w, title)
				title = ""
				writeItem(w, "  "+sub.Name(), cmd.NamePadding()+4, sub.Short, width)
			}
		}
	}
}

// flagGroup is a group of the flags of a command.
type flagGroup struct {
	title string
	flags []*pflag.Flag
}

// flagGroups are the flags of a command itself, in the order in which they were declared.
func flagGroups(cmd *cobra.Command) []flagGroup {
	var groups []flagGroup
	ofAll := cmd.Root().PersistentFlags()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		title := plan.GroupOf(f)
		elsewhere := cmd.Annotations[FlagsOf] != "" && !slices.Contains([]string{"", GroupConfirm, GroupOutput}, title)
		if f.Hidden || f.Name == "help" || elsewhere || (ofAll.Lookup(f.Name) != nil) != (cmd.Name() == optionsName) {
			return
		}
		if title == "" {
			title = "Flags"
		}
		at := slices.IndexFunc(groups, func(g flagGroup) bool { return g.title == title })
		if at < 0 {
			at, groups = len(groups), append(groups, flagGroup{title: title})
		}
		groups[at].flags = append(groups[at].flags, f)
	})
	return groups
}

// flagColumn is where the meaning of a flag begins.
const flagColumn = 34

func writeFlag(w io.Writer, f *pflag.Flag, width int) {
	kind, about := pflag.UnquoteUsage(f)
	if choices := plan.ChoicesOf(f); len(choices) > 0 {
		values := make([]string, len(choices))
		for i, c := range choices {
			values[i] = c.Value
		}
		if kind = strings.Join(values, "|"); f.Value.Type() == "stringSlice" {
			kind = strings.Join(values, ",")
		}
	}
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case f.NoOptDefVal != "" && kind != "":
		name += "[=" + kind + "]"
	case kind != "":
		name += " " + kind
	}
	if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, f.DefValue) {
		about += " (default " + f.DefValue + ")"
	}
	writeItem(w, name, flagColumn, about, width)
}
