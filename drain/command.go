package drain

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Drain is a drain as a command line of ours, to be read and to be run again:
// the flags that differ from their defaults, quoted for a POSIX shell.
func (t Target) Drain(nodes []string, o Options) string {
	words := []string{t.program() + "drain"}
	for _, n := range nodes {
		words = append(words, ShellWord(n))
	}
	return strings.Join(slices.Concat(words, t.words(), o.FlagWords(nil)), " ")
}

// FlagWords are the options that are not as they are by default, as flags quoted for a
// POSIX shell, of all flags or of those that are wanted.
func (o *Options) FlagWords(wanted func(*pflag.Flag) bool) []string {
	var words []string
	o.Flags().VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		switch {
		case value == f.DefValue || wanted != nil && !wanted(f):
		case f.Value.Type() == "bool" && value == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+ShellWord(value))
		}
	})
	return words
}
