package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Keep says which journals of ended runs stay: the newest so many, and those that are
// younger than that.
type Keep struct {
	Newest  int
	Younger time.Duration
}

// DefaultKeep is what is kept where the operator does not say otherwise.
var DefaultKeep = Keep{Newest: 100, Younger: 90 * 24 * time.Hour}

// keepOpen is how long the journal of a run stays that still has something to do: it has
// not ended and can be resumed, it left something that only its journal knows how to take
// back, or it cannot be read.
const keepOpen = 365 * 24 * time.Hour

// briefs are the runs of this machine, newest first, without reading what happened in
// them.
func (r *Runs) briefs() ([]live.Brief, error) {
	ids, err := r.ids()
	if err != nil {
		return nil, err
	}
	var briefs []live.Brief
	for _, id := range ids {
		briefs = append(briefs, r.brief(id))
	}
	slices.SortStableFunc(briefs, func(a, b live.Brief) int { return b.Started.Compare(a.Started) })
	return briefs, nil
}

// mayLive reports whether a process may work on the run or roll of a journal.
func mayLive(path string) bool {
	lives, err := journal.Live(path)
	return lives || err != nil
}

func (r *Runs) brief(id string) live.Brief {
	path := r.Path(id)
	b := live.Brief{ID: id}
	b.Live, _ = journal.Live(path)
	first, last, err := journal.Ends(path)
	if err != nil || first.Run == nil {
		b.Damaged = true
		if info, err := os.Stat(path); err == nil {
			b.Started = info.ModTime()
		}
		return b
	}
	b.Begin(first.Time, first.Run)
	if last.Kind == drain.EventRunEnded || last.Kind == drain.EventRetire {
		b.Ended, b.Outcome = last.Time, last.Outcome
	}
	if last.Kind == drain.EventUndone { // its end is somewhere before
		if events, _, err := journal.ReadJournal(path); err == nil {
			s := drain.Fold(nil, events...)
			b.Ended, b.Outcome, b.RolledBack = s.Ended, s.Outcome, s.RolledBack
		}
	}
	return b
}

// prune removes the journals that are not to be kept, of runs and of rolls. One that cannot
// be removed is left for the next time; a live run keeps its own, and a roll whose journal
// stays those of its runs.
func (r *Runs) prune(keep Keep, now time.Time) (removed []string) {
	stay, removed := r.pruneRolls(keep, now)
	briefs, err := r.briefs()
	if err != nil {
		return removed
	}
	for _, b := range prunable(briefs, keep, now) {
		if id, _, batch := strings.Cut(b.ID, "-"); batch && slices.Contains(stay, id) {
			continue
		}
		if now.Sub(b.Started) < keepOpen && r.leftSomething(b.ID) {
			continue
		}
		if journal.Remove(r.Path(b.ID)) == nil {
			removed = append(removed, b.ID)
		}
	}
	return removed
}

// prunable are the runs, of all from new to old, that are neither among the newest nor
// young enough, and that are over as far as a look at their last event tells.
func prunable(briefs []live.Brief, keep Keep, now time.Time) (over []live.Brief) {
	for i, b := range briefs {
		age := now.Sub(b.Started)
		open := b.Damaged || b.Ended.IsZero()
		if i < keep.Newest || age < keep.Younger || b.Live || open && age < keepOpen {
			continue
		}
		over = append(over, b)
	}
	return over
}

// leftSomething reports whether a run that has ended left something that a rollback or a resume knows of from its
// journal alone.
func (r *Runs) leftSomething(id string) bool {
	record, err := r.Record(id)
	return err != nil || leaves(record.State)
}

// leaves reports whether a run left a temporary budget, replicas, deletion costs or a taint, or nodes halfway out of
// the cluster. A cordon does not count, for the annotation on the node tells enough to undo it.
func leaves(s *drain.State) bool {
	return slices.ContainsFunc(s.Budgets, func(b *tempbudget.Record) bool {
		return b.State != tempbudget.Removed && b.UID != ""
	}) || slices.ContainsFunc(s.Remedies, (*remedy.Record).MayStand) ||
		slices.ContainsFunc(s.Surges, (*surge.Record).MayStand) || Leaving(s)
}

// LeftOn names the runs over one of those nodes that no process works on, that have not ended, and that left more than
// cordons. A journal that cannot be read is passed over: report names it.
func (r *Runs) LeftOn(on func(node kube.UID) bool) (said []string) {
	briefs, _ := r.briefs()
	for _, b := range briefs {
		if b.Live || b.Damaged || b.RolledBack || !b.Ended.IsZero() {
			continue
		}
		record, err := r.Record(b.ID)
		if err != nil || !leaves(record.State) {
			continue
		}
		if run := &record.State.Run; slices.ContainsFunc(run.Nodes, func(n drain.NodeFacts) bool { return on(n.UID) }) {
			target := run.Target()
			said = append(said, fmt.Sprintf("run %s has not ended and changed more than cordons: "+
				"%s shows it, %s takes it back", b.ID, target.Line("kdrain-tui report "+b.ID),
				target.Line("kdrain-tui rollback "+b.ID)))
		}
	}
	return said
}

// pruneRolls removes the journals of rolls that are not to be kept, by the rule of those of
// runs, and tells which rolls stay.
func (r *Runs) pruneRolls(keep Keep, now time.Time) (stay, removed []string) {
	briefs := r.rollBriefs()
	for _, b := range briefs {
		stay = append(stay, b.ID)
	}
	for _, b := range prunable(briefs, keep, now) {
		if journal.Remove(journal.RollPath(r.Dir, b.ID)) == nil {
			stay = slices.DeleteFunc(stay, func(id string) bool { return id == b.ID })
			removed = append(removed, b.ID)
		}
	}
	return stay, removed
}

// rollBriefs are the rolls of this machine, as briefs.
func (r *Runs) rollBriefs() (briefs []live.Brief) {
	for _, id := range journal.Rolls(r.Dir) {
		briefs = append(briefs, r.rollBrief(id))
	}
	slices.SortStableFunc(briefs, func(a, b live.Brief) int { return b.Started.Compare(a.Started) })
	return briefs
}

// All are the runs and rolls of this machine, newest first, as briefs.
func (r *Runs) All() ([]live.Brief, error) {
	briefs, err := r.briefs()
	briefs = append(briefs, r.rollBriefs()...)
	slices.SortStableFunc(briefs, func(a, b live.Brief) int { return b.Started.Compare(a.Started) })
	return briefs, err
}

// rollBrief is brief for a roll.
func (r *Runs) rollBrief(id string) live.Brief {
	path := journal.RollPath(r.Dir, id)
	b := live.Brief{ID: id, Roll: true}
	b.Live, _ = journal.Live(path)
	first, last, err := journal.RollEnds(path)
	if err != nil || first.Roll == nil {
		b.Damaged = true
		if info, err := os.Stat(path); err == nil {
			b.Started = info.ModTime()
		}
		return b
	}
	b.Begin(first.Time, &first.Roll.Run)
	if last.Kind == roll.EventRollEnded {
		b.Ended, b.Outcome = last.Time, last.Outcome
	}
	return b
}
