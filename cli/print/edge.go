package print

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Edge is the last writer before a terminal. Texts are cleaned where they enter;
// should one have come another way, none of its control sequences gets past here:
// only the colours of Style do, and the ends of lines. JSON stays JSON.
type Edge struct{ W io.Writer }

// Write writes what is safe of p. Each call brings whole characters, as all of
// fmt, cobra and encoding/json do.
func (e Edge) Write(p []byte) (int, error) {
	if _, err := io.WriteString(e.W, harmless(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// harmless makes every control character visible that is not of our own colours.
func harmless(s string) string {
	if !strings.ContainsFunc(s, kube.Unsafe) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		if sequence := ownSequence(s); sequence != "" {
			b.WriteString(sequence)
			s = s[len(sequence):]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		if r != '\n' && r != '\t' && kube.Unsafe(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}
