package wording

import (
	"strings"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FirstUpper begins a sentence; the name of an object stays as it is.
func FirstUpper(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if s == "" || strings.ContainsAny(word, "-/.0123456789") && !strings.HasSuffix(word, ".") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Sentence begins and ends words as a sentence; those of a server may have its full stop already.
func Sentence(s string) string { return FirstUpper(strings.TrimRight(s, ". ")) + "." }

// Clean takes everything out of typed, pasted or received text that is not text.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, kube.Clean(s))
}
