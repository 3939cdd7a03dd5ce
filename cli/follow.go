package cli

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/cli/ending"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/cli/prompt"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// follower watches a run: it prints its events, answers its questions and aborts it when a signal comes.
type follower struct {
	p       *Program
	run     app.Run
	session followed
	out     *print.Drain
	shown   plan.Plan // what was confirmed, or is to be; without nodes where none was shown
	yes     bool
	served  bool // ctl reaches the run
	// retires takes the drained nodes out of the cluster once the drain is over, nil where they stay.
	retires func(context.Context) (code int, err error)

	seen    uint64        // last event printed
	said    int           // lines printed at the last tick
	asked   *askedPhase   // the question on the screen
	answers <-chan string // what is typed for it
	stopped bool          // abort was sent, or the run is suspended
	lost    string        // why the journal cannot be written, as it was said
}

type askedPhase struct {
	phase drain.Phase
	word  string // that the run wants
	typed string // that is to be typed: the same, or that of a protected context; "" for y
}

// see follows a run to its end and says how it ended.
func (f *follower) see(ctx context.Context) error {
	p := f.p
	served, err := p.runs.Served(f.run.State().Run.ID)
	if f.served = served; err != nil {
		explain(p.Err, &failure{text: p.display() + " ctl will not reach this run", err: err})
	}
	state := f.follow(ctx)
	code := exitOfRun(state)
	if f.retires != nil && state.Outcome != "" {
		if code, err = f.retires(ctx); err != nil {
			explain(p.Err, err)
		}
		state = f.run.State()
	}
	f.out.End(f.run.Events(0))
	f.out.Leftovers(state, f.session.Snapshot())
	events, journal := ending.Gaps(f.run)
	if events != "" {
		f.out.Note("%s", events)
	}
	if journal != "" {
		f.out.Complain(journal)
	}
	if state.Suspended {
		f.out.Note("%s", ending.Suspended(state, p.display()))
	}
	switch {
	case p.runs.Gone():
		f.out.FolderGone(state, p.display())
	case state.Outcome != drain.OutcomeDone:
		f.out.Note("the journal of this run: %s", p.runs.Path(state.Run.ID))
	}
	return told(code)
}

// follow returns the state that the run ended in.
func (f *follower) follow(ctx context.Context) *drain.State {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	changed := f.run.Changed(ctx)
	interrupted := f.p.signals.Interrupted
	still := time.NewTicker(stillEvery)
	defer still.Stop()
	for {
		f.flush()
		f.sayJournal()
		f.question()
		select {
		case <-changed:
		case <-still.C:
			f.sayStill()
		case <-interrupted:
			interrupted = nil
			f.interrupt()
		case line, ok := <-f.answers:
			f.answer(ctx, line, ok)
		case <-f.run.Done():
			if _, ok := f.p.signals.First(); ok && interrupted != nil {
				f.interrupt()
			}
			f.flush()
			return f.run.State()
		}
	}
}

// stillEvery is how long a run may be silent before it says that it lives.
const stillEvery = 30 * time.Second

// sayStill says how far the run is, if nothing was printed since it last did, and what it waits for in any case.
func (f *follower) sayStill() {
	s := f.run.State()
	if f.answers != nil {
		f.said = f.out.Printed()
		return
	}
	if f.out.Printed() == f.said {
		p := s.Progress("")
		f.out.Note("in progress: %d of %s gone, %d terminating, %d blocked", p.Left,
			format.Count(p.Total, "pod"), p.Terminating, p.Blocked)
	}
	f.out.Still(s)
	f.said = f.out.Printed()
}

// interrupt says what the first signal did: it has aborted the run, but for the one
// that says that the terminal went away, which has suspended it.
func (f *follower) interrupt() {
	if !f.p.signals.HungUp() {
		f.sayAbort("interrupted by " + f.p.signals.Name())
		return
	}
	f.stopped, f.answers = true, nil
	f.out.Note("the terminal was closed: nothing more is sent, the run can be resumed")
}

