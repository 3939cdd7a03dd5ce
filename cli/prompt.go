package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// canAsk reports whether there is somebody to ask: prompts go to standard error.
func (p *Program) canAsk() bool { return p.Terminal.In && p.Terminal.Err }

// keyboard is standard input, line by line. A line answers the question that is open
// when it comes: one that was typed before is dropped, for whoever typed it had not
// seen the question.
type keyboard struct {
	mu     sync.Mutex
	begun  bool
	ended  bool        // nothing more can be typed
	answer chan string // of the open question, nil while there is none
	reader kube.Group  // never waited for: a read from a terminal cannot be called off
}

// listen begins to read. A command that will ask does so before it connects; one that
// asks nothing leaves what is typed to the shell.
func (k *keyboard) listen(in io.Reader) {
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
		k.end()
	})
}

func (k *keyboard) typed(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answer != nil {
		k.answer <- line // it has room for the one line that it gets
		k.answer = nil
	}
}

func (k *keyboard) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended = true; k.answer != nil {
		close(k.answer)
	}
}

// question opens a question, in the place of the one before. Its channel brings one
// line, or is closed where none can come.
func (k *keyboard) question() <-chan string {
	k.mu.Lock()
	defer k.mu.Unlock()
	answer := make(chan string, 1)
	if k.answer = answer; k.ended {
		close(answer)
		k.answer = nil
	}
	return answer
}

// listen begins to read standard input, where the command will ask.
func (p *Program) listen(yes bool) {
	if !yes && p.canAsk() {
		p.keyboard.listen(p.In)
	}
}

// ask puts a question and returns where its answer comes from.
func (p *Program) ask(put func()) <-chan string {
	p.keyboard.listen(p.In)
	answer := p.keyboard.question()
	put()
	return answer
}

// endingOf ends a question with what is to be typed: a word, or y for "".
func endingOf(word string) string {
	if word == "" {
		return " [y/N] "
	}
	return " Type " + word + " to continue: "
}

// promptFor is the question in words.
func promptFor(q *drain.Question, s *drain.State, typed string) string {
	ending := endingOf(typed)
	switch q.Phase {
	case drain.PhaseGuard:
		return fmt.Sprintf("Create temporary budgets (at most %s unavailable) for workloads that have none?", s.Run.Options.Guard) + ending
	case drain.PhaseCordon:
		return "Cordon " + openNodes(s) + "?" + ending
	case drain.PhaseEvict:
		return fmt.Sprintf("Evict %s from %s?", words.Count(s.Progress("").Total, "pod", "pods"), openNodes(s)) + ending
	}
	return "Continue with " + string(q.Phase) + "?" + ending
}

func openNodes(s *drain.State) string {
	var names []string
	for _, n := range s.Nodes {
		if !n.State.Final() {
			names = append(names, n.Name)
		}
	}
	return strings.Join(names, ", ")
}

func accepts(line, word string) bool {
	if word != "" {
		return line == word
	}
	return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes")
}

func isNo(line string) bool {
	return strings.EqualFold(line, "n") || strings.EqualFold(line, "no")
}
