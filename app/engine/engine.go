package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Source is where an engine looks at the cluster; *kube.Store is one.
type Source interface {
	Snapshot() *kube.Snapshot
	Changed(ctx context.Context) <-chan struct{}
}

// EngineConfig is what an engine works with.
type EngineConfig struct {
	Source  Source
	Writer  request.Writer
	Journal *journal.Journal // closed by the engine; nil keeps none
	Now     func() time.Time
}

// Engine is the shell around Step: it waits for a change, an answer, a word of
// the operator or the wake-up, calls Step, writes the events to the journal and
// sends the writes. One goroutine owns the state; everybody else reads it.
type Engine struct {
	config EngineConfig
	group  kube.Group
	done   chan struct{}

	recorder *recorder
	inbox    chan struct{} // capacity one: something is in inputs
	saved    uint64        // last event in the journal; of the loop alone
	// out are the writes without an answer, and since when they wait for it; of the loop alone.
	out map[uint64]time.Time

	mu        sync.Mutex
	inputs    []drain.Input
	commands  map[uint64]chan<- drain.CommandResult // who waits for what became of a control, by its ID
	commandID uint64
	state     *drain.State
	told      Chronicle[drain.Event]
	err       error
	watchers  live.Watchers
}

// lastAnswers is how long a write may take to be answered once the run was told to stop; a write cut short would be in
// doubt.
const lastAnswers = 5 * time.Second

// closingTime is how long one may take once the run is aborted. A server that does not answer must not keep the
// operator for longer than half a minute: nothing more is sent after such a write, and what is not answered by then is
// in doubt, and said to be. With one that answers the run takes back what stands, and keeps its Leases meanwhile.
const closingTime = 10 * time.Second

// Start begins a run of the plan and returns at once. The run asks before each
// phase that changes the cluster (State.Question), ends by itself, and is
// aborted when the context ends. Its caller waits for Done.
func Start(ctx context.Context, config EngineConfig, plan plan.Plan, facts drain.RunFacts) (*Engine, error) {
	if facts.ID == "" {
		return nil, errors.New("a run needs an id")
	}
	first := drain.StartEvent(plan, facts)
	first.Seq, first.Time = 1, config.Now()
	return launch(ctx, config, nil, first)
}

// Resume goes on with a run from the events of its journal, where the cluster
// really is: nothing that was sent before is taken for done or for not done, and
// what was confirmed stays confirmed.
func Resume(ctx context.Context, config EngineConfig, events []drain.Event) (*Engine, error) {
	if len(events) == 0 || events[0].Kind != drain.EventRunStarted {
		return nil, errors.New("the journal does not begin with the start of the run")
	}
	if last := events[len(events)-1]; last.Kind == drain.EventRunEnded {
		return nil, fmt.Errorf("run %s has ended: %s", events[0].Run.ID, last.Outcome)
	}
	resumed := drain.Event{Seq: uint64(len(events) + 1), Time: config.Now(), Kind: drain.EventResumed}
	return launch(ctx, config, events, resumed)
}

// launch writes the event with which a process takes a run up, and starts the
// loop.
func launch(ctx context.Context, config EngineConfig, before []drain.Event, first drain.Event) (*Engine, error) {
	if config.Journal != nil {
		if err := config.Journal.Append([]drain.Event{first}, false); err != nil {
			return nil, err
		}
	}
	e := &Engine{config: config, done: make(chan struct{}), inbox: make(chan struct{}, 1),
		commands: map[uint64]chan<- drain.CommandResult{}, out: map[uint64]time.Time{}}
	e.told.Add(asRecorded(before)...)
	e.told.Add(asRecorded([]drain.Event{first})...)
	e.state, e.saved = drain.Fold(drain.Fold(nil, before...), first), first.Seq
	e.recorder = newRecorder(ctx, config.Writer, e.state.Run.ID)
	e.group.Go("engine "+e.state.Run.ID, func() { e.loop(ctx) })
	return e, nil
}

// State is the run at this moment.
func (e *Engine) State() *drain.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Events are the events after the one of that number, in order, as the journal has
// them.
func (e *Engine) Events(after uint64) []drain.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told.After(after)
}

// Err is what went wrong with the journal, nil if nothing did.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Silent is why the run writes no Events on its nodes, "" if it does.
func (e *Engine) Silent() string { return e.recorder.why() }

// Done is closed when the run has ended and its journal is closed.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Send hands the run a confirmation or a command.
func (e *Engine) Send(in drain.Input) {
	e.mu.Lock()
	e.inputs = append(e.inputs, in)
	e.mu.Unlock()
	live.Signal(e.inbox)
}

// Changed returns a channel of capacity one that says "something changed since
// you last looked", until the context ends.
func (e *Engine) Changed(ctx context.Context) <-chan struct{} { return e.watchers.Changed(ctx) }

