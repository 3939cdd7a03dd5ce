package wording

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// PodState is the state of a pod of a run: glyph and word.
func PodState(p *drain.PodRun) paint.Line {
	if p.Action == plan.ActionSkip && !p.State.Left() {
		return paint.L(themes.Muted, paint.Stay+" stays")
	}
	if l := volumeState(p); l != nil {
		return l
	}
	switch p.State {
	case drain.PodPlanned:
		if p.Action == plan.ActionRefuse {
			return paint.L(themes.Bad, paint.Bad+" refused")
		}
		return paint.L(themes.Muted, paint.Hollow+" planned")
	case drain.PodRequested:
		return paint.L(themes.Busy, paint.Asked+" asked")
	case drain.PodBudgetBlocked:
		return paint.L(themes.Warning, paint.Wait+" blocked")
	case drain.PodMultipleBudgets:
		return paint.L(themes.Bad, paint.Wait+" blocked")
	case drain.PodBudgetSyncing:
		return paint.L(themes.Warning, paint.Wait+" new budget")
	case drain.PodThrottled:
		return paint.L(themes.Warning, paint.Wait+" throttled")
	case drain.PodWebhookWait:
		return paint.L(themes.Warning, paint.Wait+" webhook")
	case drain.PodNamespaceTerminating:
		return paint.L(themes.Warning, paint.Wait+" ns ending")
	case drain.PodRetrying:
		return paint.L(themes.Warning, paint.Wait+" retrying")
	case drain.PodTerminating:
		return paint.L(themes.Busy, paint.Ending+" ending")
	case drain.PodStuckTerminating:
		return paint.L(themes.Bad, paint.Warn+" stuck")
	case drain.PodGone:
		return leftState(p, "gone")
	case drain.PodReplaced:
		return leftState(p, "replaced")
	case drain.PodMoved:
		return leftState(p, "moved")
	case drain.PodSkipped:
		return paint.L(themes.Info, paint.Stay+" skipped")
	case drain.PodFailed:
		return paint.L(themes.Bad, paint.Bad+" failed")
	}
	return paint.L(themes.Text, string(p.State))
}

// leftState is the state of a pod that has left its node: what that cost, as the plan
// saw it, has no green mark.
func leftState(p *drain.PodRun, word string) paint.Line {
	switch p.Loss {
	case "", plan.LossRoom:
		return paint.L(themes.Good, paint.Good+" "+word)
	case plan.LossData:
		return paint.L(themes.Warning, paint.Warn+" "+word)
	}
	return paint.L(themes.Bad, paint.Bad+" "+word)
}

// trouble orders the pods of a run: what needs a look first, what is over
// last.
func trouble(p *drain.PodRun) int {
	leaving, stuck := AttachedTo(p)
	switch {
	case len(stuck) > 0:
		return 1
	case len(leaving) > 0:
		return 3
	case p.State == drain.PodFailed:
		return 0
	case p.State == drain.PodStuckTerminating:
		return 1
	case p.State.Blocked():
		return 2
	case p.State == drain.PodTerminating:
		return 3
	case p.State == drain.PodRequested:
		return 4
	case p.State == drain.PodPlanned && p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse:
		return 5
	case p.State.Left():
		return 6
	case p.State == drain.PodSkipped && p.Action != plan.ActionSkip:
		return 7
	}
	return 8
}

// CompareTrouble orders two pods of a run by trouble, then by name.
func CompareTrouble(a, b *drain.PodRun) int {
	return cmp.Or(cmp.Compare(trouble(a), trouble(b)), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(string(a.UID), string(b.UID)))
}

