package drain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/kube"
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

// ShellWord quotes a word for a POSIX shell where it needs that.
func ShellWord(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@=,%+", r)
	})
	if plain {
		return s
	}
	if strings.ContainsFunc(s, kube.Unsafe) {
		return ansiC(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ansiC quotes a word with control characters in it, which must reach the shell
// and not the terminal that it is pasted into (POSIX.1-2024, dollar-single-quotes).
func ansiC(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
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
