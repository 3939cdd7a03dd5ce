package control

import (
	"context"
	"fmt"
	"sync"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Watched is a run that another process works on: its state is read from the journal that
// this process writes, its commands go to the socket. It takes no confirmations: those are
// given where the run asks.
type Watched struct {
	Foreign
	dir, id, program string
	tail             *journal.Tail
	done             chan struct{}

	mu    sync.Mutex
	state *drain.State
}

var _ live.Foreign = (*Watched)(nil)

// Watch reads the run with a journal below the state directory until the run or the context ends. program is what its
// printed commands are called.
func Watch(ctx context.Context, dir, id, program string) (*Watched, error) {
	w := &Watched{dir: dir, id: id, program: program, tail: journal.NewTail(journal.JournalPath(dir, id)),
		done: make(chan struct{})}
	if err := w.read(); err != nil {
		return nil, err
	}
	if w.state == nil {
		return nil, fmt.Errorf("the journal of run %s holds no event yet", id)
	}
	w.Go("watch of run "+id, func() {
		defer w.Signal() // that it is done
		defer close(w.done)
		if w.State().Outcome == "" {
			w.Tail(ctx, journal.JournalPath(dir, id), func() (bool, error) {
				err := w.read()
				return w.State().Outcome != "", err
			}, w.askJournal)
		}
	})
	return w, nil
}

// read folds what was written since the last look.
func (w *Watched) read() error {
	events, again, err := w.tail.Next()
	if len(events) == 0 {
		return err
	}
	if events[0].Run != nil {
		events[0].Run.Program = w.program
	}
	w.mu.Lock()
	before := w.state
	if again {
		before = nil
	}
	w.state = drain.Fold(before, events...)
	w.mu.Unlock()
	w.Signal()
	return err
}

// askJournal finds out whether the run can write its journal: while it cannot, what is shown
// is not how the run is.
func (w *Watched) askJournal() {
	a, err := Ask(w.dir, Request{Run: w.id, Verb: "status"})
	if err != nil || a.Status == nil || a.Status.JournalLost == w.State().JournalLost {
		return
	}
	w.mu.Lock()
	state := *w.state
	state.JournalLost, state.Paused = a.Status.JournalLost, a.Status.Paused
	w.state = &state
	w.mu.Unlock()
	w.Signal()
}

// State is the run as far as its journal tells.
func (w *Watched) State() *drain.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Events are the events after a sequence number, read from the journal: nil where it
// cannot be read.
func (w *Watched) Events(after uint64) []drain.Event {
	events, _, err := journal.ReadJournal(journal.JournalPath(w.dir, w.id))
	if err != nil || uint64(len(events)) < after {
		return nil
	}
	if len(events) > 0 && events[0].Run != nil {
		events[0].Run.Program = w.program
	}
	return events[after:]
}

// Done is closed when the run has ended, or is no longer watched.
func (w *Watched) Done() <-chan struct{} { return w.done }

// Send hands a command to the process of the run; what it does not take is in Refusals.
func (w *Watched) Send(in drain.Input) {
	c, ok := in.(drain.Command)
	if !ok {
		w.Refuse("the questions of this run are answered where it runs")
		return
	}
	w.Hand(w.dir, w.request(c))
}

// request is the command as the socket takes it: the verb of its kind, and its pod by name.
func (w *Watched) request(c drain.Command) Request {
	r := Request{Run: w.id, Node: c.Node, Word: c.Word}
	for _, v := range Verbs {
		if v.Kind == c.Kind && v.Remedy == c.Remedy.Kind {
			r.Verb = v.Name
		}
	}
	if p := w.State().Pod(c.Pod); p != nil {
		r.Pod = name(p)
	}
	return r
}
