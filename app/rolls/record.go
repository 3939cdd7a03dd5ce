package rolls

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Record is what a journal tells of its roll.
type Record struct {
	State  *roll.State
	Events []roll.Event
	Live   bool // a process works on it
}

// Known reports whether a roll of that id was started on this machine.
func Known(runs *app.Runs, id string) bool { return slices.Contains(journal.Rolls(runs.Dir), id) }

// Read reads the journal of a roll. The error is an *app.Error.
func Read(runs *app.Runs, id string) (*Record, error) {
	path := journal.RollPath(runs.Dir, id)
	events, _, err := journal.ReadRoll(path)
	if err == nil && len(events) == 0 {
		err = errors.New("journal " + path + " contains no roll: its process died at the start")
	}
	if err != nil {
		return nil, &app.Error{Err: err}
	}
	live, err := journal.Live(path)
	if err != nil {
		return nil, &app.Error{Err: err}
	}
	r := &Record{State: roll.Fold(nil, events...), Events: events, Live: live}
	r.State.Facts.Run.Program = runs.Program
	return r, nil
}

// All are the records of all rolls of this machine, newest first; of each that cannot be read damaged has
// the reason.
func All(runs *app.Runs) (records []*Record, damaged []error) {
	for _, id := range journal.Rolls(runs.Dir) {
		r, err := Read(runs, id)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b *Record) int { return b.State.Started.Compare(a.State.Started) })
	return records, damaged
}

// Compare compares the nodes of the report of a roll with the cluster.
func (r *Record) Compare(ctx context.Context, s *app.Session, told *roll.Report) error {
	var nodes []string
	for i := range r.State.Nodes {
		nodes = append(nodes, r.State.Nodes[i].Name)
	}
	snapshot, err := s.Seen(ctx, &r.State.Facts.Run, nodes, kube.KindNodes)
	if err != nil {
		return err
	}
	told.Check(r.State, snapshot, s.Now())
	return nil
}

// Lost is an error where the cluster has annotations of a run of the roll without a journal, or cannot be asked; begin
// is the event of its begin.
func (r *Record) Lost(ctx context.Context, s *app.Session, begin roll.Event) error {
	kinds := []kube.Kind{kube.KindNodes, kube.KindDeployments, kube.KindReplicaSets}
	snapshot, err := s.Seen(ctx, &r.State.Facts.Run, begin.Nodes, kinds...)
	if err != nil {
		return fmt.Errorf("run %s has no journal, and whether it left anything is not known: %w", begin.Run, err)
	}
	return s.Lost(snapshot, begin.Run, begin.Nodes)
}
