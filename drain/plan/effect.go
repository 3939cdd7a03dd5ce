package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
)

// Effect is one thing that a drain does to a pod, and why. A pod has one that says how it leaves
// its node, and one for each thing that this costs.
type Effect struct {
	Kind EffectKind `json:"effect"`
	Why  string     `json:"why,omitempty"` // "" where the kind says all
}

// EffectKind is what happens to a pod. A smaller one needs a look sooner.
type EffectKind uint8

// The effects of a drain on a pod.
const (
	Refused   EffectKind = iota // its node is left untouched because of it
	Stuck                       // nothing removes it once it is told to end
	Blocked                     // no wait lets it go
	Lost                        // no controller makes a replacement
	Nowhere                     // its replacement starts nowhere
	Unseen                      // its budgets cannot be seen
	Waits                       // its budget does not let it go now
	Down                        // its workload has no other healthy pod until the replacement is Ready
	Data                        // an emptyDir or an ephemeral volume is deleted with it
	Deleted                     // past its budgets
	Tight                       // estimated: moved with the others, it may not fit
	AsUsual                     // its workload does not surge, although the plan has --surge
	Moves                       // nothing is in its way
	Replaced                    // its replacement starts before it leaves
	Last                        // it leaves after all others of its node, where it is recreated
	Ending                      // it is terminating already
	Finished                    // it has ended: only its record is deleted
	Untouched                   // counted only: it would leave, but its node is refused
	Stays
	// EffectKinds is how many there are.
	EffectKinds int = iota
)

// effectWords has the effects in their order, with what they are called in JSON, in a row (in full
// and in short) and in counts of one and of many.
var effectWords = [EffectKinds]struct {
	level                        Level
	name, text, short, one, many string
}{
	Refused:   {LevelError, "refused", "refused", "refused", "refused", "refused"},
	Stuck:     {LevelError, "stuck", "stuck", "stuck", "stuck", "stuck"},
	Blocked:   {LevelError, "blocked", "blocked", "blocked", "blocked", "blocked"},
	Lost:      {LevelError, "lost", "lost", "lost", "lost", "lost"},
	Nowhere:   {LevelError, "nowhere", "lands nowhere", "nowhere", "lands nowhere", "land nowhere"},
	Unseen:    {LevelWarning, "unknown", "unknown", "unknown", "with unknown budgets", "with unknown budgets"},
	Waits:     {LevelWarning, "waits", "waits", "waits", "waits", "wait"},
	Down:      {LevelWarning, "down", "down until Ready", "down", "down until Ready", "down until Ready"},
	Data:      {LevelWarning, "data", "loses data", "data", "loses data", "lose data"},
	Deleted:   {LevelWarning, "deleted", "deleted", "deleted", "deleted", "deleted"},
	Tight:     {LevelWarning, "tight", "may not fit", "tight", "may not fit", "may not fit"},
	AsUsual:   {LevelInfo, "usual", "evicted as usual", "as usual", "evicted as usual", "evicted as usual"},
	Moves:     {LevelInfo, "moves", "moves", "moves", "moves", "move"},
	Replaced:  {LevelInfo, "replaced", "replaced first", "replaced", "replaced first", "replaced first"},
	Last:      {LevelInfo, "last", "leaves last", "last", "leaves last", "leave last"},
	Ending:    {LevelInfo, "ending", "ending", "ending", "ending", "ending"},
	Finished:  {LevelInfo, "finished", "finished", "finished", "finished", "finished"},
	Untouched: {LevelInfo, "untouched", "untouched", "untouched", "untouched", "untouched"},
	Stays:     {LevelInfo, "stays", "stays", "stays", "stays", "stay"},
}

// Level is how grave the effect is: info where nothing is lost and nothing is in the way.
func (k EffectKind) Level() Level { return effectWords[k].level }

// String is the effect in a row of a table.
func (k EffectKind) String() string { return effectWords[k].text }

// Count says how many pods have the effect: "2 lose data".
func (k EffectKind) Count(n int) string {
	return format.Plural(n, effectWords[k].one, effectWords[k].many)
}

// MarshalText is its name in JSON.
func (k EffectKind) MarshalText() ([]byte, error) { return []byte(effectWords[k].name), nil }

