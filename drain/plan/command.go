package plan

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// Drain is a drain as a command line of ours, to be read and to be run again:
// the flags that differ from their defaults, quoted for a POSIX shell.
func (t Target) Drain(nodes []string, o Options) string { return t.Command("drain", nodes, o) }

// Command is Drain for another command with its options, and more flags of that one.
func (t Target) Command(verb string, nodes []string, o Options, flags ...string) string {
	text := []string{t.program() + verb}
	for _, n := range nodes {
		text = append(text, format.ShellWord(n))
	}
	return strings.Join(slices.Concat(text, t.words(), o.FlagWords(nil), flags), " ")
}

// FlagWords are the options that are not as they are by default, as flags quoted for a
// POSIX shell, of all flags or of those that are wanted.
func (o *Options) FlagWords(wanted func(*pflag.Flag) bool) []string {
	var text []string
	for _, arg := range o.FlagArgs(wanted) {
		name, value, hasValue := strings.Cut(arg, "=")
		if hasValue {
			name += "=" + format.ShellWord(value)
		}
		text = append(text, name)
	}
	return text
}

// FlagArgs are the same flags without quotes, for a program that no shell starts.
func (o *Options) FlagArgs(wanted func(*pflag.Flag) bool) []string {
	var args []string
	o.Flags().VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		switch {
		case value == f.DefValue || wanted != nil && !wanted(f):
		case f.Value.Type() == "bool" && value == "true":
			args = append(args, "--"+f.Name)
		default:
			args = append(args, "--"+f.Name+"="+value)
		}
	})
	return args
}