// PodRunSentence is everything about a pod of a run: what it waits for, in
// full, and the server's own words.
func PodRunSentence(p *drain.PodRun, now time.Time) paint.Line {
	var l paint.Line
	say := func(token paint.Token, s string) {
		if s == "" {
			return
		}
		if len(l) > 0 {
			s = " " + s
		}
		l = l.Add(token, s)
	}
	if p.Joined {
		say(themes.Warning, "It was bound to the node after the plan was made.")
	}
	if words := serverWords(p); words != "" && !p.State.Final() {
		say(themes.Muted, Quote(strings.TrimRight(words, ". "))+":")
	}
	wait := waitSentence(p, now)
	if len(l) == 0 {
		wait = FirstUpper(wait)
	}
	say(themes.Text, wait)
	if !ofTheJob(p) && !p.State.Left() {
		say(themes.Text, bystander(p))
	} else if p.State.Final() {
		say(themes.Text, FirstUpper(endSentence(p)))
		if words := p.VolumesSentence(now); words != "" {
			token := themes.Text
			if VolumeWait(p, now) != "" {
				token = themes.Warning
			}
			say(token, FirstUpper(words)+".")
		}
		if words := serverWords(p); words != "" && !p.State.Left() {
			say(themes.Muted, "The server's last message: "+Quote(strings.TrimRight(words, ". "))+".")
		}
	} else if p.Wait != nil && !p.Wait.Until.IsZero() && p.State.Blocked() && p.Wait.Until.After(now) {
		say(themes.Muted, "Next try in "+Spell(p.Wait.Until.Sub(now).Round(time.Second))+", sooner if something changes.")
	}
	return l
}

// bystander says of a pod that the run was never to move why it stays.
func bystander(p *drain.PodRun) string {
	why := StayReason(plan.Pod{Reasons: p.Reasons})
	if p.Action == plan.ActionRefuse {
		return "Refused, so its node is left untouched" + Tail(reasonOf(plan.Pod{Reasons: p.Reasons}, plan.LevelError)) + "."
	}
	if why == "" {
		return "Stays where it is."
	}
	return "Stays where it is (" + why + ")."
}

func waitSentence(p *drain.PodRun, now time.Time) string {
	w := p.Wait
	if w == nil || p.State.Final() {
		return ""
	}
	if w.For == waits.ForBudget && w.Budget != nil {
		s := fmt.Sprintf("budget %s/%s needs %d healthy pods and has %d.", w.Budget.Namespace, w.Budget.Name, w.Budget.Needed, w.Budget.Present)
		if w.UnhealthyPod != nil {
			return s + " The pod " + UnhealthyPodSentence(w.UnhealthyPod, now) + "."
		}
		if w.Never {
			return s + " It will never allow an eviction as it is."
		}
		return s
	}
	words := strings.TrimSuffix(w.Sentence(now), ".") + "."
	switch w.For {
	case waits.ForOneBudget, waits.ForEnd, waits.ForKubelet, waits.ForServer: // sentences of their own
		return words
	}
	return "waits for " + words
}

// serverWords are what the server said last, the cause before the message.
func serverWords(p *drain.PodRun) string {
	if p.Wait != nil && p.Wait.Words != "" {
		return p.Wait.Words
	}
	if a := p.Last; a != nil && (a.Code < 200 || a.Code >= 300) {
		if a.Message != "" {
			return a.Message
		}
		return a.Failure
	}
	return ""
}

func endSentence(p *drain.PodRun) string {
	took := ""
	if !p.Ended.IsZero() && !p.Begun.IsZero() {
		took = " after " + Spell(p.Ended.Sub(p.Begun))
	}
	Tail := "."
	if p.Blocked >= time.Second {
		Tail = ", of which " + Spell(p.Blocked) + " blocked."
	}
	if p.Message != "" {
		Tail += " " + FirstUpper(p.Message) + "."
	}
	switch p.State {
	case drain.PodSkipped:
		return "skipped" + took + Tail
	case drain.PodFailed:
		return "failed" + took + Tail
	case drain.PodReplaced:
		return "gone" + took + ": another pod has its name now" + Tail
	}
	return strings.ToLower(string(p.State)) + took + Tail
}

// PodWord is the state of a pod without its glyph.
func PodWord(p *drain.PodRun) string {
	_, word, _ := strings.Cut(PodState(p).String(), " ")
	return word
}
