package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// code is a text of others as a code span: nothing in it is markup, a link, a
// mention or a picture. It is made for table cells, and right elsewhere too.
func code(text string) string {
	text = bounded(text)
	if text == "" {
		return ""
	}
	// A pipe ends a cell even in code, unless a backslash is before it; one that
	// has a backslash of its own before it would be free again.
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\|`, `\ |`), "|", `\|`)
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// bounded is a text of others on one line, as long as a table shows it at most.
func bounded(text string) string {
	text = strings.TrimSpace(kube.Clean(text))
	if cut := []rune(text); len(cut) > textInTable {
		return string(cut[:textInTable-1]) + "…"
	}
	return text
}

// prose is a sentence with names of others in it. A word that could be markup, a link or a
// mention is code: on GitHub, a backslash prevents only markup.
func prose(text string) string {
	parts := strings.Fields(bounded(text))
	for i, word := range parts {
		if !plain(word) {
			parts[i] = code(word)
		}
	}
	return strings.Join(parts, " ")
}

// plain reports whether a word means nothing but itself in markdown.
func plain(word string) bool {
	if strings.Contains(strings.ToLower(word), "www.") {
		return false
	}
	runes := []rune(word)
	digit := func(at int) bool { return at >= 0 && unicode.IsDigit(runes[at]) }
	for i, r := range runes {
		switch {
		case r == ':': // of a time, or at the end of the word: not of an address or an emoji
			if i < len(runes)-1 && !(digit(i-1) && digit(i+1)) {
				return false
			}
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`-.,;/()'"%+=?…`, r):
			return false
		}
	}
	return true
}

func codes(texts []string, most int) string {
	var parts []string
	for i, t := range texts {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(texts)-most))
			break
		}
		parts = append(parts, code(t))
	}
	return strings.Join(parts, ", ")
}

// longCode is code for a command line, which is never cut: it is to be copied.
func longCode(command string) string {
	var parts []string
	for len(command) > 0 {
		cut := []rune(command)
		n := min(len(cut), textInTable)
		parts, command = append(parts, string(cut[:n])), string(cut[n:])
	}
	if len(parts) == 1 {
		return code(parts[0])
	}
	marked := make([]string, len(parts))
	for i, p := range parts {
		marked[i] = code(p)
	}
	return strings.Join(marked, "<br>")
}
