package rolls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// config is what a roll works with.
type config struct {
	Source  engine.Source
	Writer  request.Writer
	Journal *journal.Of[roll.Event] // closed by the roll
	Now     func() time.Time
	// Drains begins the run of a batch, or resumes it where it has begun before.
	Drains func(ctx context.Context, wanted roll.Drain) (of app.Run, begun bool, err error)
	// Hooks runs a command of the operator: hook.Run.
	Hooks func(context.Context, hook.Command) (code int, err error)
	// Look says whether a command of another process still runs: hook.Look.
	Look func(process.Group) process.Seen
}

// Roll is a live roll of this process. One goroutine owns its state; everybody else reads it.
type Roll struct {
	config config
	group  kube.Group
	done   chan struct{}
	inbox  chan struct{} // capacity one: something happened
	kill   func()        // ends the commands that run

	// Of the loop alone:
	hooks   context.Context   // ends when the roll is aborted
	unsaved []roll.Event      // not in the journal yet
	due     []roll.RunHook    // wait for that
	unnoted []chan<- struct{} // are closed after that
	told    drain.CommandKind // what the run of the batch was told last
	leases  roll.Leases       // as the last look left them
	work    kube.Group        // commands, requests and the runs of batches; waited for by the loop

	mu       sync.Mutex
	opening  string            // the run that is being begun
	sent     map[string]string // by node: the version of it that was to be uncordoned last
	inputs   []roll.Input
	notes    []chan<- struct{} // closed when the journal has the inputs
	waiting  []command
	state    *roll.State
	events   engine.Chronicle[roll.Event]
	drain    app.Run   // of the batch under way, nil for none
	drains   []app.Run // all of this process
	err      error     // why the journal cannot be written
	watchers live.Watchers
}

// command is one whose caller waits until it is taken.
type command struct {
	roll.Command
	taken chan<- taken
}

type taken struct {
	seq uint64
	err error
}

// start begins a roll and returns at once. It goes on until it has ended, whatever becomes of the context.
func start(ctx context.Context, c config, facts roll.Facts) (*Roll, error) {
	return launch(ctx, c, nil, roll.Event{Seq: 1, Time: c.Now(), Kind: roll.EventRollStarted, Roll: &facts})
}

// resume goes on with a roll from the events of its journal.
func resume(ctx context.Context, c config, events []roll.Event) (*Roll, error) {
	if len(events) == 0 || events[0].Kind != roll.EventRollStarted {
		return nil, errors.New("the journal does not begin with the start of the roll")
	}
	if last := events[len(events)-1]; last.Kind == roll.EventRollEnded {
		return nil, fmt.Errorf("roll %s has ended: %s", events[0].Roll.Run.ID, last.Outcome)
	}
	return launch(ctx, c, events, roll.Event{Seq: uint64(len(events) + 1), Time: c.Now(), Kind: roll.EventResumed})
}

func launch(ctx context.Context, c config, before []roll.Event, first roll.Event) (*Roll, error) {
	if err := c.Journal.Append([]roll.Event{first}, true); err != nil {
		return nil, err
	}
	r := &Roll{config: c, done: make(chan struct{}), inbox: make(chan struct{}, 1), sent: map[string]string{},
		state: roll.Fold(roll.Fold(nil, before...), first)}
	r.events.Add(before...)
	r.events.Add(first)
	ctx = context.WithoutCancel(ctx)
	hooks, kill := context.WithCancelCause(ctx)
	r.hooks, r.kill = hooks, func() { kill(errors.New("the roll was aborted")) }
	r.group.Go("roll "+r.state.Facts.Run.ID, func() { r.loop(ctx) })
	return r, nil
}

// State is the roll at this moment; it is never changed afterwards.
func (r *Roll) State() *roll.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Events are the events after the one of that number, in order.
func (r *Roll) Events(after uint64) []roll.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events.After(after)
}

// Drains are the runs of batches that this process began or went on with.
func (r *Roll) Drains() []app.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drains[:len(r.drains):len(r.drains)]
}

