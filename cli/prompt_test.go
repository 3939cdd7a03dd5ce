package cli

import (
	"io"
	"strings"
)

// typist types a line for each question that is put on standard error, and nothing
// before it. After the last line the input ends.
type typist struct {
	io.Writer
	lines []string
	next  chan string
	rest  string
}

// types puts somebody before the terminal of the bench.
func (b *bench) types(text string) {
	y := &typist{Writer: b.err, lines: strings.SplitAfter(text, "\n"), next: make(chan string, 100)}
	if y.lines = y.lines[:len(y.lines)-1]; len(y.lines) == 0 {
		close(y.next)
	}
	b.Terminal.In, b.Terminal.Err = true, true
	b.In, b.Err = y, y
}

func (y *typist) Write(text []byte) (int, error) {
	question := strings.HasSuffix(string(text), "[y/N] ") || strings.HasSuffix(string(text), ": ")
	if question && len(y.lines) > 0 {
		y.next <- y.lines[0]
		if y.lines = y.lines[1:]; len(y.lines) == 0 {
			close(y.next)
		}
	}
	return y.Writer.Write(text)
}

func (y *typist) Read(into []byte) (int, error) {
	if y.rest == "" {
		line, more := <-y.next
		if !more {
			return 0, io.EOF
		}
		y.rest = line
	}
	n := copy(into, y.rest)
	y.rest = y.rest[n:]
	return n, nil
}
