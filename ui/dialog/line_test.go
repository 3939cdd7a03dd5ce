package dialog

import (
	"testing"
)

func TestEditLine(t *testing.T) {
	for _, c := range []struct{ text, key, typed, want string }{
		{"work", "e", "e", "worke"},
		{"", "space", " ", " "},
		{"ab", "", "c\nd\x1b[31m", "abcd[31m"},
		{"grüß", "backspace", "", "grü"},
		{"", "backspace", "", ""},
		{"two words", "ctrl+w", "", "two "},
		{"two words", "ctrl+u", "", ""},
		{"worker-a1", "f5", "", "worker-a1"},
	} {
		if got := EditLine(c.text, c.key, c.typed, 80); got != c.want {
			t.Errorf("%q, key %q: %q, want %q", c.text, c.key, got, c.want)
		}
	}
	if got := EditLine("12345", "6", "6", 5); got != "12345" {
		t.Errorf("grew beyond its limit: %q", got)
	}
}
