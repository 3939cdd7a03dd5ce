package help

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of the width that help is written for, and the width of a terminal that is not
// known: lines that are much longer are hard to read.
const (
	narrowest    = 60
	widest       = 120
	unknownWidth = 80
)

// columns is the width to write for.
func columns(terminal int) int {
	if terminal <= 0 {
		terminal = unknownWidth
	}
	return min(max(terminal, narrowest), widest)
}

// wrap cuts a text into lines that are at most that wide, where a word is not wider.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// twoColumns is the first column of an indented line, with the gap after it.
var twoColumns = regexp.MustCompile(`^ +\S+(?: \S+)*  +`)

// reflow wraps the paragraphs of a text. Indented lines stay as they are, but that the
// second of two columns is wrapped within its column.
func reflow(text string, width int) string {
	var out, paragraph strings.Builder
	end := func() {
		if paragraph.Len() > 0 {
			out.WriteString(strings.Join(wrap(paragraph.String(), width), "\n") + "\n")
			paragraph.Reset()
		}
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "":
			end()
			out.WriteString("\n")
		case !strings.HasPrefix(line, " "):
			paragraph.WriteString(line + " ")
		default:
			end()
			first := twoColumns.FindString(line)
			if first == "" {
				out.WriteString(line + "\n")
				continue
			}
			writeItem(&out, strings.TrimRight(first, " "), len(first), line[len(first):], width)
		}
	}
	end()
	return out.String()
}

// writeItem writes a name and what there is to say of it in a column to the right, or
// below where the name takes that room.
func writeItem(w io.Writer, name string, column int, about string, width int) {
	if utf8.RuneCountInString(name)+2 > column {
		fmt.Fprintln(w, name)
		name = ""
	}
	for _, line := range wrap(about, width-column) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s%s", column, name, line), " "))
		name = ""
	}
}
