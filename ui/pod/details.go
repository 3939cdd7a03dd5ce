package pod

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// podParts are the parts of a pod's page, in the order of their keys.
var podParts = []string{"state", "logs", "yaml"}

// podMissing says what of a pod could not be read; nil where nothing is missing.
func podMissing(d watch.PodDetails) []paint.Line {
	var lines []paint.Line
	for _, m := range d.Missing {
		lines = append(lines, paint.L(themes.Warning, paint.Warn+" Not read: "+m))
	}
	return lines
}

// podConditions are the conditions of a pod, those that are not true first in
// colour.
func podConditions(d watch.PodDetails, now time.Time) []paint.Line {
	if len(d.Conditions) == 0 {
		return []paint.Line{paint.L(themes.Muted, "It has none.")}
	}
	wide := 0
	for _, c := range d.Conditions {
		wide = max(wide, paint.Width(c.Type))
	}
	var lines []paint.Line
	for _, c := range d.Conditions {
		mark, token := paint.Good, themes.Good
		if c.Status != "True" {
			mark, token = paint.Hollow, themes.Warning
		}
		l := paint.L(token, mark+" "+c.Type).Fit(wide+2).Add(themes.Muted, "  "+c.Status)
		if !c.Since.IsZero() {
			l = l.Add(themes.Muted, " for "+wording.Age(now.Sub(c.Since)))
		}
		if c.Reason != "" {
			l = l.Add(themes.Text, "  "+c.Reason)
		}
		if c.Message != "" {
			l = l.Add(themes.Muted, "  "+wording.Quote(c.Message))
		}
		lines = append(lines, l)
	}
	return lines
}

// podEvents are the events about a pod, the newest first.
func podEvents(d watch.PodDetails, now time.Time) []paint.Line {
	if len(d.Events) == 0 {
		return []paint.Line{paint.L(themes.Muted, "There are none; the server forgets events after an hour.")}
	}
	var lines []paint.Line
	for i := len(d.Events) - 1; i >= 0; i-- {
		e := d.Events[i]
		token := themes.Text
		if e.Type == "Warning" {
			token = themes.Warning
		}
		l := paint.L(themes.Muted, wording.Age(now.Sub(e.At))+" ago").Fit(10).Add(token, e.Reason)
		if e.Count > 1 {
			l = l.Add(themes.Muted, " ("+wording.Number(int(e.Count))+" times)")
		}
		l = l.Add(themes.Text, "  "+wording.Quote(e.Message))
		if e.From != "" {
			l = l.Add(themes.Muted, "  "+e.From)
		}
		lines = append(lines, l)
	}
	return lines
}

// podYAML is the object itself.
func podYAML(d watch.PodDetails) []paint.Line {
	if d.YAML == "" {
		return []paint.Line{paint.L(themes.Muted, "It could not be read.")}
	}
	lines := []paint.Line{paint.L(themes.Muted, "# without managed fields, and without the values of its environment")}
	for _, text := range strings.Split(d.YAML, "\n") {
		key, value, found := strings.Cut(text, ":")
		if !found || strings.ContainsAny(key, `"'`) {
			lines = append(lines, paint.T(text))
			continue
		}
		lines = append(lines, paint.L(themes.Muted, key+":").Add(themes.Text, value))
	}
	return lines
}

// adviceLines are all that would help a pod, each with its command on a line of its
// own; nil where there is nothing to do.
func adviceLines(p plan.Pod) []paint.Line {
	all := wording.Advice(p)
	if len(all) == 0 {
		return nil
	}
	lines := []paint.Line{nil, paint.L(themes.Title, "What would help").Add(themes.Muted,
		"  none of it is done automatically")}
	for _, a := range all {
		lines = append(lines, paint.T(wording.FirstUpper(strings.TrimSuffix(a.Text, "."))+"."))
		if a.Command != "" {
			lines = append(lines, paint.L(themes.Accent, "    "+a.Command))
		}
	}
	return lines
}

// planPodStory is PlanPodSentence for a page that lists all that would help.
func planPodStory(p plan.Pod, now time.Time) paint.Line { return wording.PlanPod(p, "", now) }
