package wording

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// PodState is the state of a pod of a run: glyph and word.
func PodState(p *eviction.Record) paint.Line {
	if p.Action == plan.ActionSkip && !p.State.Left() {
		return paint.L(themes.Muted, paint.Stay+" stays")
	}
	if l := volumeState(p); l != nil {
		return l
	}
	word := report.StateWord(p.State)
	switch p.State {
	case eviction.Planned:
		if p.Action == plan.ActionRefuse {
			return paint.L(themes.Bad, paint.Bad+" refused")
		}
		return paint.L(themes.Muted, paint.Hollow+" "+word)
	case eviction.Surging:
		return surging(p)
	case eviction.Requested:
		return paint.L(themes.Busy, paint.Asked+" "+word)
	case eviction.Terminating:
		return paint.L(themes.Busy, paint.Ending+" "+word)
	case eviction.MultipleBudgets:
		return paint.L(themes.Bad, paint.Bad+" "+word)
	case eviction.StuckTerminating:
		return paint.L(themes.Bad, paint.Warn+" "+word)
	case eviction.Gone, eviction.Replaced, eviction.Moved:
		return leftState(p, word)
	case eviction.Skipped:
		return paint.L(themes.Info, paint.Stay+" "+word)
	case eviction.Failed:
		return paint.L(themes.Bad, paint.Bad+" "+word)
	}
	if p.Wait != nil && p.Wait.Never { // as the plan has it
		return paint.L(themes.Bad, paint.Bad+" "+word)
	}
	return paint.L(themes.Warning, paint.Wait+" "+word)
}

// surging is how far the replacement of a pod is that starts before the pod leaves.
func surging(p *eviction.Record) paint.Line {
	switch {
	case p.Wait != nil && p.Wait.For == waits.ForReplacement && p.Wait.Replacement != nil && p.Wait.Replacement.Ready:
		return paint.L(themes.Busy, paint.Asked+" new Ready") // and it is still there
	case p.Wait != nil && p.Wait.For == waits.ForReplacement:
		return paint.L(themes.Busy, paint.Asked+" replacing")
	case p.Wait != nil && p.Wait.For == waits.ForRemoval:
		return paint.L(themes.Busy, paint.Asked+" leaving")
	}
	return paint.L(themes.Muted, paint.Hollow+" surging")
}

// leftState is the state of a pod that has left its node: what that cost has no
// green mark.
func leftState(p *eviction.Record, word string) paint.Line {
	costs := report.CostsOf(p)
	switch {
	case len(costs) > 0 && costs[0].Level() == plan.LevelError:
		return paint.L(themes.Bad, paint.Bad+" "+word)
	case len(costs) > 0, p.Replacement.Stuck():
		return paint.L(themes.Warning, paint.Warn+" "+word)
	}
	return paint.L(themes.Good, paint.Good+" "+word)
}

// trouble orders the pods of a run: what needs a look first, what is over
// last.
func trouble(p *eviction.Record) int {
	leaving, stuck := AttachedTo(p)
	switch {
	case len(stuck) > 0:
		return 1
	case len(leaving) > 0:
		return 3
	case p.State == eviction.Failed:
		return 0
	case p.State == eviction.StuckTerminating:
		return 1
	case p.State.Blocked():
		return 2
	case p.State == eviction.Terminating:
		return 3
	case p.State == eviction.Requested:
		return 4
	case p.State == eviction.Planned && p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse:
		return 5
	case p.State.Left() && p.Replacement.Stuck():
		return 3
	case p.State.Left():
		return 6
	case p.State == eviction.Skipped && p.Action != plan.ActionSkip:
		return 7
	}
	return 8
}

// CompareTrouble orders two pods of a run by trouble, then by name.
func CompareTrouble(a, b *eviction.Record) int {
	return cmp.Or(cmp.Compare(trouble(a), trouble(b)), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(string(a.UID), string(b.UID)))
}

