package pod

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// podParts are the parts of a pod's page, in the order of their keys.
var podParts = []string{"state", "logs", "yaml"}

// podMissing says why a part of a pod could not be read; nil where it was.
func podMissing(d watch.PodDetails, part watch.DetailPart) []paint.Line {
	var lines []paint.Line
	for _, m := range d.Missing {
		if m.Part == part {
			lines = append(lines, paint.L(themes.Warning, paint.Warn+" Not read: "+m.Why))
		}
	}
	return lines
}

// podContainers are the containers of a pod, in the order in which they start.
func podContainers(all []watch.Container) []paint.Line {
	name, image := 0, 0
	for _, c := range all {
		name, image = max(name, paint.Width(c.Name)), max(image, paint.Width(c.Image))
	}
	lines := make([]paint.Line, len(all))
	for i, c := range all {
		mark, token := paint.Good, themes.Good
		if c.State != "running" && c.State != "Completed" {
			mark, token = paint.Hollow, themes.Warning
		}
		lines[i] = append(paint.L(token, mark+" "+c.Name).Fit(name+2).Add(themes.Muted, "  "+c.Image).Fit(name+image+4).
			Add(themes.Muted, "  "), containerFacts(c)...)
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
			l = l.Add(themes.Muted, " for "+format.Age(now.Sub(c.Since)))
		}
		if c.Reason != "" {
			l = l.Add(themes.Text, "  "+c.Reason)
		}
		if c.Message != "" {
			l = l.Add(themes.Muted, "  "+format.Quote(c.Message))
		}
		lines = append(lines, l)
	}
	return lines
}

// podEvents are the events about a pod, the newest first.
func podEvents(d watch.PodDetails, now time.Time) []paint.Line {
	lines := podMissing(d, watch.PartEvents)
	if len(d.Events) == 0 && lines == nil {
		return []paint.Line{paint.L(themes.Muted,
			"None is kept. The API server keeps events for an hour, unless it is set up otherwise.")}
	}
	for i := len(d.Events) - 1; i >= 0; i-- {
		e := d.Events[i]
		token := themes.Text
		if e.Type == "Warning" {
			token = themes.Warning
		}
		l := paint.L(themes.Muted, format.Age(now.Sub(e.At))+" ago").Fit(10).Add(token, e.Reason)
		if e.Count > 1 {
			l = l.Add(themes.Muted, " ("+format.Number(int(e.Count))+" times)")
		}
		l = l.Add(themes.Text, "  "+format.Quote(e.Message))
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
		return podMissing(d, watch.PartYAML)
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
