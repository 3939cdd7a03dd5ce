package cli

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
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

// What was typed before a question was put is no answer to it, and one line answers
// one question.
func TestLinesTypedAheadAnswerNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		k := &keyboard{}
		k.listen(in)
		say := func(line string) {
			if _, err := typing.Write([]byte(line + "\n")); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		say("y")
		first := k.question()
		select {
		case line, open := <-first:
			t.Fatalf("%q, %v answers a question that was put later", line, open)
		default:
		}
		say("yes")
		say("worker-1")
		if line := <-first; line != "yes" {
			t.Errorf("%q answers", line)
		}
		second := k.question()
		third := k.question() // the second was withdrawn
		say("drain 3 nodes")
		if line := <-third; line != "drain 3 nodes" || len(second) != 0 {
			t.Errorf("%q answers", line)
		}
		open := k.question()
		if err := typing.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		for _, answer := range []<-chan string{open, k.question()} {
			if line, more := <-answer; more {
				t.Errorf("%q after the end", line)
			}
		}
	})
}
