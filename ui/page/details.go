package page

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// PodParts are the parts of a pod's page, in the order of their keys.
var PodParts = []string{"state", "logs", "yaml"}

// PodMissing says what of a pod could not be read; nil where nothing is missing.
func PodMissing(d kube.PodDetails) []paint.Line {
	var lines []paint.Line
	for _, m := range d.Missing {
		lines = append(lines, paint.L(themes.Warning, paint.Warn+" Not read: "+m))
	}
	return lines
}

// PodConditions are the conditions of a pod, those that are not true first in
// colour.
func PodConditions(d kube.PodDetails, now time.Time) []paint.Line {
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
			l = l.Add(themes.Muted, " for "+Age(now.Sub(c.Since)))
		}
		if c.Reason != "" {
			l = l.Add(themes.Text, "  "+c.Reason)
		}
		if c.Message != "" {
			l = l.Add(themes.Muted, "  "+Quote(c.Message))
		}
		lines = append(lines, l)
	}
	return lines
}

// PodEvents are the events about a pod, the newest first.
func PodEvents(d kube.PodDetails, now time.Time) []paint.Line {
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
		l := paint.L(themes.Muted, Age(now.Sub(e.At))+" ago").Fit(10).Add(token, e.Reason)
		if e.Count > 1 {
			l = l.Add(themes.Muted, " ("+Number(int(e.Count))+" times)")
		}
		l = l.Add(themes.Text, "  "+Quote(e.Message))
		if e.From != "" {
			l = l.Add(themes.Muted, "  "+e.From)
		}
		lines = append(lines, l)
	}
	return lines
}

// PodLogs are the last lines of the container that is in trouble, and of its
// life before.
func PodLogs(d kube.PodDetails) []paint.Line {
	if len(d.Logs) == 0 {
		return []paint.Line{paint.L(themes.Muted, "No log was read.")}
	}
	var lines []paint.Line
	for i, tail := range d.Logs {
		if i > 0 {
			lines = append(lines, nil)
		}
		title := "container " + tail.Container
		if tail.Previous {
			title += ", the life before this one"
		}
		lines = append(lines, paint.L(themes.Title, title).Add(themes.Muted, "  last "+Count(len(tail.Lines), "line")))
		if len(tail.Lines) == 0 {
			lines = append(lines, paint.L(themes.Muted, "It wrote nothing."))
		}
		for _, text := range tail.Lines {
			lines = append(lines, paint.T(text))
		}
	}
	return lines
}

// PodYAML is the object itself.
func PodYAML(d kube.PodDetails) []paint.Line {
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
