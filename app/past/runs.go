package past

import (
	"context"
	"errors"
	"sync"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
)

// Runs are the runs and rolls of this machine, for a screen on the cluster of the session, which watches
// all that a drain needs.
type Runs struct {
	ctx     context.Context // of the screen
	session *app.Session

	mu    sync.Mutex
	waits []func() // for what is shown
}

// New are the runs for a screen that lives as long as the context.
func New(ctx context.Context, session *app.Session) *Runs { return &Runs{ctx: ctx, session: session} }

// Wait returns when nothing of what was shown is read any longer, which is after the end of the context.
func (r *Runs) Wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wait := range r.waits {
		wait()
	}
}

func (r *Runs) owe(wait func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = append(r.waits, wait)
}

// All are the runs and rolls of this machine, newest first. The error is an *app.Error.
func (r *Runs) All() ([]live.Brief, error) {
	all, err := r.session.Runs.All()
	here := r.session.Identity().ClusterID
	for i := range all {
		all[i].Elsewhere = !all[i].Damaged && all[i].ClusterUID != here
	}
	return all, err
}

// Show is a run or a roll, one of both: watched where another process works on it, else at its end. The
// error is an *app.Error.
func (r *Runs) Show(b live.Brief) (live.Run, live.Roll, error) {
	if b.Roll {
		shown, err := r.showRoll(b.ID)
		return nil, shown, err
	}
	shown, err := r.showRun(b.ID)
	return shown, nil, err
}

func (r *Runs) showRun(id string) (live.Run, error) {
	runs := r.session.Runs
	if err := runs.Known(id); err != nil {
		return nil, err
	}
	record, err := runs.Record(id)
	if err != nil {
		return nil, err
	}
	if record.Live {
		run, err := runs.Watch(r.ctx, id)
		if err != nil {
			return nil, err
		}
		r.owe(run.Wait)
		return run, nil
	}
	ended, err := journal.Ended(record.Events)
	if err != nil {
		return nil, &app.Error{Text: "cannot show run " + id, Err: err}
	}
	return endedRun{ended}, nil
}

func (r *Runs) showRoll(id string) (live.Roll, error) {
	record, err := rolls.Read(r.session.Runs, id)
	if err != nil {
		return nil, err
	}
	if record.Live {
		watched, err := rolls.Follow(r.ctx, r.session.Runs, id)
		if err != nil {
			return nil, err
		}
		r.owe(watched.Wait)
		return watched, nil
	}
	ended, err := rolls.Ended(r.session.Runs, id)
	if err != nil {
		return nil, err
	}
	return endedRoll{ended}, nil
}

// endedRun is one that no process works on. As of a run of another process, leaving the screen ends nothing.
type endedRun struct{ *journal.Replay }

func (endedRun) Refusals() []string { return nil }
func (endedRun) Unattended() bool   { return true }

type endedRoll struct{ *rolls.Replay }

func (endedRoll) Refusals() []string { return nil }
func (endedRoll) Unattended() bool   { return true }

// Report is what became of a run or roll, as markdown. The error is an *app.Error.
func (r *Runs) Report(b live.Brief) (string, error) {
	if b.Roll {
		record, err := rolls.Read(r.session.Runs, b.ID)
		if err != nil {
			return "", err
		}
		told := roll.ReportOf(record.Events, record.Live)
		if !record.Live {
			if err := record.Compare(r.ctx, r.session, &told); err != nil {
				told.Unchecked = err.Error()
			}
		}
		return told.Markdown(), nil
	}
	if err := r.session.Runs.Known(b.ID); err != nil {
		return "", err
	}
	record, err := r.session.Runs.Record(b.ID)
	if err != nil {
		return "", err
	}
	told := report.Of(record.Events, record.Live)
	if !record.Live && len(told.ToDo) > 0 {
		if err := r.session.Compare(r.ctx, &told, record.State); err != nil {
			told.Unchecked = err.Error()
		}
	}
	return told.Markdown(), nil
}

// Resume goes on with a run or roll that no process works on, in this one. The error is an *app.Error.
func (r *Runs) Resume(ctx context.Context, b live.Brief) (live.Run, live.Roll, error) {
	if b.Roll {
		resumed, err := r.resumeRoll(ctx, b.ID)
		return nil, resumed, err
	}
	resumed, err := r.resumeRun(ctx, b.ID)
	return resumed, nil, err
}

func (r *Runs) resumeRun(ctx context.Context, id string) (live.Run, error) {
	runs := r.session.Runs
	record, err := runs.Dead(id)
	switch {
	case err != nil:
		return nil, err
	case app.Leaving(record.State):
		return nil, &app.Error{Text: "run " + id + " takes its nodes out of the cluster",
			Hint: runs.Program + " resume " + id + " goes on with that in a terminal"}
	}
	if err := runs.NotEnded(record.State); err != nil {
		return nil, err
	}
	if err := r.session.SameCluster(&record.State.Run); err != nil {
		return nil, err
	}
	resumption := r.session.Continue(&record.State.Run)
	if _, err := resumption.Ready(ctx); err != nil {
		return nil, err
	}
	run, _, err := resumption.Start(ctx)
	if err != nil {
		return nil, err // not a Run that is nil
	}
	return run, nil
}

func (r *Runs) resumeRoll(ctx context.Context, id string) (live.Roll, error) {
	record, err := rolls.Read(r.session.Runs, id)
	if err != nil {
		return nil, err
	}
	facts := &record.State.Facts
	if err := r.session.SameCluster(&facts.Run); err != nil {
		return nil, err
	}
	if err := r.session.MayRoll(ctx, facts.Run.Options); err != nil {
		return nil, err
	}
	resumed, _, err := rolls.GoOn(ctx, r.session, id)
	if err != nil {
		return nil, err // not a Roll that is nil
	}
	return resumed, nil
}

// Rollback plans to take back what a run did, and keeps other processes from it until Close. The error is
// an *app.Error.
func (r *Runs) Rollback(ctx context.Context, b live.Brief) (live.Rollback, error) {
	if err := r.session.Runs.Known(b.ID); err != nil {
		return nil, err
	}
	planned, err := r.session.Rollback(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	if err := planned.MayUndo(ctx); err != nil {
		return nil, errors.Join(err, planned.Close())
	}
	return undoing{planned}, nil
}

type undoing struct{ *app.Rollback }

func (u undoing) Undos() []rollback.Undo { return u.Items }
