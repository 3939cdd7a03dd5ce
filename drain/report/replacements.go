package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// Replacement is what took the place of a moved pod.
type Replacement struct {
	replacement.Facts
	// ReadySeconds is how long it took from when the pod was on its way until its replacement
	// was Ready, 0 where it is not.
	ReadySeconds float64 `json:"readySeconds,omitempty"`
}

func reportReplacement(p *eviction.Record) *Replacement {
	if p.Replacement.State == "" {
		return nil
	}
	r := Replacement{Facts: p.Replacement.Facts, ReadySeconds: p.Replacement.Took().Round(time.Millisecond).Seconds()}
	r.After = time.Time{} // of the matching, and in no report
	return &r
}

// replaced counts the replacements that are Ready, "" where none is wanted.
func (r Report) replaced() string {
	var tally replacement.Tally
	var slow *Pod
	for i := range r.Nodes {
		for k := range r.Nodes[i].Pods {
			p := &r.Nodes[i].Pods[k]
			if p.Replacement == nil {
				continue
			}
			tally.Add(&replacement.Record{Facts: p.Replacement.Facts})
			if r := p.Replacement; r.ReadySeconds >= 1 && (slow == nil ||
				r.ReadySeconds > slow.Replacement.ReadySeconds) {
				slow = p
			}
		}
	}
	if tally.Wanted == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s Ready", tally.Ready, plural(tally.Wanted, "replacement", "replacements"))
	if slow != nil {
		text += ", the slowest " + slow.Namespace + "/" + slow.Replacement.Pod + " after " +
			spell(slow.Replacement.ReadySeconds)
	}
	return text
}

// replacementTable is about the replacements that were wanted and are not Ready.
func (r Report) replacementTable() table {
	t := table{title: "Replacements that are not Ready", most: volumesInTable, one: "replacement", many: "replacements",
		columns: []column{
			{title: "pod", others: true}, {title: "from", others: true, lead: "of "}, {title: "what became of its replacement", others: true}}}
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if f := p.Replacement; f != nil && !f.State.Settled() {
				t.rows = append(t.rows, []string{p.Namespace + "/" + p.Name, n.Name, f.Words()})
			}
		}
	}
	return t
}

// workloads are those that the run left worse than before.
func (l *toDos) workloads(s *drain.State) {
	if s.Gate == nil {
		return
	}
	for _, w := range s.Gate.Workloads {
		l.add(w.Sentence(), "kubectl describe "+words.ShellWord(strings.ToLower(w.Kind))+" -n "+w.Namespace+" "+
			words.ShellWord(w.Name))
	}
}
