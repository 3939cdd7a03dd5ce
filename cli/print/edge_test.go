package print

import (
	"bytes"
	"testing"
)

// Nothing but the colours of paint gets past the edge, and JSON stays JSON.
func TestEdgeLetsOnlyOurColoursPast(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                 "plain\n",
		"tab\tnew\n":              "tab\tnew\n",
		"üñí 漢字 …\n":              "üñí 漢字 …\n",
		"\x1b[31mred\x1b[0m":      "\x1b[31mred\x1b[0m",
		"\x1b[2K\x1b[1A":          "\ufffd[2K\ufffd[1A",
		"\x1b[8mhidden":           "\ufffd[8mhidden",
		"\x1b]52;c;ZXZpbA==\a":    "\ufffd]52;c;ZXZpbA==\ufffd",
		"{\"a\":\"\u009b31m\"}\n": "{\"a\":\"\ufffd31m\"}\n",
		"\u202egnp\r\x7f":         "\ufffdgnp\ufffd\ufffd",
		"bad\x9bbyte":             "bad\ufffdbyte",
	} {
		var out bytes.Buffer
		n, err := Edge{&out}.Write([]byte(in))
		if out.String() != want || n != len(in) || err != nil {
			t.Errorf("%q became %q (%d, %v), want %q", in, out.String(), n, err, want)
		}
	}
}