// PodRunSentence is everything about a pod of a run: what it waits for, in
// full, and the server's own words.
func PodRunSentence(p *eviction.Record, now time.Time) paint.Line {
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
	if p.Added {
		say(themes.Warning, "It was bound to the node after the plan was made.")
	}
	if words := serverWords(p); words != "" && !p.State.Final() {
		say(themes.Muted, format.Quote(strings.TrimRight(words, ". "))+":")
	}
	wait := waitSentence(p, now)
	if len(l) == 0 {
		wait = FirstUpper(wait)
	}
	say(themes.Text, wait)
	if !isToMove(p) && !p.State.Left() {
		say(themes.Text, bystander(p))
	} else if p.State.Final() {
		say(themes.Text, FirstUpper(endSentence(p)))
		if words := p.Replacement.Sentence(now); words != "" {
			say(themes.Text, Sentence(words))
		}
		if words := p.VolumesSentence(now); words != "" {
			token := themes.Text
			if VolumeWait(p, now) != "" {
				token = themes.Warning
			}
			say(token, Sentence(words))
		}
		if words := serverWords(p); words != "" && !p.State.Left() {
			say(themes.Muted, "The server's last message: "+format.Quote(strings.TrimRight(words, ". "))+".")
		}
	} else if p.Wait != nil && !p.Wait.Until.IsZero() && p.State.Blocked() && p.Wait.Until.After(now) {
		say(themes.Muted, "Next try in "+format.Duration(p.Wait.Until.Sub(now).Round(time.Second))+
			", sooner if something changes.")
	}
	return l
}

// isToMove reports whether the plan of the run is to move the pod.
func isToMove(p *eviction.Record) bool {
	return p.Action != plan.ActionSkip && p.Action != plan.ActionRefuse
}

// bystander says of a pod that the run was never to move why it stays.
func bystander(p *eviction.Record) string {
	why := StayReason(plan.Pod{Reasons: p.Reasons})
	if p.Action == plan.ActionRefuse {
		return "Refused, so its node is left untouched" + Tail(reasonOf(plan.Pod{Reasons: p.Reasons},
			plan.LevelError)) + "."
	}
	if why == "" {
		return "Stays where it is."
	}
	return "Stays where it is (" + why + ")."
}

func waitSentence(p *eviction.Record, now time.Time) string {
	w := p.Wait
	if w == nil || p.State.Final() {
		return ""
	}
	if w.For == waits.ForBudget && w.Budget != nil {
		s := fmt.Sprintf("budget %s/%s needs %s and has %d.", w.Budget.Namespace, w.Budget.Name,
			format.Plural(int(w.Budget.Needed), "healthy pod", "healthy pods"), w.Budget.Present)
		if w.UnhealthyPod != nil {
			return s + " The pod " + UnhealthyPodSentence(w.UnhealthyPod, now) + "."
		}
		if w.Managed != "" {
			return FirstUpper(w.Managed) + "."
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
func serverWords(p *eviction.Record) string {
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

func endSentence(p *eviction.Record) string {
	took := ""
	if !p.Ended.IsZero() && !p.Begun.IsZero() {
		took = " after " + format.Duration(p.Ended.Sub(p.Begun))
	}
	Tail := "."
	if p.Blocked >= time.Second {
		Tail = ", of which " + format.Duration(p.Blocked) + " blocked."
	}
	if p.Message != "" {
		Tail += " " + FirstUpper(p.Message) + "."
	}
	switch p.State {
	case eviction.Skipped:
		return "skipped" + took + Tail
	case eviction.Failed:
		return "failed" + took + Tail
	case eviction.Replaced:
		return "gone" + took + ": another pod has its name now" + Tail
	}
	return strings.ToLower(string(p.State)) + took + Tail
}

// PodWord is the state of a pod without its glyph.
func PodWord(p *eviction.Record) string {
	_, word, _ := strings.Cut(PodState(p).String(), " ")
	return word
}
