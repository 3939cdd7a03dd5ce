package report

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// code is a text of others as a code span: nothing in it is markup, a link, a
// mention or a picture. It is made for table cells, and right elsewhere too.
func code(text string) string {
	text = strings.TrimSpace(kube.Clean(text))
	if text == "" {
		return ""
	}
	if cut := []rune(text); len(cut) > textInTable {
		text = string(cut[:textInTable-1]) + "…"
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
