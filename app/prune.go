package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
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

// Brief is what the first and the last event of a journal tell of its run.
type Brief struct {
	ID      string
	Started time.Time
	Nodes   []string
	User    string
	Ended   time.Time // zero while it has no end
	Outcome drain.Outcome
	Live    bool
	damaged bool // it cannot be read; Started is when the file was last written
}

// Briefs are the runs of this machine, newest first, without reading what happened in
// them.
func (r *Runs) Briefs() ([]Brief, error) {
	ids, err := r.ids()
	if err != nil {
		return nil, err
	}
	var briefs []Brief
	for _, id := range ids {
		briefs = append(briefs, r.brief(id))
	}
	slices.SortStableFunc(briefs, func(a, b Brief) int { return b.Started.Compare(a.Started) })
	return briefs, nil
}

func (r *Runs) brief(id string) Brief {
	path := r.Path(id)
	b := Brief{ID: id}
	b.Live, _ = journal.Live(path)
	first, last, err := journal.Ends(path)
	if err != nil || first.Run == nil {
		b.damaged = true
		if info, err := os.Stat(path); err == nil {
			b.Started = info.ModTime()
		}
		return b
	}
	b.Started, b.User = first.Time, first.Run.User
	for _, n := range first.Run.Nodes {
		b.Nodes = append(b.Nodes, n.Name)
	}
	if last.Kind == drain.EventRunEnded || last.Kind == drain.EventRetire {
		b.Ended, b.Outcome = last.Time, last.Outcome
	}
	return b
}

// Summary tells a run by its nodes, when it began and how it ended.
func (b Brief) Summary() string {
	nodes := strings.Join(b.Nodes, ", ")
	if len(b.Nodes) > 3 {
		nodes = fmt.Sprintf("%s and %d more", strings.Join(b.Nodes[:2], ", "), len(b.Nodes)-2)
	}
	outcome := string(b.Outcome)
	switch {
	case b.Live:
		outcome = "live"
	case outcome == "":
		outcome = "not ended"
	}
	return fmt.Sprintf("%s, %s, %s", nodes, b.Started.Format("2006-01-02 15:04"), outcome)
}

// prune removes the journals that are not to be kept, of runs and of rolls. One that cannot
// be removed is left for the next time; a live run keeps its own, and a roll whose journal
// stays those of its runs.
func (r *Runs) prune(keep Keep, now time.Time) (removed []string) {
	stay, removed := r.pruneRolls(keep, now)
	briefs, err := r.Briefs()
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
func prunable(briefs []Brief, keep Keep, now time.Time) (over []Brief) {
	for i, b := range briefs {
		age := now.Sub(b.Started)
		open := b.damaged || b.Ended.IsZero()
		if i < keep.Newest || age < keep.Younger || b.Live || open && age < keepOpen {
			continue
		}
		over = append(over, b)
	}
	return over
}

// leftSomething reports whether a run that has ended left a temporary budget, replicas or
// a taint: a rollback knows of them from its journal alone. A cordon does not count, for
// the annotation on the node tells enough to undo it.
func (r *Runs) leftSomething(id string) bool {
	record, err := r.Record(id)
	if err != nil {
		return true
	}
	for _, b := range record.State.Budgets {
		if b.State != tempbudget.Removed && b.UID != "" {
			return true
		}
	}
	for _, taken := range record.State.Remedies {
		if taken.MayStand() {
			return true
		}
	}
	return false
}

// pruneRolls removes the journals of rolls that are not to be kept, by the rule of those of
// runs, and tells which rolls stay.
func (r *Runs) pruneRolls(keep Keep, now time.Time) (stay, removed []string) {
	var briefs []Brief
	for _, id := range journal.Rolls(r.Dir) {
		briefs, stay = append(briefs, r.rollBrief(id)), append(stay, id)
	}
	slices.SortStableFunc(briefs, func(a, b Brief) int { return b.Started.Compare(a.Started) })
	for _, b := range prunable(briefs, keep, now) {
		if journal.Remove(journal.RollPath(r.Dir, b.ID)) == nil {
			stay = slices.DeleteFunc(stay, func(id string) bool { return id == b.ID })
			removed = append(removed, b.ID)
		}
	}
	return stay, removed
}

// rollBrief is brief for a roll.
func (r *Runs) rollBrief(id string) Brief {
	path := journal.RollPath(r.Dir, id)
	b := Brief{ID: id}
	b.Live, _ = journal.Live(path)
	first, last, err := journal.RollEnds(path)
	if err != nil || first.Roll == nil {
		b.damaged = true
		if info, err := os.Stat(path); err == nil {
			b.Started = info.ModTime()
		}
		return b
	}
	b.Started, b.User = first.Time, first.Roll.Run.User
	if last.Kind == roll.EventRollEnded {
		b.Ended, b.Outcome = last.Time, last.Outcome
	}
	return b
}
