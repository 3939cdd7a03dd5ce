package prompt

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Keyboard is standard input, line by line. A line answers the question that is open
// when it comes: one that was typed before is dropped, for whoever typed it had not
// seen the question.
type Keyboard struct {
	mu     sync.Mutex
	begun  bool
	ended  bool        // nothing more can be typed
	answer chan string // of the open question, nil while there is none
	reader kube.Group  // never waited for: a read from a terminal cannot be called off
}

// Listen begins to read. A command that will ask does so before it connects; one that
// asks nothing leaves what is typed to the shell.
func (k *Keyboard) Listen(in io.Reader) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.begun {
		return
	}
	k.begun = true
	k.reader.Go("prompt", func() {
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			k.typed(strings.TrimSpace(scanner.Text()))
		}
		time.Sleep(hangupFollows)
		k.end()
	})
}

// hangupFollows is how long after the end of its input a program may get the signal that its terminal went away. An end
// without one is a no.
const hangupFollows = 250 * time.Millisecond

func (k *Keyboard) typed(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answer != nil {
		k.answer <- line // it has room for the one line that it gets
		k.answer = nil
	}
}

func (k *Keyboard) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended = true; k.answer != nil {
		close(k.answer)
	}
}

// Question opens a question, in the place of the one before. Its channel brings one
// line, or is closed where none can come.
func (k *Keyboard) Question() <-chan string {
	k.mu.Lock()
	defer k.mu.Unlock()
	answer := make(chan string, 1)
	if k.answer = answer; k.ended {
		close(answer)
		k.answer = nil
	}
	return answer
}
