package hook

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The bounds of what is told of an output. What is left out stands in one line.
const (
	mostLines  = 2000
	lastLines  = 50  // told besides, as they say how it ended
	mostOfLine = 500 // bytes
)

// splitter makes lines of what is written to it: cleaned, and no more than are told.
type splitter struct {
	send func(lines []string)
	rest []byte   // a line without its end
	long bool     // the beginning of that line was told
	told int      // lines
	last []string // of those that were not told
	left int      // lines that are told nowhere
}

// Write takes a part of the output; it never fails.
func (s *splitter) Write(text []byte) (int, error) {
	var batch []string
	for rest := text; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		room := max(0, mostOfLine-len(s.rest))
		s.rest = append(s.rest, line[:min(len(line), room)]...)
		s.long = s.long || len(line) > room
		if rest = after; whole {
			batch = s.take(batch)
		}
	}
	if len(batch) > 0 {
		s.send(batch)
	}
	return len(text), nil
}

// take takes the line that has come to its end.
func (s *splitter) take(batch []string) []string {
	for s.long && len(s.rest) > 0 && !utf8.Valid(s.rest) && len(s.rest) > mostOfLine-utf8.UTFMax {
		s.rest = s.rest[:len(s.rest)-1] // cut within a character
	}
	line := kube.Clean(string(bytes.TrimSuffix(s.rest, []byte("\r"))))
	if s.long {
		line += "…"
	}
	s.rest, s.long = s.rest[:0], false
	if s.told < mostLines {
		s.told++
		return append(batch, line)
	}
	if s.last = append(s.last, line); len(s.last) > lastLines {
		s.last = s.last[1:]
		s.left++
	}
	return batch
}

// end tells what is left once nothing more comes.
func (s *splitter) end() {
	var batch []string
	if len(s.rest) > 0 {
		batch = s.take(nil)
	}
	if s.left > 0 {
		batch = append(batch, fmt.Sprintf("(%d lines are left out)", s.left))
	}
	if batch = append(batch, s.last...); len(batch) > 0 {
		s.send(batch)
	}
}
