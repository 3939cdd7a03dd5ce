package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Fate is what happens to a pod: glyph and word.
func Fate(p drain.PodPlan) paint.Line {
	switch p.Action {
	case drain.ActionSkip:
		return paint.L(themes.Info, paint.Stay+" stays")
	case drain.ActionRefuse:
		return paint.L(themes.Bad, paint.Bad+" refused")
	case drain.ActionDelete:
		return paint.L(themes.Danger, paint.Warn+" deleted")
	}
	if p.Budget == nil {
		return paint.L(themes.Good, paint.Good+" moves")
	}
	switch p.Budget.Verdict {
	case drain.VerdictWait, drain.VerdictSyncing:
		return paint.L(themes.Warning, paint.Wait+" waits")
	case drain.VerdictNever, drain.VerdictDeadlock, drain.VerdictMultiple:
		return paint.L(themes.Bad, paint.Bad+" never")
	case drain.VerdictUnknown:
		return paint.L(themes.Warning, paint.Unknown+" unknown")
	}
	return paint.L(themes.Good, paint.Good+" moves")
}

// FateRank orders pods by how much they need a look.
func FateRank(p drain.PodPlan) int {
	switch p.Action {
	case drain.ActionRefuse:
		return 0
	case drain.ActionSkip:
		return 6
	case drain.ActionDelete:
		return 4
	}
	if p.Budget == nil {
		return 5
	}
	switch p.Budget.Verdict {
	case drain.VerdictNever, drain.VerdictDeadlock, drain.VerdictMultiple:
		return 1
	case drain.VerdictUnknown:
		return 2
	case drain.VerdictWait, drain.VerdictSyncing:
		return 3
	}
	return 5
}

// Why says in one clause why a pod has its fate.
func Why(p drain.PodPlan) string {
	switch p.Action {
	case drain.ActionRefuse:
		return reasonOf(p, drain.LevelError)
	case drain.ActionSkip:
		return stayReason(p)
	}
	if p.Budget != nil && p.Budget.Verdict != drain.VerdictEvictable {
		return blockedWhy(p.Budget)
	}
	if p.Action == drain.ActionDelete {
		return "past all budgets (--disable-eviction)"
	}
	if w := warningOf(p); w != "" {
		return w
	}
	if p.Pinned != "" {
		return "its volume " + p.Pinned + " stays behind"
	}
	if p.Volumes {
		return "its volume moves with it"
	}
	return ""
}

func blockedWhy(b *drain.BudgetJudgement) string {
	switch b.Verdict {
	case drain.VerdictMultiple:
		return List(b.Names, 2) + " both select it"
	case drain.VerdictUnknown:
		return "budgets cannot be seen"
	case drain.VerdictSyncing:
		return strings.Join(b.Names, ", ") + " is not observed yet"
	}
	s := strings.Join(b.Names, ", ")
	if len(b.Budgets) > 0 {
		s = fmt.Sprintf("%s needs %d, has %d", b.Budgets[0].Name, b.Budgets[0].Needed, b.Budgets[0].Present)
	}
	switch {
	case b.Sibling != nil:
		return s + "; " + ShortName(b.Sibling.Name, "") + " is down"
	case b.Verdict == drain.VerdictDeadlock:
		return s + "; waits for this drain"
	case b.Verdict == drain.VerdictNever && len(b.Budgets) > 0:
		return s + "; allows none, ever"
	}
	return s
}

// stayReason says why a skipped pod stays, in a word or two.
func stayReason(p drain.PodPlan) string {
	words := map[drain.ReasonCode]string{
		drain.ReasonDaemonSet: "DaemonSet", drain.ReasonDaemonSetLike: "DaemonSet", drain.ReasonMirror: "static pod",
		drain.ReasonTerminating: "already ending", drain.ReasonNotSelected: "not selected", drain.ReasonFinished: "finished",
	}
	for _, r := range p.Reasons {
		if w, ok := words[r.Code]; ok {
			return w
		}
	}
	return reasonOf(p, drain.LevelInfo)
}

func reasonOf(p drain.PodPlan, level drain.Level) string {
	for _, r := range p.Reasons {
		if r.Level == level {
			return r.Message
		}
	}
	if len(p.Reasons) > 0 {
		return p.Reasons[0].Message
	}
	return ""
}

