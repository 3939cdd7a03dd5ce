package annotation

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// What is harmless as JSON must not be a control sequence once it is read: the
// reason of a mark is shown, and goes into marks, Leases and Events of other runs.
func TestMarksAreCleanedAfterDecoding(t *testing.T) {
	m, ok := Parse(`{"run":"k7\u001b[2K","by":"\u009b1Aeve","reason":"\u001b]52;c;ZXZpbA==\u0007up\ngrade","was":"\u202e","after":"\u007f"}`)
	if want := (Mark{Run: "k7", By: "eve", Reason: "up grade"}); !ok || m != want {
		t.Errorf("%+v", m)
	}
	if got := format.ShellWord("a\x1b[m'b"); got != `$'a\033[m\047b'` {
		t.Error(got)
	}
}
