package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
)

// ganttMost is how many bars a chart has at most: more than that and GitHub's
// picture of it cannot be read (nor, some hundreds later, is it drawn).
const ganttMost = 60

// bar is one bar of the chart: a pod that was held, or a pod on its way out.
type bar struct {
	node, label, tag string
	from, to         time.Time
}

// gantt is the timeline of the run as a Mermaid chart (https://mermaid.js.org,
// gantt), with a section for each node, the longest bars first. leftOut is how
// many bars had no room. "" means that nothing was moved.
func (r Report) gantt() (chart string, leftOut int) {
	bars := r.bars()
	if len(bars) == 0 {
		return "", 0
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.to.Sub(b.from), a.to.Sub(a.from)) })
	if leftOut = max(0, len(bars)-ganttMost); leftOut > 0 {
		bars = bars[:ganttMost]
	}
	axis := "%H:%M:%S"
	if r.DurationSeconds > 24*3600 {
		axis = "%m-%d %H:%M"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gantt\n    title %s\n    dateFormat YYYY-MM-DD HH:mm:ss.SSS\n    axisFormat %s\n",
		mermaid("Run "+r.Run+", times in UTC"), axis)
	for _, n := range r.Nodes {
		begun := false
		for _, one := range bars {
			if one.node != n.Name {
				continue
			}
			if !begun {
				fmt.Fprintf(&b, "    section %s\n", mermaid(n.Name))
				begun = true
			}
			fmt.Fprintf(&b, "    %s :%s%s, %s\n", mermaid(one.label), one.tag, ganttTime(one.from), ganttTime(one.to))
		}
	}
	return b.String(), leftOut
}

func ganttTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

func (r Report) bars() []bar {
	var bars []bar
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			bars = append(bars, podBars(n.Name, p)...)
		}
	}
	return bars
}

// podBars are the time in which a pod was held, from the first to the last of
// it, and the time from there to its end.
func podBars(node string, p Pod) []bar {
	var held, rest *bar
	var longest Span
	for i := range p.Timeline {
		s := p.Timeline[i]
		switch {
		case s.held() && s.State != eviction.StuckTerminating:
			if held == nil {
				held = &bar{node: node, tag: "crit, ", from: s.From}
			}
			held.to = s.until()
			if s.Seconds >= longest.Seconds {
				longest = s
			}
		case s.State == eviction.Requested || s.State.Ends():
			if rest == nil {
				rest = &bar{node: node, from: s.From}
			}
			rest.to = s.until()
		}
	}
	name := p.Namespace + "/" + p.Name
	var bars []bar
	if held != nil {
		held.label = "blocked " + name
		if longest.Budget != "" {
			held.label += " by " + longest.Budget
		}
		bars = append(bars, *held)
	}
	if rest != nil {
		if held != nil && rest.from.Before(held.to) {
			rest.from = held.to // the first try was refused
		}
		if rest.to.Before(rest.from) {
			return bars
		}
		rest.label, rest.tag = outcomeOfBar(p, name)
		bars = append(bars, *rest)
	}
	return bars
}

func outcomeOfBar(p Pod, name string) (label, tag string) {
	switch {
	case p.State.Left():
		return "gone " + name, "done, "
	case p.State == eviction.Failed || p.State == eviction.StuckTerminating:
		return "stuck " + name, "crit, "
	}
	return "ends " + name, "active, "
}

// mermaid makes a text safe in a chart. Its grammar has no quoting: a colon ends
// the name of a bar, a semicolon or # the statement, %% begins a comment, and a
// date or keyword at the start is taken for one (our labels begin with a word of
// their own). Whatever is not plainly harmless becomes a hyphen.
func mermaid(text string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" ._/()-", r):
			return r
		case r == ',':
			return ' '
		}
		return '-'
	}, text)
	return strings.Join(strings.Fields(safe), " ")
}