func (e *Engine) loop(ctx context.Context) {
	defer close(e.done)
	defer e.recorder.end()
	defer e.closeJournal()
	// Writes outlive the run's context for a moment, to be answered.
	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	watching, stopWatching := context.WithCancel(sending)
	defer stopWatching()
	var writes kube.Group
	defer writes.Wait()
	defer stopSending()

	changed := e.config.Source.Changed(watching)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	stopped := ctx.Done()
	var suspended time.Time // when the run was told to stop without an end
	var aborted time.Time   // when it was aborted
	for {
		looked := e.config.Now()
		wake := e.step(sending, &writes)
		due := looked.Add(pause(e.config.Now().Sub(looked)))
		if suspended.IsZero() && e.State().Suspended {
			suspended = looked
		}
		if e.ended() || e.suspended(suspended) {
			return
		}
		if aborted.IsZero() && e.State().Aborting {
			aborted = looked
		}
		if cut := e.cutOff(aborted, ctx.Err() != nil); !cut.IsZero() {
			if !e.config.Now().Before(cut) {
				stopSending()
			} else if wake.IsZero() || cut.Before(wake) {
				wake = cut
			}
		}
		if !suspended.IsZero() {
			wake = suspended.Add(lastAnswers)
		}
		timer.Stop()
		if !wake.IsZero() {
			timer.Reset(max(0, wake.Sub(e.config.Now())))
		}
		select {
		case <-changed:
			e.settle(due, timer.C)
		case <-e.inbox:
		case <-timer.C:
		case <-stopped:
			stopped = nil
			e.Send(drain.Command{Kind: drain.CommandAbort, By: "signal", Why: context.Cause(ctx).Error()})
		}
	}
}

// cutOff is when nothing more is sent, as a write is not answered: zero where the run goes on, or none is out. signal
// tells that it was told so from outside.
func (e *Engine) cutOff(aborted time.Time, signal bool) (at time.Time) {
	if aborted.IsZero() {
		return at
	}
	patience := closingTime
	if signal {
		patience = lastAnswers
	}
	for _, since := range e.out {
		if since.Before(aborted) {
			since = aborted
		}
		if cut := since.Add(patience); at.IsZero() || cut.Before(at) {
			at = cut
		}
	}
	return at
}

// lookEvery is the shortest time between two looks at a changing cluster: many
// pods change together, and one look sees them all. Where looks take long they are
// fewer, so that they take no more than one part in lookShare of a core. A change
// waits for lookAtLeast at most: looks of more than a lookShare of that take more.
// Answers, commands and what is due by the clock wait for none of this.
const (
	lookEvery   = 5 * time.Millisecond
	lookShare   = 16
	lookAtLeast = 500 * time.Millisecond
)

// pause is how long after the start of a look that took so long the next one is due.
func pause(took time.Duration) time.Duration {
	return min(max(lookEvery, lookShare*took), lookAtLeast)
}

// settle waits until the next look is due; whatever else comes in, and what is due by the
// clock, ends the wait.
func (e *Engine) settle(at time.Time, clock <-chan time.Time) {
	rest := at.Sub(e.config.Now())
	if rest <= 0 {
		return
	}
	due := time.NewTimer(rest)
	defer due.Stop()
	select {
	case <-due.C:
	case <-e.inbox:
	case <-clock:
	}
}

// step runs Step once on the newest snapshot and carries out what it says: the
// journal first, then the state for everybody to see, then the writes.
func (e *Engine) step(ctx context.Context, writes *kube.Group) time.Time {
	snap := e.config.Source.Snapshot()
	e.mu.Lock()
	state, batch := e.state, e.inputs
	e.inputs = nil
	e.mu.Unlock()

	for _, in := range batch {
		if a, answered := in.(drain.Answered); answered {
			delete(e.out, a.Write.ID)
		}
	}
	out := drain.Step(state, snap, e.catchUp(batch), e.config.Now())
	if err := e.record(out); err != nil {
		e.withhold(batch, err)
		return time.Time{}
	}
	if len(out.Events) > 0 {
		e.publish(out)
	}
	e.answerCommands(out)
	e.recorder.see(out.State, out.Events, snap, e.config.Now())
	for _, w := range out.Writes {
		e.out[w.ID] = e.config.Now()
		writes.Go(string(w.Verb)+" "+w.Node, func() {
			e.Send(drain.Answered{Write: w, Answer: w.Request.Send(ctx, e.config.Writer)})
		})
	}
	return e.recorder.wake(out.Wake, e.config.Now())
}

func (e *Engine) publish(out drain.Output) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = out.State
	e.told.Add(asRecorded(drain.Lasting(out.Events))...)
	e.watchers.Signal()
}

func (e *Engine) ended() bool {
	return e.State().Outcome != ""
}
