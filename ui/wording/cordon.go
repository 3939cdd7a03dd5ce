package wording

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// CordonedBy says who made a node unschedulable and when.
func CordonedBy(n *kube.Node, now time.Time) string {
	if !n.Unschedulable {
		return ""
	}
	c := n.Cordon
	if c == nil {
		return "Cordoned."
	}
	if mark, ours := annotation.Parse(c.Mark); ours && c.Manager == kube.FieldManager {
		return "Cordoned" + markWords(mark, now) + "."
	}
	s := "Cordoned"
	if c.Manager != "" {
		s += " by " + c.Manager
	}
	if !c.Since.IsZero() {
		s += ", " + format.Age(now.Sub(c.Since)) + " ago"
	}
	return s + "."
}

// markWords are our own words on a node that we cordoned.
func markWords(m annotation.Mark, now time.Time) string {
	s := " with kdrain-tui"
	if m.By != "" {
		s += " by " + kube.Clean(m.By)
	}
	if m.Run != "" {
		s += " for run " + kube.Clean(m.Run)
	}
	if !m.At.IsZero() {
		s += ", " + format.Age(now.Sub(m.At)) + " ago"
	}
	if m.Reason != "" {
		s += ": " + format.Quote(kube.Clean(m.Reason))
	}
	return s
}
