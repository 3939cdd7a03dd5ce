package rolling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Resumable is the roll of that id, if it can be gone on with here.
func (h *Host) Resumable(id string) (*roll.State, error) {
	record, err := rolls.Read(h.Runs, id)
	if err != nil {
		return nil, err
	}
	s := record.State
	switch {
	case s.Outcome != "":
		return nil, &app.Error{Text: ended(s) + "; there is nothing to resume"}
	case record.Live:
		return nil, h.live(id)
	case s.Facts.Options.Work == "" && !h.CanAsk():
		return nil, &app.Error{Reason: app.ReasonUsage, Hint: "resume it at a terminal",
			Text: fmt.Sprintf("roll %s has no --work: it asks when the work is done, and there is no terminal to ask on", id)}
	}
	return s, nil
}

func ended(s *roll.State) string {
	return fmt.Sprintf("roll %s ended %s: %s", s.Facts.Run.ID, s.Ended.UTC().Format(time.RFC3339), s.Outcome)
}

func (h *Host) live(id string) error {
	return &app.Error{Text: "roll " + id + " is live in another process; nothing was changed",
		Hint: h.Program + " ctl " + id + " abort ends it"}
}

// Resume goes on with a roll on the cluster that it was on.
func (h *Host) Resume(ctx context.Context, session *app.Session, s *roll.State, yes bool) error {
	id := s.Facts.Run.ID
	question := ""
	if !yes {
		question = "go on with roll " + id
	}
	if err := h.Protect(ctx, session, question); err != nil {
		return err
	}
	if err := rolls.Watch(ctx, session, s); err != nil {
		return err
	}
	h.Signals.Graceful.Store(true) // from here on a signal ends the roll, not the program
	r, before, err := rolls.GoOn(ctx, session, id)
	if err != nil {
		return err
	}
	out := print.Roll{Drain: h.Output(session)}
	out.Note("roll %s is resumed: %d of %s done", id, s.Count(roll.Done), format.Count(len(s.Nodes), "node"))
	return (&follower{h: h, roll: r, out: out, yes: yes, by: s.Facts.Run.User, seen: uint64(len(before))}).see(ctx)
}

// Undoable are the runs of a roll that were begun, the last one first, and the roll itself where it did not end. The
// error may tell of runs without a journal beside them.
func (h *Host) Undoable(id string, comparison Comparison) (runs []string, own *drain.RunFacts, err error) {
	r, err := rolls.Read(h.Runs, id)
	switch {
	case err != nil:
		return nil, nil, err
	case r.Live:
		return nil, nil, h.live(id)
	}
	var lost error
	for i := range r.State.Facts.Batches { // not its events: the journal of the roll may have lost its end
		run := roll.RunOf(id, i)
		if h.Runs.Begun(run) {
			runs = append(runs, run)
			continue
		}
		begun := slices.IndexFunc(r.Events, func(e roll.Event) bool {
			return e.Kind == roll.EventDrainStarted && e.Run == run
		})
		if begun < 0 {
			continue
		}
		why := comparison(&r.State.Facts.Run, func(ctx context.Context, s *app.Session) error {
			return r.Lost(ctx, s, r.Events[begun])
		})
		if why != "" {
			lost = errors.Join(lost, errors.New(why))
		}
	}
	slices.Reverse(runs)
	if f := &r.State.Facts.Run; r.State.Outcome == "" && f.Options.LeaseNamespace != "" {
		own = f
	}
	if len(runs) == 0 && own == nil && lost == nil {
		fmt.Fprintln(h.Err, "there is nothing to undo for roll "+id)
	}
	return runs, own, lost
}

// Live is an error where no process works on the roll.
func (h *Host) Live(id string) error {
	r, err := rolls.Read(h.Runs, id)
	switch {
	case err != nil:
		return err
	case r.Live:
		return nil
	case r.State.Outcome != "":
		return &app.Error{Text: ended(r.State) + "; there is nothing to steer"}
	}
	return &app.Error{Text: "roll " + id + " is not live: its process ended before the roll did",
		Hint: h.Program + " resume " + id + " continues it, rollback undoes what it did"}
}

// Known reports whether there is a roll of that id on this machine.
func (h *Host) Known(id string) bool { return rolls.Known(h.Runs, id) }

// Comparison connects to the cluster of a run and calls compare. It returns the error as text, "" for none.
type Comparison func(run *drain.RunFacts, compare func(context.Context, *app.Session) error) string

// Report tells what became of each node of a roll, in the form that was asked for.
func (h *Host) Report(id string, printer print.Printer, out io.Writer, markdown bool, comparison Comparison) error {
	r, err := rolls.Read(h.Runs, id)
	if err != nil {
		return err
	}
	told := roll.ReportOf(r.Events, r.Live)
	if !r.Live {
		told.Unchecked = comparison(&r.State.Facts.Run, func(ctx context.Context, s *app.Session) error {
			return r.Compare(ctx, s, &told)
		})
	}
	return printer.Value(told, func(t *print.Text) {
		if markdown {
			fmt.Fprint(out, told.Markdown())
			return
		}
		print.RollReport(t, told)
	})
}

// List are the rolls among the runs of this machine, newest first; damaged are those that cannot be read.
func (h *Host) List(now time.Time) (runs []print.Run, damaged []error) {
	records, damaged := rolls.All(h.Runs)
	runs = []print.Run{}
	for _, r := range records {
		runs = append(runs, print.ProjectRoll(roll.ReportOf(r.Events, r.Live), r.State, now))
	}
	return runs, damaged
}
