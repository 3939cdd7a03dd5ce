package app

import (
	"os"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

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
