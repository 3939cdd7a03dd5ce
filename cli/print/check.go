package print

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// checkSchema is the schema of `check -o json`.
const checkSchema = "kdrain-tui/check/v1"

// Check is the contract of `check -o json`.
type Check struct {
	Schema  string      `json:"schema"`
	Context string      `json:"context"`
	Server  string      `json:"server"`
	TakenAt time.Time   `json:"takenAt"`
	Safe    *bool       `json:"safe"` // of the worst node; null where it is not known
	Nodes   []checkNode `json:"nodes"`
}

type checkNode struct {
	Name  string           `json:"name"`
	UID   string           `json:"uid"`
	Safe  *bool            `json:"safe"`
	Lines []checklist.Line `json:"lines"`
}

// ProjectCheck makes a result of the checklists of some nodes.
func ProjectCheck(id conn.Identity, at time.Time, verdicts []checklist.NodeVerdict) *Check {
	safe := true
	c := &Check{Schema: checkSchema, Context: id.Context, Server: id.Server, TakenAt: at.UTC(), Safe: &safe,
		Nodes: []checkNode{}}
	for _, n := range verdicts {
		node := checkNode{Name: n.Name, UID: string(n.UID), Safe: n.Verdict.Answer(), Lines: n.Verdict.Lines()}
		c.Nodes = append(c.Nodes, node)
		switch {
		case node.Safe != nil && !*node.Safe:
			c.Safe = node.Safe
		case node.Safe == nil && (c.Safe == nil || *c.Safe):
			c.Safe = nil
		}
	}
	return c
}

// Text prints the lines of each node.
func (c *Check) Text(t *Text) {
	for i, n := range c.Nodes {
		if i > 0 {
			t.Say("")
		}
		tone, word := answerOf(n.Safe)
		head := map[string]string{"yes": "safe to power off", "no": "not safe to power off",
			"unknown": "not known whether it is safe to power off"}[word]
		t.Line(Bold, "node/"+kube.Clean(n.Name)+": "+t.Style.In(tone, head))
		for _, line := range n.Lines {
			tone, word := answerOf(line.Holds)
			t.Line("", "  "+t.Style.In(tone, word)+strings.Repeat(" ", len("unknown ")-len(word))+" "+line.Message)
			for _, why := range line.Why {
				t.Say("            %s", why.Message)
			}
		}
	}
}

// answerOf is a truth value as text, and how good it is.
func answerOf(holds *bool) (Tone, string) {
	switch {
	case holds == nil:
		return Warning, "unknown"
	case *holds:
		return Good, "yes"
	}
	return Bad, "no"
}
