package report

import (
	"cmp"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Status is what is known of the process of a run.
type Status string

// The statuses of a run in its report.
const (
	StatusEnded Status = "ended" // it came to its end, whatever that was
	StatusLive  Status = "live"  // a process works on it: the report is of this moment
	StatusDead  Status = "dead"  // its process died: the report ends with its journal
	// StatusSuspended is a run whose process ended in order and left it to resume.
	StatusSuspended Status = "suspended"
)

// Span is a time in which a pod was in one state for one cause. A pod that is
// tried again and refused for the same cause stays in its span.
type Span struct {
	State        eviction.State       `json:"state"`
	From         time.Time            `json:"from"`
	Seconds      float64              `json:"seconds"`
	Tries        int                  `json:"tries,omitempty"` // requests sent within
	For          waits.For            `json:"for,omitempty"`
	Budget       string               `json:"budget,omitempty"`       // namespace/name
	UnhealthyPod *budget.UnhealthyPod `json:"unhealthyPod,omitempty"` // the pod that held the budget, as last seen
	Never        bool                 `json:"never,omitempty"`        // by arithmetic it would not end by itself
	// what held longest, where it was more than one thing
	Why string `json:"why,omitempty"`

	parts []part
}

// Blocker is what blocked pods: a budget and its unhealthy pod, a webhook, a
// finalizer, a silent kubelet.
type Blocker struct {
	For          waits.For            `json:"for,omitempty"`
	Budget       string               `json:"budget,omitempty"`
	UnhealthyPod *budget.UnhealthyPod `json:"unhealthyPod,omitempty"`
	Never        bool                 `json:"never,omitempty"`
	Why          string               `json:"why"`
	Pods         []string             `json:"pods"`       // namespace/name, those that it held
	Seconds      float64              `json:"seconds"`    // in which it held at least one pod
	PodSeconds   float64              `json:"podSeconds"` // the same, summed over its pods
	From         time.Time            `json:"from"`
	Until        time.Time            `json:"until"`
	// with their shares, the longest first; Why and UnhealthyPod are the first's
	Causes []Cause `json:"causes"`
}

// AnswerEntry is one request and its answer, with what finds it in the audit log.
type AnswerEntry struct {
	Time    time.Time    `json:"time"`
	Verb    attempt.Verb `json:"verb"`
	Object  string       `json:"object"` // Kind/namespace/name
	Code    int          `json:"code"`   // 0: no answer came
	AuditID string       `json:"auditID,omitempty"`
}

// Of is the report of a run from its events: OfState, and what the last
// state no longer knows. live reports that a process works on the run.
func Of(events []drain.Event, live bool) Report {
	s := drain.Fold(nil, events...)
	r := OfState(s)
	h := &history{report: &r, spans: map[kube.UID][]Span{}, open: map[uint64]drain.Event{},
		raises: raises{map[kube.UID]int32{}, map[kube.UID]time.Time{}, map[kube.UID]Surge{}}}
	for i, e := range events {
		h.interrupt(events[:i], e)
		h.take(e)
	}
	switch {
	case s.Outcome != "":
		r.Status = StatusEnded
	case live:
		r.Status = StatusLive
	case s.Suspended:
		r.Status = StatusSuspended
	default:
		r.Status = StatusDead
	}
	end := orElse(s.Ended, s.Updated)
	for i := range r.Nodes {
		for k := range r.Nodes[i].Pods {
			p := &r.Nodes[i].Pods[k]
			p.Timeline = h.closed(kube.UID(p.UID), end)
			p.Causes = causes(p.Timeline)
		}
	}
	h.endOutage(end)
	r.Blockers = blockers(r.Nodes)
	r.Warnings = warnings(s, h)
	r.ToDo = toDo(s, r.Status)
	return r
}

// history gathers what the events tell in their order.
type history struct {
	report  *Report
	spans   map[kube.UID][]Span
	open    map[uint64]drain.Event // intents without an answer
	away    bool                   // the last outage is not over
	resumed int
	raises
}

func (h *history) take(e drain.Event) {
	switch e.Kind {
	case drain.EventRunStarted:
		for _, p := range e.Run.Pods {
			if p.Action == plan.ActionEvict || p.Action == plan.ActionDelete {
				h.begin(p.UID, Span{State: eviction.Planned, From: e.Time})
			}
		}
		h.log(e, "run started")
	case drain.EventPodAdded:
		h.begin(e.Added.UID, Span{State: eviction.Planned, From: e.Time})
	case drain.EventIntent:
		h.intent(e)
	case drain.EventAnswer:
		h.answer(e)
	case drain.EventPod:
		h.pod(e)
	case drain.EventResumed:
		h.resumed++
		h.open = map[uint64]drain.Event{} // what was in doubt is asked for
		h.back(e.Time)                    // or away still, and that is told again
		h.log(e, "resumed by another process")
	case drain.EventConnection:
		h.connection(e)
	case drain.EventConfirmed:
		h.log(e, string(e.Phase)+" confirmed")
	case drain.EventControl:
		h.control(e)
	case drain.EventNode:
		h.node(e)
	case drain.EventBudget:
		h.budget(e)
	case drain.EventRemedy:
		h.remedy(e)
	case drain.EventSurge:
		h.surge(e)
	case drain.EventGate:
		text := "health gate open: workloads are no worse than before"
		if e.Gate.Closed {
			text = "health gate closed" + after(e.Message)
		}
		h.log(e, text)
	case drain.EventUndone:
		h.undone(e)
	case drain.EventRunEnded:
		h.log(e, "run ended: "+string(e.Outcome)+after(e.Message))
	}
}

func after(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

func (h *history) connection(e drain.Event) {
	switch {
	case e.Message != "":
		if !h.away {
			h.away, h.report.Outages = true, append(h.report.Outages, Outage{From: e.Time.UTC(), Why: e.Message})
		}
		h.logAs(LogOutage, e, "the API server is unreachable: "+e.Message)
	case h.away:
		h.logAs(LogReachable, e, "the API server is back after "+spell(h.back(e.Time)))
	}
}

// back ends an outage, and is how many seconds it took.
func (h *history) back(at time.Time) float64 {
	o := h.endOutage(at.UTC())
	if o == nil {
		return 0
	}
	o.Until, h.away = at.UTC(), false
	return o.Seconds
}

// endOutage counts an outage up to that moment, nil if there is none.
func (h *history) endOutage(at time.Time) *Outage {
	if !h.away {
		return nil
	}
	o := &h.report.Outages[len(h.report.Outages)-1]
	o.Seconds = seconds(o.From, at)
	return o
}

func (h *history) intent(e drain.Event) {
	h.open[e.Action.ID] = e
	if e.Pod == "" || e.Surge != nil || e.Action.Verb == attempt.VerbGet { // nothing that asks the pod to go
		return
	}
	spans := h.spans[e.UID]
	if n := len(spans); n > 0 && spans[n-1].State.Blocked() {
		spans[n-1].Tries++
		return
	}
	h.begin(e.UID, Span{State: eviction.Requested, From: e.Time, Tries: 1, For: waits.ForAnswer})
}

func (h *history) answer(e drain.Event) {
	delete(h.open, e.Action.ID)
	h.report.Answers = append(h.report.Answers, AnswerEntry{
		Time: e.Time.UTC(), Verb: e.Action.Verb, Object: objectOf(e), Code: e.Answer.Code, AuditID: e.Answer.AuditID,
	})
}

// objectOf names what a request was about.
func objectOf(e drain.Event) string {
	switch {
	case e.Remedy != nil && e.Remedy.Namespace == "":
		return e.Remedy.Object + "/" + e.Remedy.Name
	case e.Remedy != nil:
		return e.Remedy.Object + "/" + e.Remedy.Namespace + "/" + e.Remedy.Name
	case e.Budget != nil:
		return "PodDisruptionBudget/" + e.Budget.Namespace + "/" + e.Budget.Name
	case e.Pod != "":
		return "Pod/" + e.Namespace + "/" + e.Pod
	case e.Surge != nil:
		return e.Surge.Kind + "/" + e.Surge.Namespace + "/" + e.Surge.Name
	}
	return "Node/" + e.Node
}

func (h *history) pod(e drain.Event) {
	next := spanOf(e)
	spans := h.spans[e.UID]
	if n := len(spans); n > 0 && spans[n-1].continues(next) {
		last := &spans[n-1]
		last.goesOn(next)
		next.From, next.Tries, next.Never, next.parts = last.From, last.Tries, next.Never || last.Never, last.parts
		*last = next
		return
	}
	h.begin(e.UID, next)
}

// begin ends the span of before.
func (h *history) begin(pod kube.UID, next Span) {
	next.From = next.From.UTC()
	next.parts = []part{partOf(next)}
	h.end(h.spans[pod], next.From)
	h.spans[pod] = append(h.spans[pod], next)
}

func (h *history) end(spans []Span, at time.Time) {
	if n := len(spans); n > 0 {
		spans[n-1].finish(at)
	}
}

// closed are the spans of a pod, the last one up to the end of the run unless
// nothing more can happen in it.
func (h *history) closed(pod kube.UID, end time.Time) []Span {
	spans := h.spans[pod]
	if n := len(spans); n > 0 && !spans[n-1].State.Final() {
		h.end(spans, end)
	}
	return spans
}

func spanOf(e drain.Event) Span {
	s := Span{State: e.PodState, From: e.Time.UTC(), Why: e.Message}
	if e.Wait == nil {
		return s
	}
	w := e.Wait
	s.For, s.Never = w.For, w.Never
	if w.Budget != nil {
		s.Budget = w.Budget.Namespace + "/" + w.Budget.Name
	}
	if w.UnhealthyPod != nil {
		s.UnhealthyPod = w.UnhealthyPod
	}
	if s.Why == "" {
		s.Why = lasting(w)
	}
	return s
}

// lasting is what a wait is for in words that stay true when the moment is over.
func lasting(w *waits.Wait) string {
	switch w.For {
	case waits.ForGrace:
		text := "its grace period"
		if !w.Until.IsZero() {
			text += ", until " + w.Until.UTC().Format("15:04:05 MST")
		}
		return text
	case waits.ForServer, waits.ForWebhook:
		if w.Words != "" {
			return w.Words
		}
		if w.For == waits.ForServer {
			return "the API server"
		}
	}
	return w.Sentence(w.Until)
}

// continues reports whether the next span is the same state for the same cause; the
// words and figures of a cause change while it lasts.
func (s Span) continues(next Span) bool {
	if s.State != next.State || s.For != next.For || s.Budget != next.Budget || s.webhook() != next.webhook() {
		return false
	}
	a, b := cmp.Or(s.UnhealthyPod, &budget.UnhealthyPod{}), cmp.Or(next.UnhealthyPod, &budget.UnhealthyPod{})
	return a.Namespace == b.Namespace && a.Name == b.Name
}
