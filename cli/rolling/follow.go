package rolling

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/rolls"
	"github.com/kdrain-tui/kdrain-tui/cli/print"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// follower watches a roll: it prints what happens in it and in its runs, and asks its questions.
type follower struct {
	h    *Host
	roll *rolls.Roll
	out  print.Roll
	yes  bool
	by   string

	seen    uint64
	lost    string // why the journal of the roll cannot be written, as it was said
	drains  []*seenDrain
	asked   *roll.Question
	answers <-chan string
	stopped bool
}

// seenDrain is the run of a batch, as far as it was printed.
type seenDrain struct {
	run  app.Run
	out  *print.Drain
	seen uint64
	lost string // why its journal cannot be written, as it was said
}

func (f *follower) see(ctx context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	changed, interrupted := f.roll.Changed(ctx), f.h.Signals.Interrupted
	for over := false; !over; {
		f.flush()
		f.sayJournals()
		f.question()
		select {
		case <-changed:
		case <-interrupted:
			interrupted, f.stopped, f.answers = nil, true, nil
			if f.h.Signals.HungUp() {
				f.out.Note("the terminal was closed: nothing more begins, the roll can be resumed")
				continue
			}
			f.out.Note("interrupted by %s: nothing more begins, what is under way is ended; interrupt again to end at once",
				f.h.Signals.Name())
		case line, ok := <-f.answers:
			f.answer(line, ok)
		case <-f.roll.Done():
			over = true
		}
	}
	f.flush()
	s := f.roll.State()
	f.out.RollEnd(f.roll.Events(0))
	if err := f.roll.Err(); err != nil {
		f.out.Complain("the journal of the roll is not complete: " + err.Error())
	}
	id, target := s.Facts.Run.ID, s.Facts.Run.Target()
	target.Program = f.h.Program
	switch {
	case s.Outcome == "":
		f.out.Note("roll %s is suspended, not ended: %s continues it", id, target.Line("kdrain-tui resume "+id))
		return f.h.Exit(drain.OutcomeAborted)
	case s.Outcome != drain.OutcomeDone:
		f.out.Note("%s shows what became of each node, %s undoes what is left", target.Line("kdrain-tui report "+id),
			target.Line("kdrain-tui rollback "+id))
	}
	return f.h.Exit(s.Outcome)
}

// flush prints what happened since the last look, in the order of time.
func (f *follower) flush() {
	for _, run := range f.roll.Drains()[len(f.drains):] {
		d := &seenDrain{run: run, out: f.out.Of(&run.State().Run)}
		events := run.Events(0)
		if _, past := run.(*journal.Replay); past {
			d.seen = uint64(len(events))
		}
		for _, e := range events { // what came before this process was printed by another
			if e.Kind == drain.EventResumed {
				d.seen = e.Seq
			}
		}
		f.drains = append(f.drains, d)
		if d.seen == 0 {
			f.sayNotSurging(&run.State().Run)
		}
	}
	type line struct {
		at    time.Time
		print func()
	}
	var lines []line
	s := f.roll.State()
	for _, e := range f.roll.Events(f.seen) {
		f.seen = e.Seq
		lines = append(lines, line{e.Time, func() { f.out.Event(e, s) }})
	}
	for _, d := range f.drains {
		for _, e := range d.run.Events(d.seen) {
			d.seen = e.Seq
			lines = append(lines, line{e.Time, func() { d.out.Event(e) }})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	for _, l := range lines {
		l.print()
	}
}

// sayNotSurging tells of workloads of a batch that do not surge, which the plan of the roll did not say: an autoscaler,
// say, that came meanwhile.
func (f *follower) sayNotSurging(batch *drain.RunFacts) {
	for _, now := range batch.Findings {
		told := slices.ContainsFunc(f.roll.State().Facts.Run.Findings, func(before plan.Finding) bool {
			return before.Message == now.Message
		})
		if now.Code == preflight.FindingNoSurge && !told {
			f.out.Warn(now.Message)
		}
	}
}

// sayJournals tells once which journal cannot be written. The run of a batch then pauses itself; a roll tries again
// every second, and begins nothing before.
func (f *follower) sayJournals() {
	lost := ""
	if err := f.roll.Err(); err != nil {
		lost = err.Error()
	}
	switch {
	case lost == f.lost:
	case lost == "":
		f.out.Note("the journal of the roll can be written again")
	case f.lost == "":
		f.out.Complain("the roll begins nothing new until its journal can be written: " + lost)
	}
	f.lost = lost
	for _, d := range f.drains {
		if s := d.run.State(); s.JournalLost != d.lost && s.Outcome == "" {
			d.lost = s.JournalLost
			d.out.JournalLost(s, f.h.Program, f.h.Runs.Gone())
		}
	}
}

// question asks what the roll wants to know. --yes stands for none of it: a command that was cut off is
// then not run again.
func (f *follower) question() {
	q := f.roll.State().Question
	if q == nil || f.stopped || f.asked != nil && f.asked.Node == q.Node && f.asked.Since.Equal(q.Since) {
		return
	}
	f.asked = q
	switch {
	case q.Kind == roll.AskAgain && (f.yes || !f.h.CanAsk()):
		f.reply(roll.AnswerFailed)
	case !f.h.CanAsk():
		f.abort("there is no terminal to ask on")
	case q.Kind == roll.AskAgain:
		f.answers = f.h.Ask(func() {
			if q.Message != "" {
				f.out.Note("it is not known whether the --%s command of node %s still runs: %s",
					q.Hook, q.Node, q.Message)
			}
			f.out.Ask(fmt.Sprintf("The --%s command of node %s was cut off: look at the node. Type again to run it again, done if it was done, failed to leave the node: ", q.Hook, q.Node))
		})
	default:
		f.answers = f.h.Ask(func() {
			f.out.Ask(fmt.Sprintf("Node %s is drained. Type done when its work is done, failed to leave it cordoned: ",
				q.Node))
		})
	}
}

func (f *follower) answer(line string, ok bool) {
	f.answers = nil
	q := f.asked
	switch a := roll.Answer(line); {
	case !ok:
		f.abort("not confirmed")
	case a == roll.AnswerDone, a == roll.AnswerFailed, a == roll.AnswerAgain && q.Kind == roll.AskAgain:
		f.reply(a)
	default:
		f.asked = nil // it is asked once more
	}
}

func (f *follower) reply(a roll.Answer) {
	f.roll.Send(roll.Reply{Node: f.asked.Node, Kind: f.asked.Kind, Answer: a, By: f.by})
}

func (f *follower) abort(why string) {
	f.stopped = true
	f.roll.Send(roll.Command{Kind: drain.CommandAbort, By: f.by, Why: why})
	f.out.Note("%s: nothing more begins, what is under way is ended", why)
}
