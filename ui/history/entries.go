package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// entry is one line of the event log.
type entry struct {
	key    string
	at     time.Time
	what   string // glyph and word
	token  paint.Token
	object string
	text   string
}

// entriesOf are the evictions, answers, actions, outages and all else that a report tells of
// the run, in the order of time.
func entriesOf(of report.Report) []entry {
	var all []entry
	for _, l := range of.Log {
		all = append(all, logEntry(l))
	}
	for _, a := range of.Answers {
		all = append(all, answerEntry(a))
	}
	for _, n := range of.Nodes {
		for i := range n.Pods {
			all = append(all, podEntries(&n.Pods[i])...)
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.at.Compare(b.at) })
	for i := range all {
		all[i].object, all[i].text = wording.Clean(all[i].object), wording.Clean(all[i].text)
	}
	for i := range all { // two of one moment about one object stay two
		all[i].key = fmt.Sprintf("%d/%s/%s/%s", all[i].at.UnixNano(), all[i].what, all[i].object, all[i].text)
		if i > 0 && all[i].key == all[i-1].key {
			all[i].key += fmt.Sprint("/", i)
		}
	}
	return all
}

func logEntry(l report.LogEntry) entry {
	e := entry{at: l.Time, what: paint.Stay + " run", token: themes.Text, object: l.Node, text: l.Text}
	switch l.Kind {
	case report.LogAction:
		e.what, e.token = paint.Play+" action", themes.Accent
	case report.LogOutage:
		e.what, e.token = paint.Bad+" outage", themes.Bad
	case report.LogReachable:
		e.what, e.token = paint.Good+" outage", themes.Good
	case report.LogNode:
		e.what = paint.Ready + " node"
	}
	if l.By != "" {
		e.text += ", by " + l.By
	}
	return e
}

func answerEntry(a report.AnswerEntry) entry {
	kind, name, _ := strings.Cut(a.Object, "/")
	e := entry{at: a.Time, what: paint.Good + " answer", token: themes.Good, object: name,
		text: fmt.Sprintf("%s of %s: %d", a.Verb, kind, a.Code)}
	switch {
	case a.Code == 0:
		e.what, e.token, e.text = paint.Unknown+" answer", themes.Warning, fmt.Sprintf("%s of %s: no answer", a.Verb,
			kind)
	case a.Code >= 300:
		e.what, e.token = paint.Wait+" answer", themes.Warning
	}
	return e
}

// podEntries are what became of a pod, one for each time that it was in one state for one
// cause.
func podEntries(p *report.Pod) []entry {
	var all []entry
	for _, s := range p.Timeline {
		if s.State == eviction.Planned {
			continue
		}
		line := wording.PodState(&eviction.Record{Facts: eviction.Facts{Action: p.Action, Costs: p.Costs},
			State: s.State, Attempts: p.Attempts})
		text := s.Why
		if s.Tries > 1 {
			text += fmt.Sprintf(" (%d tries)", s.Tries)
		}
		all = append(all, entry{at: s.From, what: line.String(), token: line[0].Token, object: p.Namespace + "/" +
			p.Name, text: text})
	}
	return all
}
