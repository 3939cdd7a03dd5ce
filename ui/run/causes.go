package run

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// causeOf names what holds a pod, so that pods of one cause stand together and share the
// actions that help; "" for a pod that nothing holds.
func causeOf(p *eviction.Record) string {
	_, attached := wording.AttachedTo(p)
	switch {
	case p.State == eviction.Failed:
		return "failed\x00" + p.Message
	case len(attached) > 0:
		return "attached\x00" + p.Node
	case !p.State.Blocked() && p.State != eviction.StuckTerminating:
		return ""
	case p.Wait == nil:
		return string(p.State)
	}
	w := p.Wait
	parts := []string{string(w.For)}
	switch {
	case w.For == waits.ForFinalizers:
		parts = append(parts, w.Finalizers...)
	case w.For == waits.ForKubelet || w.For == waits.ForEnd:
		parts = append(parts, p.Node)
	case w.For == waits.ForWebhook || w.For == waits.ForServer:
		parts = append(parts, wording.PodWord(p))
	case w.Budget != nil:
		parts = append(parts, w.Budget.Namespace, w.Budget.Name)
	default:
		parts = append(parts, p.Namespace, strings.Join(w.Budgets, ","))
	}
	return strings.Join(parts, "\x00")
}

// causeText says in at most that many cells what holds the pods of a cause.
func causeText(p *eviction.Record, width int, now time.Time) paint.Line {
	_, attached := wording.AttachedTo(p)
	state := wording.PodState(p)
	glyph, token := paint.Wait, themes.Warning
	if len(state) > 0 {
		glyph, _, _ = strings.Cut(state.String(), " ")
		token = state[0].Token
	}
	room := width - paint.Width(glyph) - 1
	text := ""
	switch w := p.Wait; {
	case p.State == eviction.Failed:
		text = "failed" + wording.Tail(p.Message)
	case len(attached) > 0:
		text = "gone, with volumes still attached to " + p.Node
	case w == nil:
		text = wording.PodWord(p)
	case heldByBudget(w):
		if text = blockedText(w, room); paint.Width(text)+len("budget ") <= room && w.Budget != nil {
			text = "budget " + text
		}
	case w.For == waits.ForServer:
		text = wording.PodWord(p) + wording.Tail(w.Words)
	default:
		text = w.Sentence(now)
	}
	return paint.L(token, glyph+" ").Add(token, paint.Truncate(text, room))
}

// nextTry is the text beside a pod below the line on its cause: the time of the next try, unless the run has ended,
// and what else holds the pod.
func nextTry(p *eviction.Record, width int, now time.Time, ended bool) paint.Line {
	w := p.Wait
	if wait := wording.VolumeWait(p, now); wait != "" {
		return paint.L(themes.Text, paint.Truncate(wait, width))
	}
	if w == nil || p.State.Final() {
		return nil
	}
	if held := w.AttachedWords(); held != "" {
		return paint.L(themes.Text, paint.Truncate(held, width))
	}
	left := w.Until.Sub(now).Round(time.Second)
	switch {
	case ended || !p.State.Blocked() || w.Until.IsZero():
		return nil
	case left <= 0:
		return paint.L(themes.Busy, "next try now")
	}
	text := "next try in " + format.Duration(left)
	if longer := text + ", sooner if something changes"; paint.Width(longer) <= width {
		text = longer
	}
	return paint.L(themes.Muted, paint.Truncate(text, width))
}
