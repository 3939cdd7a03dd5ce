package wording

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Effects are what a drain does to a pod: the glyph of the gravest and the words of all, in short
// where those have no room. What costs something never has the glyph of what goes well.
func Effects(p plan.Pod, width int) paint.Line {
	effects := p.Effects()
	token, glyph := effectMark(effects.Worst())
	words := effects.String()
	if paint.Width(glyph)+1+paint.Width(words) > width {
		words = effects.Short()
	}
	return paint.L(token, glyph+" "+words)
}

func effectMark(k plan.EffectKind) (paint.Token, string) {
	switch k {
	case plan.Waits:
		return themes.Warning, paint.Wait
	case plan.Unseen:
		return themes.Warning, paint.Unknown
	case plan.Deleted:
		return themes.Danger, paint.Warn
	case plan.Stays:
		return themes.Info, paint.Stay
	}
	return levelMark(k.Level())
}

// levelMark is the look and the glyph of that level.
func levelMark(level plan.Level) (paint.Token, string) {
	switch level {
	case plan.LevelError:
		return themes.Bad, paint.Bad
	case plan.LevelWarning:
		return themes.Warning, paint.Warn
	}
	return themes.Good, paint.Good
}

// Why says in one clause why a drain does that to a pod, the gravest first.
func Why(p plan.Pod) string {
	switch p.Action {
	case plan.ActionRefuse:
		for _, r := range p.Reasons {
			if r.Level == plan.LevelError {
				return r.Brief()
			}
		}
		return reasonOf(p, plan.LevelError)
	case plan.ActionSkip:
		return StayReason(p)
	}
	effects := p.Effects()
	for i, e := range effects {
		switch e.Kind {
		case plan.Waits, plan.Blocked, plan.Unseen:
			if p.Hold == nil && p.Budget != nil {
				effects[i].Why = blockedWhy(p.Budget)
			}
		}
	}
	if why := effects.Why(); why != "" || !p.Volumes {
		return why
	}
	return "its volume moves with it"
}

func blockedWhy(b *budget.Judgement) string {
	switch b.Verdict {
	case budget.VerdictMultiple:
		return format.List(b.Names, 2) + " both select it"
	case budget.VerdictUnknown:
		return "budgets cannot be seen"
	case budget.VerdictSyncing:
		return strings.Join(b.Names, ", ") + " is not observed yet"
	}
	s := strings.Join(b.Names, ", ")
	if len(b.Budgets) > 0 {
		s = fmt.Sprintf("%s needs %d, has %d", b.Budgets[0].Name, b.Budgets[0].Needed, b.Budgets[0].Present)
	}
	switch {
	case b.UnhealthyPod != nil:
		return s + "; " + ShortName(b.UnhealthyPod.Name, "") + " " + strings.TrimPrefix(b.UnhealthyPod.Brief(), "is ")
	case b.Verdict == budget.VerdictManaged:
		return s + "; its controller opens it"
	case b.Verdict == budget.VerdictDeadlock:
		return s + "; waits for this drain"
	case b.Verdict == budget.VerdictNever && len(b.Budgets) > 0:
		return s + "; allows none, ever"
	}
	return s
}

// StayReason says why a skipped pod stays, in a word or two.
func StayReason(p plan.Pod) string {
	words := map[plan.ReasonCode]string{
		plan.ReasonDaemonSet: "DaemonSet", plan.ReasonDaemonSetLike: "DaemonSet", plan.ReasonMirror: "static pod",
		plan.ReasonTerminating: "already ending", plan.ReasonNotSelected: "not selected", plan.ReasonExcluded: "excluded by hand", plan.ReasonMachineDrainRule: "MachineDrainRule", plan.ReasonFinished: "finished",
	}
	for _, r := range p.Reasons {
		if w, ok := words[r.Code]; ok {
			return w
		}
	}
	return reasonOf(p, plan.LevelInfo)
}

