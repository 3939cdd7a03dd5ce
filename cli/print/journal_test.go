package print

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// A folder that was removed has taken the socket of ctl with it: what helps then is named.
func TestJournalLost(t *testing.T) {
	s := &drain.State{JournalLost: "cannot write it", Run: drain.RunFacts{ID: "k7f3pm", Context: "prod"}}
	for _, name := range []string{"w1", "w2"} {
		s.Nodes = append(s.Nodes, &drain.NodeRun{NodeFacts: drain.NodeFacts{Name: name}})
	}
	byMarks := "undoes what the run left: kdrain --context=prod rollback --node w1 --node w2"
	for gone, want := range map[bool]string{true: byMarks, false: "kdrain ctl k7f3pm continue --without-journal"} {
		var said bytes.Buffer
		d := &Drain{Err: &said}
		d.JournalLost(s, "kdrain", gone)
		text := said.String()
		if !strings.Contains(text, "the run paused itself: cannot write it") || !strings.Contains(text, "kdrain ctl k7f3pm continue\n") ||
			!strings.Contains(text, want) || strings.Contains(text, byMarks) != gone {
			t.Errorf("the folder is gone %v:\n%s", gone, text)
		}
	}
}
