package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// held reports whether the span is one in which something kept the pod where it is
// that is not the usual course of an eviction.
func (s Span) held() bool {
	return s.State.Blocked() || s.State == eviction.StuckTerminating || s.State == eviction.Planned &&
		s.For == waits.ForTemporaryBudget
}

// blockers are what held pods up, the longest first.
func blockers(nodes []Node) []Blocker {
	type cause struct {
		waits                         waits.For
		budget, unhealthyPod, webhook string
	}
	var order []cause
	found, times := map[cause]*Blocker{}, map[cause][]Span{}
	for _, n := range nodes {
		for _, p := range n.Pods {
			for _, s := range p.Timeline {
				if !s.held() {
					continue
				}
				c := cause{waits: s.For, budget: s.Budget, webhook: s.webhook()}
				if s.UnhealthyPod != nil {
					c.unhealthyPod = s.UnhealthyPod.Namespace + "/" + s.UnhealthyPod.Name
				}
				b := found[c]
				if b == nil {
					b = &Blocker{For: s.For, Budget: s.Budget}
					found[c], order = b, append(order, c)
				}
				b.add(p, s)
				times[c] = append(times[c], s)
			}
		}
	}
	all := make([]Blocker, 0, len(order))
	for _, c := range order {
		found[c].Seconds, found[c].Causes = covered(times[c]), causes(times[c])
		found[c].UnhealthyPod, found[c].Why = found[c].Causes[0].UnhealthyPod, found[c].Causes[0].Why
		all = append(all, *found[c])
	}
	slices.SortStableFunc(all, func(a, b Blocker) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(b.PodSeconds, a.PodSeconds))
	})
	return all
}

// webhook is the name of the admission webhook that holds the pod, by the words of the API server; "" for none.
func (s Span) webhook() string {
	if s.For != waits.ForWebhook {
		return ""
	}
	_, name, _ := strings.Cut(s.Why, `webhook "`)
	name, _, _ = strings.Cut(name, `"`)
	return name
}

func (b *Blocker) add(p Pod, s Span) {
	if pod := p.Namespace + "/" + p.Name; !slices.Contains(b.Pods, pod) {
		b.Pods = append(b.Pods, pod)
	}
	until := s.until()
	if b.Until.IsZero() || until.After(b.Until) {
		b.Until = until
	}
	if b.From.IsZero() || s.From.Before(b.From) {
		b.From = s.From
	}
	b.Never = b.Never || s.Never
	b.PodSeconds += s.Seconds
}

func (s Span) until() time.Time { return s.From.Add(time.Duration(s.Seconds * float64(time.Second))) }

// covered is how long at least one of the spans lasted, in seconds.
func covered(spans []Span) float64 {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int { return a.From.Compare(b.From) })
	var sum time.Duration
	var upTo time.Time
	for _, s := range spans {
		from := s.From
		if from.Before(upTo) {
			from = upTo
		}
		if until := s.until(); until.After(from) {
			sum, upTo = sum+until.Sub(from), until
		}
	}
	return sum.Round(time.Millisecond).Seconds()
}

// warnings are what whoever reads the report should not miss.
func warnings(s *drain.State, h *history) []string {
	var list []string
	add := func(n int, one, many string) {
		if n > 0 {
			list = append(list, format.Plural(n, one, many))
		}
	}
	past, joined := 0, 0
	for _, p := range s.Pods {
		if s.Run.Options.Excludes(p.Namespace, p.Name) && !p.State.Left() {
			list = append(list, fmt.Sprintf("pod %s/%s was excluded by hand: the run did not evict it from %s",
				p.Namespace, p.Name, p.Node))
		}
		if p.Action == plan.ActionDelete && p.Attempts > 0 {
			past++
		}
		if p.Added {
			joined++
		}
	}
	add(past, "pod was deleted past all budgets", "pods were deleted past all budgets")
	add(joined, "pod was bound to a node after the plan was made", "pods were bound to a node after the plan was made")
	if outages := h.report.Outages; len(outages) > 0 {
		down := 0.0
		for _, o := range outages {
			down += o.Seconds
		}
		list = append(list, fmt.Sprintf("the API server was unreachable %s, for %s",
			format.Count(len(outages), "time"), spell(down)))
	}
	if words := h.report.lastKnown(); words != "" {
		list = append(list, words)
	}
	add(h.resumed, "time another process resumed the run", "times another process resumed the run")
	if s.Run.Options.GracePeriodSeconds == 0 {
		list = append(list, "pods got no grace period (--grace-period=0)")
	}
	list = append(list, s.Warnings...)
	for _, e := range openIntents(h.open) {
		list = append(list, fmt.Sprintf("in doubt: %s of %s was about to be sent at %s, and no answer is known",
			e.Action.Verb, objectOf(e), e.Time.UTC().Format("15:04:05 MST")))
	}
	return list
}

func openIntents(open map[uint64]drain.Event) []drain.Event {
	var list []drain.Event
	for _, e := range open {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b drain.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}
