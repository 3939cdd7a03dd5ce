package help

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// farthest is how many letters a mistyped name may differ by from what was meant.
const farthest = 2

// NearestFlag is the flag, with its dashes, that was meant by one that a command does not
// have, "" where none is near.
func NearestFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	nearest, least := "", farthest+1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := distance(unknown.GetSpecifiedName(), f.Name)
		if begins := len(unknown.GetSpecifiedName()) > 3 && strings.HasPrefix(f.Name, unknown.GetSpecifiedName()); begins {
			d = min(d, farthest)
		}
		if d < least && !f.Hidden {
			nearest, least = "--"+f.Name, d
		}
	})
	return nearest
}

// MeantCommands are the commands of which a word looks like a mistyped one.
func MeantCommands(root *cobra.Command, word string) []string {
	root.SuggestionsMinimumDistance = farthest
	return root.SuggestionsFor(word)
}

// distance is how many letters must be put in, left out or replaced to make one name of
// the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
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
