package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func EachMove(plan Plan, do func(*Pod)) {
	for i := range plan.Nodes {
		for k := range plan.Nodes[i].Pods {
			if plan.Nodes[i].Pods[k].Moves() {
				do(&plan.Nodes[i].Pods[k])
			}
		}
	}
}

// Estimate is how long the evictions of a plan take, counted from the first. It
// is a guess from what the cluster shows of its own past, and says so.
type Estimate struct {
	// Total is until the last pod has left that nothing holds for good, and its volumes are detached.
	Total time.Duration
	// LowerBound is what long grace periods alone take; zero where no pod has one.
	LowerBound time.Duration
	// Longest is the pod that LowerBound comes from, "namespace/name".
	Longest string
	// LongestGrace is the grace period of that pod.
	LongestGrace time.Duration
	// Because says what determines the time, in one line.
	Because string
	// Waves are the pods that go at once, those that go once the first are Ready
	// elsewhere, and so on.
	Waves []int
	// Held are the pods that would not go in the cluster as it is.
	Held int
	// Saved is how much longer it would take without the surge; zero where none is planned.
	Saved time.Duration
	// Rough tells that the plan was too large to be played through, and is only
	// counted.
	Rough bool
	// Wave is the wave of each pod that moves, 0 for one that is held; nil where it is
	// Rough.
	Wave map[kube.UID]int
	// Holds are the pods that wait for something that the drain itself keeps from happening.
	Holds map[kube.UID]Hold
	// Nodes are when its pods leave each node from which some do, in the order of the plan; none where it is
	// Rough.
	Nodes []NodeSpan
}

// Hold is what a pod waits for that no wait brings about, and what would.
type Hold struct {
	Effect
	Advice []budget.Advice
}

// NodeSpan is from the first eviction on a node until its last pod has left that nothing holds for good, both
// counted from the begin of the evictions.
type NodeSpan struct {
	Node        string
	From, Until time.Duration
}

// Words are the span as an estimate: "0:00 to ~1:40".
func (s NodeSpan) Words() string { return format.Clock(s.From) + " to ~" + format.Clock(s.Until) }

// SpanOf is that of a node, nil where no pod of it leaves, or where it is not known.
func (e *Estimate) SpanOf(node string) *NodeSpan {
	if e == nil {
		return nil
	}
	if i := slices.IndexFunc(e.Nodes, func(s NodeSpan) bool { return s.Node == node }); i >= 0 {
		return &e.Nodes[i]
	}
	return nil
}

// WithEstimate is the plan with how long it takes. Its waves are those of the forecast,
// where it was played through.
func (p Plan) WithEstimate(e Estimate) Plan {
	p.Estimate = &e
	if e.Wave == nil {
		return p
	}
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		pods := slices.Clone(p.Nodes[i].Pods)
		for k := range pods {
			if pods[k].Moves() {
				pods[k].Wave = e.Wave[pods[k].UID]
				if hold, held := e.Holds[pods[k].UID]; held {
					pods[k].Hold, pods[k].Advice = &hold, hold.Advice
				}
			}
		}
		p.Nodes[i].Pods = pods
	}
	return p
}

func (e *Estimate) Count(wave int) {
	for len(e.Waves) < wave {
		e.Waves = append(e.Waves, 0)
	}
	e.Waves[wave-1]++
}

// Words say the estimate in one line, for a run that begins at start, in the
// time zone of start: "about 3 min (estimate); not before 14:40: kafka-2 has 1 h
// of grace". It is "" where nothing would go.
func (e Estimate) Words(start time.Time) string {
	if len(e.Waves) == 0 {
		return ""
	}
	text := "about " + roughly(e.Total) + " (estimate)"
	if e.Rough {
		text = "very roughly " + roughly(e.Total) + " (estimate)"
	}
	if e.LowerBound > 0 {
		text += "; not before " + clock(start, start.Add(e.LowerBound)) + ": " + e.Longest
		if e.LongestGrace == e.LowerBound {
			text += " has " + format.Duration(e.LongestGrace) + " of grace"
		} else {
			text += " may take " + roughly(e.LowerBound) + " to end"
		}
	}
	if e.Saved >= time.Second {
		text += "; " + roughly(e.Saved) + " shorter by --surge"
	}
	if e.Held > 0 {
		text += fmt.Sprintf("; not counting %s that cannot leave yet", format.Count(e.Held, "pod"))
	}
	return text
}

// roughly returns a time as exact as an estimate is: in steps of five seconds below one and a half minutes, of minutes
// below one and a half hours, of hours below one and a half days.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 90*time.Second:
		d = max(d.Round(5*time.Second), 5*time.Second)
	case d < 90*time.Minute:
		d = d.Round(time.Minute)
	case d < 3*day/2:
		d = d.Round(time.Hour)
	default:
		d = d.Round(day)
	}
	return format.Duration(d)
}

// clock is a time of day, with the date where that is another than that of now.
func clock(now, at time.Time) string {
	if at = at.In(now.Location()); at.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return at.Format("2006-01-02 15:04 MST")
	}
	return at.Format("15:04 MST")
}
