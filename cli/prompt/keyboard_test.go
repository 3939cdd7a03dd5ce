package prompt

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// What was typed before a question was put is no answer to it, and one line answers
// one question.
func TestLinesTypedAheadAnswerNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typing := io.Pipe()
		k := &Keyboard{}
		k.Listen(in)
		say := func(line string) {
			if _, err := typing.Write([]byte(line + "\n")); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		say("y")
		first := k.Question()
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
		second := k.Question()
		third := k.Question() // the second was withdrawn
		say("drain 3 nodes")
		if line := <-third; line != "drain 3 nodes" || len(second) != 0 {
			t.Errorf("%q answers", line)
		}
		open := k.Question()
		if err := typing.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(hangupFollows - 1) // the signal that the terminal went away may still come
		synctest.Wait()
		select {
		case line, more := <-open:
			t.Errorf("%q, %v at once after the end", line, more)
		default:
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		for _, answer := range []<-chan string{open, k.Question()} {
			if line, more := <-answer; more {
				t.Errorf("%q after the end", line)
			}
		}
	})
}