// UnmarshalText reads its name; the error names one that is not known.
func (k *EffectKind) UnmarshalText(text []byte) error {
	for i := range effectWords {
		if effectWords[i].name == string(text) {
			*k = EffectKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown effect %q", text)
}

// Cost reports whether the effect is something that is lost when the pod leaves.
func (k EffectKind) Cost() bool { return k == Lost || k == Nowhere || k == Down || k == Data }

// Effects are all effects of a drain on a pod, the gravest first; there is at least one.
type Effects []Effect

// Has reports whether one of the effects is of that kind.
func (e Effects) Has(k EffectKind) bool {
	return slices.ContainsFunc(e, func(of Effect) bool { return of.Kind == k })
}

// Worst is the gravest of them.
func (e Effects) Worst() EffectKind { return e[0].Kind }

// Costs are the kinds of those that cost something.
func (e Effects) Costs() (kinds []EffectKind) {
	for _, of := range e {
		if of.Kind.Cost() {
			kinds = append(kinds, of.Kind)
		}
	}
	return kinds
}

// String names all of them: "down until Ready, loses data".
func (e Effects) String() string {
	return e.join(func(k EffectKind) string { return effectWords[k].text })
}

// Short is String in as few letters as tell them apart.
func (e Effects) Short() string {
	return e.join(func(k EffectKind) string { return effectWords[k].short })
}

// join leaves out that a pod moves where something else is said of it.
func (e Effects) join(word func(EffectKind) string) string {
	var all []string
	for _, of := range e {
		if of.Kind != Moves || len(e) == 1 {
			all = append(all, word(of.Kind))
		}
	}
	return strings.Join(all, ", ")
}

// Why are the reasons for the effects in one line, "" where there are none.
func (e Effects) Why() string {
	var all []string
	for _, of := range e {
		if of.Why != "" {
			all = append(all, of.Why)
		}
	}
	return strings.Join(all, "; ")
}

// Effects are what a drain does to the pod. A pod that stays or is never let go loses nothing. Where
// its replacement lands is only judged by a plan, not by a preview, and where that is not known
// nothing is claimed.
func (p *Pod) Effects() Effects {
	leaves := p.leaves()
	if leaves.Kind == Refused || leaves.Kind == Blocked || leaves.Kind == Stays {
		return Effects{leaves}
	}
	all := p.costs()
	gone := all.Has(Lost) || all.Has(Nowhere)
	if !gone || leaves.Kind != Moves && leaves.Kind != Last { // what does not come back does not move
		all = append(all, leaves)
	}
	slices.SortStableFunc(all, func(a, b Effect) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}

// has reports whether a rule had that to say about the pod.
func (p *Pod) has(code ReasonCode) bool { return hasReason(p.Reasons, code) }

func hasReason(reasons []Reason, code ReasonCode) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.Code == code })
}

// leaves says how the pod leaves its node.
func (p *Pod) leaves() Effect {
	switch {
	case p.Action == ActionSkip:
		return Effect{Kind: Stays}
	case p.Action == ActionRefuse:
		return Effect{Kind: Refused}
	case p.Stuck != "":
		return Effect{Stuck, p.Stuck}
	case p.has(ReasonTerminating):
		return Effect{Ending, "it is terminating already"}
	case p.Hold != nil:
		return p.Hold.Effect
	case p.has(ReasonFinished):
		return Effect{Finished, "its record is deleted"}
	case p.Action == ActionDelete:
		return Effect{Deleted, "past all budgets (--disable-eviction)"}
	case p.Surges != "": // its controller removes it, past its budget
		return Effect{Kind: Moves}
	case p.Budget != nil && p.Budget.Verdict != budget.VerdictEvictable:
		return Effect{heldBy(p.Budget.Verdict), p.BudgetWhy()}
	case p.GoesLast():
		return Effect{Last, "its DaemonSet recreates it there"}
	}
	return Effect{Kind: Moves}
}

// heldBy is the effect of a verdict that does not let a pod go now.
func heldBy(v budget.Verdict) EffectKind {
	switch v {
	case budget.VerdictWait, budget.VerdictManaged, budget.VerdictSyncing:
		return Waits
	case budget.VerdictUnknown:
		return Unseen
	}
	return Blocked
}

// costs are what is lost when the pod leaves.
func (p *Pod) costs() Effects {
	all := CostsBy(p.Reasons)
	if p.has(ReasonTerminating) || p.has(ReasonFinished) {
		return all
	}
	add := func(is bool, kind EffectKind, why string) {
		if is && !all.Has(kind) {
			all = append(all, Effect{kind, why})
		}
	}
	nowhere := func(a landing.Answer) bool { return a == landing.DoesNotFit }
	add(p.NotRemade != "" && !p.Retried, Lost, p.NotRemade)
	if !all.Has(Lost) {
		add(p.NotRemade != "", Nowhere, p.NotRemade)
		add(p.Pinned != "", Nowhere, "its volume "+p.Pinned+" stays behind")
		if l := p.Landing; l != nil {
			add(nowhere(l.Answer), Nowhere, "no node can take its replacement: "+strings.TrimSuffix(l.Why, "."))
			add(!all.Has(Nowhere) && nowhere(l.Together.Answer), Tight, "with the others it may not fit (estimate)")
		}
	}
	only := "the only healthy pod of its workload"
	if p.Down > 1 {
		only = fmt.Sprintf("all %d healthy pods of its workload leave at once", p.Down)
	}
	add(p.Down > 0 && !all.Has(Lost), Down, only)
	add(p.Ephemeral, Data, "its ephemeral volume is deleted")
	add(p.Surges != "", Replaced, "its replacement starts before it leaves (--surge)")
	add(p.NoSurge != "", AsUsual, p.NoSurge)
	return all
}

// CostsBy are the costs that the reasons of a pod tell of. One that ends already loses nothing by a
// drain.
func CostsBy(reasons []Reason) Effects {
	var all Effects
	switch {
	case hasReason(reasons, ReasonTerminating):
		return nil
	case hasReason(reasons, ReasonUnmanaged):
		all = append(all, Effect{Lost, "no controller recreates it"})
	case hasReason(reasons, ReasonOrphanedDaemonSet):
		all = append(all, Effect{Lost, "its DaemonSet is gone"})
	}
	if hasReason(reasons, ReasonEmptyDir) {
		all = append(all, Effect{Data, "its emptyDir is deleted"})
	}
	return all
}