// sayJournal tells once that the journal cannot be written. The run has paused
// itself, and only a command from outside lets it continue.
func (f *follower) sayJournal() {
	s := f.run.State()
	if s.JournalLost == f.lost {
		return
	}
	f.lost = s.JournalLost
	if f.lost != "" && !f.served { // no one could let it continue
		f.out.Complain("the run stopped itself: " + f.lost)
		f.abort("nothing is sent without a journal")
		return
	}
	f.out.JournalLost(s, f.p.display(), f.p.runs.Gone())
}

// flush prints the events since the last look.
func (f *follower) flush() {
	for _, e := range f.run.Events(f.seen) {
		f.seen = e.Seq
		f.out.Event(e)
	}
}

// question gives the operator's confirmation where the run waits for it: at once with --yes, else by asking.
func (f *follower) question() {
	s := f.run.State()
	q := s.Question
	if q == nil || s.Outcome != "" || s.Aborting || s.Suspended || f.stopped {
		return
	}
	if f.asked != nil && f.asked.phase == q.Phase {
		return
	}
	f.asked = &askedPhase{phase: q.Phase, word: q.Word, typed: cmp.Or(q.Word, f.p.typed)}
	if f.yes && confirmedByYes(q.Phase) {
		f.confirm()
		return
	}
	if !f.p.canAsk() {
		f.abort("there is no terminal to confirm the phase " + string(q.Phase))
		return
	}
	f.ask(prompt.Phase(q, s, f.asked.typed))
}

// confirmedByYes: --yes stands for guard, cordon and evict, for a surge that --surge asks
// for by name, and for nothing else that a run may ask.
func confirmedByYes(phase drain.Phase) bool {
	return slices.Contains([]drain.Phase{drain.PhaseGuard, drain.PhaseCordon, drain.PhaseSurge, drain.PhaseEvict},
		phase)
}

func (f *follower) confirm() {
	f.answers = nil
	f.run.Send(drain.Confirm{Phase: f.asked.phase, Word: f.asked.word, By: f.session.Identity().User})
}

// answer takes what was typed for the open question.
func (f *follower) answer(ctx context.Context, line string, ok bool) {
	f.answers = nil
	switch accepted := ok && prompt.Accepts(line, f.asked.typed); {
	case accepted && f.stillTrue(ctx):
		f.confirm()
	case accepted:
		f.ask(prompt.Phase(f.run.State().Question, f.run.State(), f.asked.typed))
	case f.asked.typed != "" && line != "" && !prompt.IsNo(line):
		f.ask("That does not match. Type " + f.asked.typed + " to continue, or press Enter to stop: ")
	default:
		f.abort("not confirmed")
	}
}

func (f *follower) ask(question string) {
	f.answers = f.p.ask(func() { f.out.Ask(question) })
}

// stillTrue reports whether what was shown holds at the moment of the answer. What does
// not is told, and is what the next answer is about.
func (f *follower) stillTrue(ctx context.Context) bool {
	s := f.run.State()
	if len(f.shown.Nodes) == 0 || s.Question == nil {
		return true
	}
	now, err := f.session.Again(ctx, f.shown, s.Run.ID)
	if err != nil {
		f.out.Warn("nothing was sent: " + err.Error())
		return false
	}
	before := f.shown
	if s.Question.Phase != drain.PhaseCordon && s.Question.Phase != drain.PhaseGuard {
		before = before.CordonedAs(now)
	}
	f.shown = now
	changes := plan.Grave(before.Diff(now))
	if len(changes) > 0 {
		f.out.Changes(changes)
	}
	return len(changes) == 0
}

func (f *follower) abort(why string) {
	if !f.stopped {
		f.run.Send(drain.Command{Kind: drain.CommandAbort, By: f.session.Identity().User, Why: why})
		f.sayAbort(why)
	}
}

func (f *follower) sayAbort(why string) {
	if f.stopped {
		return
	}
	f.stopped, f.answers = true, nil
	f.out.Note("%s: nothing more is sent, outstanding answers are waited for; interrupt again to end at once", why)
}
