package help

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// NearestFlag is the flag, with its dashes, that was meant by one that a command does not
// have, "" where none is near.
func NearestFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if nearest := format.Nearest(unknown.GetSpecifiedName(), names); nearest != "" {
		return "--" + nearest
	}
	return ""
}

// MeantCommands are the commands of which a word looks like a mistyped one.
func MeantCommands(root *cobra.Command, word string) []string {
	root.SuggestionsMinimumDistance = 2
	return root.SuggestionsFor(word)
}

// unknownTopic looks for the command that help is asked for.
func unknownTopic(root *cobra.Command, args []string) (*cobra.Command, string) {
	cmd, rest, err := root.Find(args)
	if err != nil || len(args) > 0 && (cmd == root || len(rest) > 0) {
		return nil, strings.Join(args, " ")
	}
	return cmd, ""
}

// names are those of the commands that help knows, with what they do.
func names(root *cobra.Command) []string {
	var offers []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			offers = append(offers, cmd.Name()+"\t"+cmd.Short)
		}
	}
	slices.Sort(offers)
	return offers
}
