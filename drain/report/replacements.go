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

// tally counts what became of the replacements of the pods that are gone.
func (r Report) tally() (t replacement.Tally) {
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if p.Replacement != nil {
				t.Add(&replacement.Record{Facts: p.Replacement.Facts})
			}
		}
	}
	return t
}

// replaced counts the replacements that are Ready, "" where none is wanted.
func (r Report) replaced() string {
	tally := r.tally()
	if tally.Wanted == 0 {
		return ""
	}
	var slow *Pod
	for i := range r.Nodes {
		for k := range r.Nodes[i].Pods {
			if p := &r.Nodes[i].Pods[k]; p.Replacement != nil && p.Replacement.ReadySeconds >= 1 &&
				(slow == nil || p.Replacement.ReadySeconds > slow.Replacement.ReadySeconds) {
				slow = p
			}
		}
	}
	text := fmt.Sprintf("%d of %s Ready", tally.Ready, plural(tally.Wanted, "replacement", "replacements"))
	if slow != nil {
		text += ", the slowest " + slow.Namespace + "/" + slow.Replacement.Pod + " after " +
			spell(slow.Replacement.ReadySeconds)
	}
	return text
}

// stuck counts the replacements that need somebody, as the end of a sentence: "" for none.
func (r Report) stuck() string {
	var parts []string
	if n := r.tally().Pending; n > 0 {
		parts = append(parts, plural(n, "replacement is Pending", "replacements are Pending"))
	}
	if n := r.tally().Failing; n > 0 {
		parts = append(parts, plural(n, "replacement fails", "replacements fail"))
	}
	if parts == nil {
		return ""
	}
	return ", but " + strings.Join(parts, " and ")
}

// unready names the pods that are gone and whose replacement is not Ready, with what became of it: those
// that need somebody first.
func (r Report) unready() (facts []Fact) {
	var starting []Fact
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			switch f := p.Replacement; {
			case f == nil || f.State.Settled():
			case f.Stuck():
				facts = append(facts, Fact{Warning, p.Namespace + "/" + p.Name + "  " + f.Words()})
			default:
				starting = append(starting, Fact{Plain, p.Namespace + "/" + p.Name + "  " + f.Words()})
			}
		}
	}
	return append(facts, starting...)
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

// replacements are those that need somebody. What the health gate found worse is told by workloads.
func (l *toDos) replacements(s *drain.State) {
	if s.Gate != nil {
		return
	}
	for _, p := range s.Pods {
		if f := &p.Replacement.Facts; f.Stuck() {
			l.add("pod "+p.Namespace+"/"+p.Name+" has left, and its "+f.Words(), "kubectl describe pod -n "+
				words.ShellWord(p.Namespace)+" "+words.ShellWord(f.Pod))
		}
	}
}
