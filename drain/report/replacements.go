package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
)

// Replacement is what took the place of a moved pod.
type Replacement struct {
	replacement.Facts
	// ReadySeconds is how long it took from when the pod was on its way until its replacement
	// was Ready, 0 where it is not.
	ReadySeconds float64   `json:"readySeconds,omitempty"`
	ReadyAt      time.Time `json:"readyAt,omitzero"` // zero where it is not
}

func reportReplacement(p *eviction.Record) *Replacement {
	if p.Replacement.State == "" {
		return nil
	}
	r := Replacement{Facts: p.Replacement.Facts, ReadyAt: p.Replacement.ReadyAt,
		ReadySeconds: p.Replacement.Took().Round(time.Millisecond).Seconds()}
	r.After = time.Time{} // of the matching, and in no report
	return &r
}

// replaced is a pod that has left its node, of which a replacement is followed.
type replaced struct {
	*Pod
	from string // its node
}

// replacements are those of the pods of all nodes.
type replacements []replaced

func (r Report) replacements() (all replacements) {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		for k := range n.Pods {
			if p := &n.Pods[k]; p.Replacement != nil {
				all = append(all, replaced{p, n.Name})
			}
		}
	}
	return all
}

func (all replacements) tally() (t replacement.Tally) {
	for _, p := range all {
		t.Add(&replacement.Record{Facts: p.Replacement.Facts})
	}
	return t
}

// words count those that are Ready, "" where none is wanted.
func (all replacements) words() string {
	tally := all.tally()
	if tally.Wanted == 0 {
		return ""
	}
	var slow *Pod
	for _, p := range all {
		if s := p.Replacement.ReadySeconds; s >= 1 && (slow == nil || s > slow.Replacement.ReadySeconds) {
			slow = p.Pod
		}
	}
	text := fmt.Sprintf("%d of %s Ready", tally.Ready, format.Count(tally.Wanted, "replacement"))
	if slow != nil {
		text += ", the slowest " + slow.Namespace + "/" + slow.Replacement.Pod + " after " +
			spell(slow.Replacement.ReadySeconds)
	}
	return text
}

// stuck counts those that need somebody, as the end of a sentence: "" for none.
func (all replacements) stuck() string {
	var parts []string
	if n := all.tally().Pending; n > 0 {
		parts = append(parts, format.Plural(n, "replacement is Pending", "replacements are Pending"))
	}
	if n := all.tally().Failing; n > 0 {
		parts = append(parts, format.Plural(n, "replacement fails", "replacements fail"))
	}
	if parts == nil {
		return ""
	}
	return ", but " + strings.Join(parts, " and ")
}

// unready names the pods that have left and whose replacement is not Ready, with what became of it: those that need
// somebody first.
func (all replacements) unready() (facts []Fact) {
	var starting []Fact
	for _, p := range all {
		f := p.Replacement
		text := p.Namespace + "/" + p.Name + "  " + f.Words()
		switch {
		case f.State.Settled() || !p.State.Left():
		case f.Stuck():
			facts = append(facts, Fact{Warning, text})
		default:
			starting = append(starting, Fact{Plain, text})
		}
	}
	return append(facts, starting...)
}

// table is about those that were wanted and are not Ready.
func (all replacements) table() table {
	t := table{title: "Replacements that are not Ready", most: volumesInTable, one: "replacement", many: "replacements",
		columns: []column{
			{title: "pod", others: true}, {title: "from", others: true, lead: "of "}, {title: "what became of its replacement", others: true}}}
	for _, p := range all {
		if f := p.Replacement; !f.State.Settled() {
			t.rows = append(t.rows, []string{p.Namespace + "/" + p.Name, p.from, f.Words()})
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
		l.add(w.Sentence(), "kubectl describe "+format.ShellWord(strings.ToLower(w.Kind))+" -n "+w.Namespace+" "+
			format.ShellWord(w.Name))
	}
}

// replacements are those that need somebody. What the health gate found worse is told by workloads.
func (l *toDos) replacements(s *drain.State) {
	if s.Gate != nil {
		return
	}
	for _, p := range s.Pods {
		if f := &p.Replacement.Facts; f.Stuck() && p.State.Left() {
			l.add("pod "+p.Namespace+"/"+p.Name+" has left, and its "+f.Words(), "kubectl describe pod -n "+
				format.ShellWord(p.Namespace)+" "+format.ShellWord(f.Pod))
		}
	}
}
