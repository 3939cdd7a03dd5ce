package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// canAsk tells whether there is somebody to ask: prompts go to standard error.
func (p *Program) canAsk() bool { return p.Terminal.In && p.Terminal.Err }

// typed is where lines come from that are typed. The one reader behind it
// lives as long as standard input: a read from a terminal cannot be called off.
func (p *Program) typed() chan string {
	if p.lines == nil {
		p.lines = make(chan string)
		lines, in := p.lines, p.In
		p.reader.Go("prompt", func() {
			defer close(lines)
			for scanner := bufio.NewScanner(in); scanner.Scan(); {
				lines <- strings.TrimSpace(scanner.Text())
			}
		})
	}
	return p.lines
}

// promptFor is the question in words.
func promptFor(q *drain.Question, s *drain.State) string {
	ending := " [y/N] "
	if q.Word != "" {
		ending = " Type " + q.Word + " to go on: "
	}
	switch q.Phase {
	case drain.PhaseGuard:
		return fmt.Sprintf("Make temporary budgets (%s may be away) for workloads that have none?", s.Run.Options.Guard) + ending
	case drain.PhaseCordon:
		return "Cordon " + openNodes(s) + "?" + ending
	case drain.PhaseEvict:
		return fmt.Sprintf("Evict %s from %s?", plural(s.Progress("").Total, "pod", "pods"), openNodes(s)) + ending
	}
	return "Go on with " + string(q.Phase) + "?" + ending
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
