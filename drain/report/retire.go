package report

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
)

// RetireStep is what became of a step of a node out of the cluster.
type RetireStep struct {
	Step    retire.Step       `json:"step"`
	Status  retire.Status     `json:"status"`
	At      time.Time         `json:"at"` // when it came to that
	Tries   int               `json:"tries"`
	By      string            `json:"by,omitempty"`
	Command string            `json:"command,omitempty"` // that ran the script on the host; else it was done by hand
	Despite []checklist.Check `json:"despite,omitempty"` // lines of the checklist that were not true
	Message string            `json:"message,omitempty"`
	Output  []string          `json:"output,omitempty"` // the last lines
}

func retireSteps(n *drain.NodeRun) []RetireStep {
	var steps []RetireStep
	for _, step := range retire.Steps {
		t := n.Retire.Of(step)
		if t.Status == "" {
			continue
		}
		steps = append(steps, RetireStep{Step: step, Status: t.Status, At: t.Since.UTC(), Tries: t.Tries, By: t.By,
			Command: t.Command, Despite: t.Despite, Message: t.Message, Output: t.Output})
	}
	return steps
}

// commandOf is the run as a command line.
func commandOf(s *drain.State) string {
	order, verb, flags := s.Run.Retire, "drain", []string(nil)
	if order != nil {
		verb = "retire"
		if order.HostExec != "" {
			flags = append(flags, "--host-exec="+format.ShellWord(order.HostExec))
		}
		if order.DeleteNode {
			flags = append(flags, "--delete-node")
		}
	}
	return s.Run.Target().Command(verb, nodeNames(s), s.Run.Options, flags...)
}

// retires reports whether the run was to take its nodes out of the cluster, or began to.
func retires(r Report) bool {
	return r.Retire || slices.ContainsFunc(r.Nodes, func(n Node) bool { return len(n.Retire) > 0 })
}

// out reports whether all steps of the node out of the cluster are done.
func (n *Node) out() bool {
	return len(n.Retire) == len(retire.Steps) &&
		!slices.ContainsFunc(n.Retire, func(s RetireStep) bool { return s.Status != retire.Done })
}

// retired are a sentence for each node of which a step was taken.
func (r Report) retired() []Fact {
	var facts []Fact
	for _, n := range r.Nodes {
		if len(n.Retire) == 0 {
			continue
		}
		level, said := Good, []string{}
		for _, s := range n.Retire {
			said = append(said, s.words())
		}
		if !n.out() {
			level = Warning
		}
		facts = append(facts, Fact{level, n.Name + ": " + strings.Join(said, ", ")})
	}
	return facts
}

func (s RetireStep) words() string {
	words := s.Step.Does() + ": " + string(s.Status)
	switch {
	case s.Status == retire.Running:
		words = s.Step.Does() + ": what became of it is not known"
	case s.Message != "":
		words += " (" + s.Message + ")"
	}
	if len(s.Despite) > 0 {
		var lines []string
		for _, line := range s.Despite {
			lines = append(lines, string(line))
		}
		words += ", although not true: " + strings.Join(lines, ", ")
	}
	return words
}
