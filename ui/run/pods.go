package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// podFor is since when a pod is in its state, as a running time.
func podFor(p *eviction.Record, now time.Time) string {
	if p.Since.IsZero() || p.State == eviction.Planned || p.Action == plan.ActionSkip {
		return ""
	}
	if wording.VolumeWait(p, now) != "" {
		return volumeFor(p, now)
	}
	if p.State.Final() && !p.Ended.IsZero() {
		return format.Clock(p.Ended.Sub(wording.FirstOf(p.Begun, p.Since)))
	}
	return format.Clock(now.Sub(p.Since))
}

// waitsFor says what a pod waits for, in at most that many cells: names give
// way first, figures and reasons last.
func waitsFor(p *eviction.Record, width int, now time.Time) paint.Line {
	if p.Action == plan.ActionSkip && len(p.Reasons) > 0 {
		return paint.L(themes.Muted, paint.Truncate(wording.StayReason(plan.Pod{Reasons: p.Reasons}), width))
	}
	if wait := wording.VolumeWait(p, now); wait != "" {
		return paint.L(themes.Text, paint.Truncate(wait, width))
	}
	if p.State.Final() {
		return paint.L(themes.Muted, paint.Truncate(ended(p, width, now), width))
	}
	if p.Wait == nil {
		return paint.L(themes.Muted, paint.Truncate(p.Message, width))
	}
	token := themes.Text
	if p.State == eviction.Planned || p.State == eviction.Terminating {
		token = themes.Muted
	}
	if p.Wait.For == waits.ForBudget || p.Wait.Budget != nil && p.Wait.UnhealthyPod != nil {
		return paint.L(themes.Text, blockedText(p.Wait, width))
	}
	if p.Wait.For == waits.ForGrace { // the column is narrow, and the most frequent wait must fit
		return paint.L(token, paint.Truncate(grace(p.Wait, now), width))
	}
	words := p.Wait.Sentence(now)
	if p.Wait.For == waits.ForVolumeQueue { // its state says already that it is in line
		words = strings.TrimPrefix(words, "its turn: ")
	}
	if p.Wait.Replacement != nil { // and who it waits for
		words = p.Wait.Replacement.String()
	}
	return paint.L(token, paint.Truncate(words, width))
}

func grace(w *waits.Wait, now time.Time) string {
	if left := w.Until.Sub(now).Round(time.Second); left > 0 {
		return "its grace, " + format.Duration(left) + " left"
	}
	return "its grace has expired"
}

func ended(p *eviction.Record, width int, now time.Time) string {
	switch {
	case p.Message != "":
		return p.Message
	case p.Replacement.Stuck():
		return paint.Into + " " + p.Replacement.Brief(now)
	case p.VolumesSentence(now) != "":
		return p.VolumesSentence(now)
	case p.Replacement.State != "":
		if words := p.Replacement.Sentence(now); paint.Width(words) <= width {
			return words
		}
		return paint.Into + " " + p.Replacement.Brief(now)
	case p.State == eviction.Replaced:
		return "another pod has its name now"
	case p.Blocked >= time.Second:
		return "was blocked for " + format.Duration(p.Blocked)
	}
	return ""
}

// blockedText is the one line about a pod that its budget holds: budget, needed
// and present, the unhealthy pod, its node and its reason, e.g.
// "cart needs 3, has 3 · …-k2xzq on worker-b1: CrashLoopBackOff".
func blockedText(w *waits.Wait, width int) string {
	for try := range 4 {
		if s := blockedTry(w, try); paint.Width(s) <= width || try == 3 {
			return paint.Truncate(s, width)
		}
	}
	return ""
}

// blockedFits reports whether the line keeps all it must say in that width.
func blockedFits(w *waits.Wait, width int) bool {
	return paint.Width(blockedTry(w, 1)) <= width
}

// blockedTry is the line, the shorter the later the try.
func blockedTry(w *waits.Wait, try int) string {
	limit := [...]int{253, 253, 20, 10}[try]
	s := "its budget"
	if w.Budget != nil {
		s = fmt.Sprintf("%s needs %d, has %d", paint.Middle(w.Budget.Name, limit), w.Budget.Needed, w.Budget.Present)
	}
	if w.UnhealthyPod == nil {
		if w.Never {
			s += paint.Dot + "it never allows one"
		}
		return s
	}
	name := w.UnhealthyPod.Name
	if try > 0 {
		name = wording.ShortName(name, "")
	}
	s += paint.Dot + paint.Middle(name, limit)
	if w.UnhealthyPod.Node != "" {
		s += " on " + paint.Middle(w.UnhealthyPod.Node, limit)
	}
	reason := w.UnhealthyPod.Reason
	if w.UnhealthyPod.ExitCode != nil && try < 2 {
		reason += fmt.Sprintf(" (exit %d)", *w.UnhealthyPod.ExitCode)
	}
	return s + ": " + reason
}

// volumeFor is since when the volumes of a pod that is gone are waited for.
func volumeFor(p *eviction.Record, now time.Time) string {
	if p.Ended.IsZero() {
		return ""
	}
	return format.Clock(now.Sub(p.Ended))
}

// countNodes counts the pods of each node of a run.
func countNodes(s *drain.State, progress map[string]eviction.Progress) map[string]nodeCounts {
	counts := make(map[string]nodeCounts, len(s.Nodes))
	for _, n := range s.Nodes {
		counts[n.Name] = nodeCounts{Progress: progress[n.Name]}
	}
	for _, p := range s.Pods {
		if leaving, stuck := wording.AttachedTo(p); len(leaving)+len(stuck) > 0 {
			c := counts[p.Node]
			c.detaching++
			counts[p.Node] = c
		}
	}
	return counts
}