// warningOf says what a drain costs a pod that moves.
func warningOf(p drain.PodPlan) string {
	costs := map[drain.ReasonCode]string{
		drain.ReasonEmptyDir: "its emptyDir is deleted", drain.ReasonUnmanaged: "nobody starts it again",
		drain.ReasonOrphanedDaemonSet: "its DaemonSet is gone", drain.ReasonFinished: "finished, its record is deleted",
	}
	var said []string
	for _, r := range p.Reasons {
		if c, ok := costs[r.Code]; ok {
			said = append(said, c)
		}
	}
	return strings.Join(said, ", ")
}

// PlanBudget is the cell with the budgets of a pod.
func PlanBudget(p drain.PodPlan) paint.Line {
	if p.Budget == nil {
		return nil
	}
	if p.Budget.Verdict == drain.VerdictUnknown {
		return paint.L(themes.Warning, "unseen")
	}
	if len(p.Budget.Budgets) == 1 {
		b := p.Budget.Budgets[0]
		return paint.L(themes.Text, b.Name).Add(themes.Muted, fmt.Sprintf(" allows %d", b.Allowed))
	}
	return paint.L(themes.Text, strings.Join(p.Budget.Names, ", "))
}

// PlanSummary is the plan in one line.
func PlanSummary(p drain.Plan) paint.Line {
	c := p.Counts()
	separator := paint.S(themes.Muted, paint.Dot)
	var never, unknown paint.Line
	if c.Never > 0 {
		never = paint.L(themes.Bad, Number(c.Never)+" never let go")
	}
	if c.Unknown > 0 {
		unknown = paint.L(themes.Warning, Number(c.Unknown)+" with unseen budgets")
	}
	return paint.Join(separator,
		paint.L(themes.Good, verb(c.Move, "pod moves", "pods move")),
		paint.L(themes.Info, verb(c.Stay, "stays", "stay")),
		colourIf(c.Wait, themes.Warning, verb(c.Wait, "waits for a budget", "wait for a budget")),
		never, unknown,
		colourIf(c.Refused, themes.Bad, Number(c.Refused)+" refused"),
	)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

func colourIf(n int, token paint.Token, s string) paint.Line {
	if n == 0 {
		token = themes.Muted
	}
	return paint.L(token, s)
}

// PlanPodSentence is everything about one pod of a plan, with the first thing
// that would help.
func PlanPodSentence(p drain.PodPlan, now time.Time) paint.Line {
	return planPod(p, firstAdvice(p), now)
}

// PlanPodStory is PlanPodSentence for a page that lists all that would help.
func PlanPodStory(p drain.PodPlan, now time.Time) paint.Line { return planPod(p, "", now) }

func planPod(p drain.PodPlan, advice string, now time.Time) paint.Line {
	var l paint.Line
	if b := p.Budget; b != nil && (b.Verdict != drain.VerdictEvictable || len(b.Names) > 0) {
		l = l.Add(themes.Text, FirstUpper(BudgetSentence(p.Namespace, b, now))+". ")
	}
	if advice != "" {
		l = l.Add(themes.Accent, advice+" ")
	}
	if s := landingSentence(p); s != "" {
		l = l.Add(themes.Text, s+" ")
	}
	l = l.Add(themes.Text, FirstUpper(fateSentence(p))+".")
	for _, r := range p.Reasons {
		token := themes.Muted
		if r.Level == drain.LevelError {
			token = themes.Bad
		} else if r.Level == drain.LevelWarning {
			token = themes.Warning
		}
		l = l.Add(themes.Text, " ").Add(token, FirstUpper(r.Message)+".")
	}
	return l
}

func fateSentence(p drain.PodPlan) string {
	who := "belongs to " + p.Owner
	if p.Owner == "" {
		who = "belongs to nobody"
	}
	switch p.Action {
	case drain.ActionSkip:
		return "stays where it is; it " + who
	case drain.ActionRefuse:
		return "refused: its node is left untouched; it " + who
	case drain.ActionDelete:
		return fmt.Sprintf("deleted past all budgets with %s of grace; it %s", Spell(p.Grace), who)
	}
	return fmt.Sprintf("evicted with %s of grace; it %s", Spell(p.Grace), who)
}

// ShortName is the end of a pod's name that tells it from its siblings:
// "…-k2xzq". Names in of which it is no sibling stay whole.
func ShortName(name, of string) string {
	cut := strings.LastIndexByte(name, '-')
	if cut <= 0 || cut == len(name)-1 {
		return name
	}
	if of != "" && !strings.HasPrefix(of, name[:cut]) {
		return name
	}
	return paint.Ellipsis + name[cut:]
}