// Drain is the run of the batch under way or of the last one, nil where this process began none.
func (r *Roll) Drain() live.Run {
	all := r.Drains()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// Err is why the journal cannot be written, nil while it can: nothing new begins until then.
func (r *Roll) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Done is closed when the roll has ended, or was suspended, and its journal is closed.
func (r *Roll) Done() <-chan struct{} { return r.done }

// Changed returns a channel of capacity one that says "something changed since you last looked", until
// the context ends.
func (r *Roll) Changed(ctx context.Context) <-chan struct{} { return r.watchers.Changed(ctx) }

// Send hands the roll a command or a reply.
func (r *Roll) Send(in roll.Input) {
	r.mu.Lock()
	r.inputs = append(r.inputs, in)
	r.mu.Unlock()
	live.Signal(r.inbox)
}

// Command hands the roll a command and waits until it took it. It returns the number of its last event
// by then, or why the command changes nothing.
func (r *Roll) Command(ctx context.Context, c roll.Command) (uint64, error) {
	answer := make(chan taken, 1)
	r.mu.Lock()
	r.waiting = append(r.waiting, command{c, answer})
	r.mu.Unlock()
	live.Signal(r.inbox)
	select {
	case t := <-answer:
		return t.seq, t.err
	case <-r.done:
		return 0, errors.New("the roll has ended")
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// lookEvery is the shortest time between two looks at a changing cluster. Looking takes no more than one part in
// lookShare of a core, as judging the health gate may in a large cluster, but the looks are never farther apart than
// lookAtLeast.
const (
	lookEvery   = 50 * time.Millisecond
	lookShare   = 16
	lookAtLeast = 5 * time.Second
)

func (r *Roll) loop(ctx context.Context) {
	defer close(r.done)
	watching, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		r.kill()
		r.work.Wait()
		r.mu.Lock()
		r.err = errors.Join(r.err, r.config.Journal.Close())
		r.mu.Unlock()
	}()
	changed := r.config.Source.Changed(watching)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		looked := r.config.Now()
		wake := r.step(ctx)
		rest := min(max(lookEvery, lookShare*r.config.Now().Sub(looked)), lookAtLeast)
		if r.over() {
			return
		}
		timer.Stop()
		if !wake.IsZero() {
			timer.Reset(max(0, wake.Sub(r.config.Now())))
		}
		look, quiet := (<-chan struct{})(nil), time.NewTimer(max(0, rest-r.config.Now().Sub(looked)))
		for waits := true; waits; {
			waits = false
			select {
			case <-quiet.C:
				look, waits = changed, true
			case <-look:
			case <-r.inbox:
			case <-timer.C:
			}
		}
		quiet.Stop()
	}
}

// step decides once, and carries out what the journal has.
func (r *Roll) step(ctx context.Context) (wake time.Time) {
	inputs, waiting := r.take()
	s := r.State()
	v := roll.View{Snap: r.config.Source.Snapshot(), Now: r.config.Now(), Left: r.left(s), Leases: r.leases}
	var answers []func(seq uint64)
	for _, c := range waiting {
		err := s.Objection(c.Kind)
		if err == nil {
			inputs = append(inputs, c.Command)
		}
		answers = append(answers, func(seq uint64) { c.taken <- taken{seq, err} })
	}
	if d := r.current(); d != nil {
		v.Drain = d.State()
	}
	out := roll.Next(s, inputs, v)
	r.leases, v.Leases = out.Leases, out.Leases
	r.unsaved = append(r.unsaved, out.Events...)
	var hooks []roll.RunHook
	var due []roll.Action
	for _, a := range out.Actions {
		switch a := a.(type) {
		case roll.RunHook:
			hooks = append(hooks, a)
		case roll.WriteLease: // also while the journal cannot be written: others must not take a node from a command
			r.carryOut(ctx, a)
		default:
			due = append(due, a)
		}
	}
	saved := r.save()
	r.publish(out)
	for _, answer := range answers {
		answer(out.State.Seq)
	}
	r.steer(out.State)
	r.lookAgain(out.State, v)
	r.due = append(r.due, hooks...)
	if !saved { // nothing new begins that no journal has
		for _, a := range due {
			if d, ok := a.(roll.Drain); ok && d.Ends {
				r.carryOut(ctx, a)
			}
		}
		return v.Now.Add(time.Second)
	}
	for _, written := range r.unnoted {
		close(written)
	}
	r.unnoted = nil
	for _, a := range due {
		r.carryOut(ctx, a)
	}
	if !out.State.Paused {
		for _, h := range r.due {
			r.carryOut(ctx, h)
		}
		r.due = nil
	}
	return out.Wake
}

func (r *Roll) take() ([]roll.Input, []command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	inputs, waiting := r.inputs, r.waiting
	r.unnoted = append(r.unnoted, r.notes...)
	r.inputs, r.waiting, r.notes = nil, nil, nil
	return inputs, waiting
}

// save writes what is not in the journal yet; what came out of a command alone is not worth a sync.
func (r *Roll) save() bool {
	if len(r.unsaved) == 0 {
		return true
	}
	sync := false
	for _, e := range r.unsaved {
		sync = sync || e.Kind != roll.EventHookOutput
	}
	err := r.config.Journal.Append(r.unsaved, sync)
	if err == nil {
		r.unsaved = nil
	}
	r.mu.Lock()
	r.err = err
	r.mu.Unlock()
	return err == nil
}

func (r *Roll) publish(out roll.Output) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = out.State
	r.events.Add(out.Events...)
	if r.drain != nil && r.drain.State().Run.ID != out.State.Run {
		r.drain = nil
	}
	r.notify()
}

// notify tells those who watch; its caller has the lock.
func (r *Roll) notify() {
	r.watchers.Signal()
}

// current is the run of the batch under way, nil for none.
func (r *Roll) current() app.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drain
}

// over reports whether nothing more is to be waited for.
func (r *Roll) over() bool {
	s := r.State()
	if s.Outcome == "" && !s.Suspended || len(r.unsaved) > 0 && r.Err() == nil {
		return false
	}
	for i := range s.Nodes {
		if s.Nodes[i].Running() != "" {
			return false
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opening == "" && (r.drain == nil || over(r.drain))
}

func over(run app.Run) bool {
	select {
	case <-run.Done():
		return true
	default:
		return false
	}
}

// steer tells the run of the batch, and the commands that run, what the operator told the roll.
func (r *Roll) steer(s *roll.State) {
	kind := drain.CommandKind("")
	if s.Aborting {
		r.kill()
	}
	switch {
	case s.Suspended:
		kind = drain.CommandSuspend
	case s.Aborting:
		kind = drain.CommandAbort
	case s.Paused:
		kind = drain.CommandPause
	}
	d := r.current()
	if d == nil {
		r.told = ""
		return
	}
	if kind == "" && r.told == drain.CommandPause {
		kind = drain.CommandContinue
	}
	if kind != r.told && kind != "" {
		d.Send(drain.Command{Kind: kind, By: s.Facts.Run.User, Why: s.Message})
	}
	r.told = kind
	if q := d.State().Question; q != nil { // all of them were confirmed with the roll
		d.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: s.Facts.Run.User})
	}
}