func reasonOf(p plan.Pod, level plan.Level) string {
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

// Counts are the counts of a plan or of a node in words, without zeros: as many as that
// width has room for, all where it is 0.
func Counts(c verdict.Counts, width int) paint.Line {
	tokens := map[plan.Level]paint.Token{plan.LevelError: themes.Bad, plan.LevelWarning: themes.Warning,
		plan.LevelInfo: themes.Info}
	if c.Leaving() > 0 && c.Level() == plan.LevelInfo {
		tokens[plan.LevelInfo] = themes.Good
	}
	var l paint.Line
	for i, part := range c.Words() {
		next := paint.Join(paint.S(themes.Muted, paint.Dot), l, paint.L(tokens[part.Level], part.Text))
		if width > 0 && i > 0 && next.Width() > width {
			break
		}
		tokens[plan.LevelInfo] = themes.Info // only the first, which moves, is good
		l = next
	}
	return l
}

// CountsMark is the look and the glyph of counts: those of the gravest effect among them.
func CountsMark(c verdict.Counts) (paint.Token, string) {
	for _, k := range []plan.EffectKind{plan.Unseen, plan.Waits} {
		if c.Level() == plan.LevelWarning && c.Of(k) > 0 {
			return effectMark(k)
		}
	}
	return levelMark(c.Level())
}

// PlanSummary is the plan in one line.
func PlanSummary(p plan.Plan) paint.Line {
	c := verdict.OfPlan(&p)
	token, glyph := CountsMark(c)
	if level := verdict.Of(&p).Level(); level == plan.LevelError { // also for what is no effect on a pod
		token, glyph = levelMark(level)
	}
	return append(paint.L(token, glyph+" "), Counts(c, 0)...)
}

func PlanPod(p plan.Pod, Advice string, now time.Time) paint.Line {
	var l paint.Line
	if b := p.Budget; b != nil && (b.Verdict != budget.VerdictEvictable || len(b.Names) > 0) {
		l = l.Add(themes.Text, FirstUpper(BudgetSentence(&p, now))+". ")
	}
	if Advice != "" {
		l = l.Add(themes.Accent, Advice+" ")
	}
	if s := Landing(p); s != "" {
		l = l.Add(themes.Text, s+" ")
	}
	l = l.Add(themes.Text, FirstUpper(fateSentence(p))+".")
	if p.NoSurge != "" {
		l = l.Add(themes.Text, " "+Sentence("no replacement starts first: "+p.NoSurge))
	}
	for _, r := range p.Reasons {
		token := themes.Muted
		if r.Level == plan.LevelError {
			token = themes.Bad
		} else if r.Level == plan.LevelWarning {
			token = themes.Warning
		}
		l = l.Add(themes.Text, " ").Add(token, Sentence(r.Message))
	}
	return l
}

func fateSentence(p plan.Pod) string {
	who := "belongs to " + p.Owner
	if p.Owner == "" {
		who = "has no controller"
	}
	switch {
	case p.Action == plan.ActionSkip:
		return "stays where it is; it " + who
	case p.Action == plan.ActionRefuse:
		return "refused: its node is left untouched; it " + who
	case p.Surges != "":
		return "removed by its controller once its replacement is Ready; it " + who
	case p.Action == plan.ActionDelete:
		return fmt.Sprintf("deleted past all budgets with %s of grace; it %s", format.Duration(p.Grace), who)
	}
	return fmt.Sprintf("evicted with %s of grace; it %s", format.Duration(p.Grace), who)
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

// PodName is the name of a pod with its namespace; where it does not fit, the
// namespace gives way before the end of the name, which tells siblings apart.
func PodName(namespace, name string, width int) paint.Line {
	full := paint.Width(namespace) + 1 + paint.Width(name)
	if full <= width {
		return paint.L(themes.Muted, namespace+"/").Add(themes.Text, name)
	}
	room := max(min(paint.Width(namespace), width-1-paint.Width(name)), min(paint.Width(namespace), 6))
	if room > width/3 && room > width-1-paint.Width(name) {
		room = width / 3
	}
	return paint.L(themes.Muted, paint.Truncate(namespace, room)+"/").Add(themes.Text, paint.Middle(name, width-1-room))
}

// WidestEffects has room for the effects of nearly all pods in full.
const WidestEffects = 30
