package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Surge is a workload whose replacements were to start first, and what came of it.
type Surge struct {
	Workload string      `json:"workload"` // Kind/namespace/name
	State    surge.State `json:"state"`
	From     int32       `json:"from"` // replicas before, 0 where it was never raised
	To       int32       `json:"to"`   // and at most
	Pods     int         `json:"pods"` // that were to move
	// Left is how many of them its owner removed once their replacements were Ready: they
	// were not evicted.
	Left    int     `json:"left"`
	Seconds float64 `json:"seconds"` // from the first raise to the last change; of the events
	Message string  `json:"message,omitempty"`
}

func reportSurges(s *drain.State) []Surge {
	var all []Surge
	for _, r := range s.Surges {
		one := Surge{Workload: r.Kind + "/" + r.Namespace + "/" + r.Name, State: r.State, Pods: r.Pods,
			Message: r.Message}
		moved := 0
		for _, p := range s.Pods {
			if !slices.Contains(r.Tried, p.UID) && !r.Batch.Has(p.UID) {
				continue
			}
			if moved++; p.State.Left() && p.Attempts == 0 {
				one.Left++
			}
		}
		one.Pods = max(one.Pods, moved) // where an operator asked for it, the plan had none
		all = append(all, one)
	}
	return all
}

// surge notes how far a workload was raised, and when.
func (h *history) surge(e drain.Event) {
	h.log(e, e.Surge.Title()+": surge "+strings.ToLower(string(e.SurgeChange.State))+after(e.Message))
	i := slices.IndexFunc(h.report.Surges, func(s Surge) bool {
		return s.Workload == e.Surge.Kind+"/"+e.Surge.Namespace+"/"+e.Surge.Name
	})
	if i < 0 {
		return
	}
	s := &h.report.Surges[i]
	uid, state := e.Surge.UID, e.SurgeChange.State
	switch before, raising := h.before[uid]; {
	case state == surge.Raising && e.SurgeChange.Batch != nil:
		h.before[uid] = *s
	case raising && slices.Contains([]surge.State{surge.Planned, surge.Refused, surge.Undone}, state):
		if s.From, s.To, s.Seconds = before.From, before.To, before.Seconds; s.To == 0 {
			delete(h.raised, uid)
			delete(h.raisedAt, uid)
		}
		fallthrough
	default:
		delete(h.before, uid)
	}
	if b := e.SurgeChange.Batch; b != nil {
		if _, raised := h.raised[uid]; !raised {
			h.raised[uid], h.raisedAt[uid] = b.Was, e.Time
		}
		s.From, s.To = h.raised[uid], max(s.To, b.To)
	}
	if at, raised := h.raisedAt[uid]; raised {
		s.Seconds = seconds(at, e.Time)
	}
}

// surgeTable has a row for each workload whose replacements were to start first.
func (r Report) surgeTable() table {
	t := table{title: "Replacements first", most: volumesInTable, one: "workload", many: "workloads", columns: []column{
		{title: "workload", others: true}, {title: "from", right: true}, {title: "to", right: true},
		{title: "left without an eviction", right: true}, {title: "took", right: true}, {others: true}}}
	for _, s := range r.Surges {
		from, to, took := "-", "-", "-"
		if s.To > 0 {
			from, to, took = fmt.Sprint(s.From), fmt.Sprint(s.To), spell(s.Seconds)
		}
		t.rows = append(t.rows, []string{s.Workload, from, to, fmt.Sprintf("%d of %d", s.Left, s.Pods), took,
			s.Message})
	}
	return t
}

func surgeFacts(surges []Surge) (facts []Fact) {
	for _, s := range surges {
		text, raised := s.Workload+": not raised", "raised"
		if s.State == surge.Raising {
			raised = "to be raised"
		}
		if s.To > 0 {
			text = fmt.Sprintf("%s: %s from %d to %d, %d of %s left without an eviction", s.Workload, raised,
				s.From, s.To, s.Left, format.Count(s.Pods, "pod"))
			if s.Seconds > 0 {
				text += ", in " + spell(s.Seconds)
			}
		}
		facts = append(facts, Fact{Plain, text + after(s.Message)})
	}
	return facts
}

// raises are when workloads were first raised, and from what number.
type raises struct {
	raised   map[kube.UID]int32
	raisedAt map[kube.UID]time.Time
	before   map[kube.UID]Surge // before a raise that is not seen yet: it may be refused
}
