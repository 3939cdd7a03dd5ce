package kube

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"üñí 漢字 🙂":                      "üñí 漢字 🙂",
		"two\nlines\r\nthree\tfour":     "two lines three four",
		"\x1b[31mred\x1b[0m":            "red",
		"\x1b[38;5;1;mred":              "red",
		"\x1b]0;title\amore":            "more",
		"\x1b]8;;http://x\x1b\\link":    "link",
		"\x1b]52;c;ZXZpbA==\x07paste":   "paste",
		"\x1bP1$r\x1b\\dcs":             "dcs",
		"\x1b_apc\x1b\\x":               "x",
		"\x1b]never ended":              "never ended",
		"\x1b]a\x1b[31mb":               "b",
		"\u009b31mred":                  "red",
		"\u009d0;title\u009cx":          "x",
		"\u0085next":                    "next",
		"\x1b(Bcharset":                 "charset",
		"\x1bcreset":                    "reset",
		"\x1b\x1b[31mx":                 "x",
		"end\x1b":                       "end",
		"end\x1b[":                      "end",
		"bell\a back\b del\x7f nul\x00": "bell back del nul",
		"\u202egnp.exe":                 "gnp.exe",
		"a\u2066b\u2069c\u200bd\ufeffe": "abcde",
		"bad\xffbyte":                   "bad\ufffdbyte",
		"para\u2029graph":               "para graph",
		"":                              "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanTextIsBounded(t *testing.T) {
	got := CleanText(strings.Repeat("ü", 4000))
	if len(got) > maxText+len("…") || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;x\x1b\\\u009b1m\x1b[")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("Clean(%q) = %q holds %U", s, got, r)
			}
		}
		if Clean(got) != got || !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) = %q is not clean", s, got)
		}
	})
}
