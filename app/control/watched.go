package control

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// tailEvery is how often the journal of another process is looked at: a file tells no
	// one that it grew, and a screen shows ten changes a second.
	tailEvery = 100 * time.Millisecond
	// aliveEvery is how often it is checked whether that process still holds its journal,
	// and, while nothing is written, whether it can write.
	aliveEvery = 2 * time.Second
)

// Watched is a run that another process works on: its state is read from the journal that
// this process writes, its commands go to the socket. It takes no confirmations: those are
// given where the run asks.
type Watched struct {
	dir, id, program string
	tail             *journal.Tail
	done             chan struct{}
	group            kube.Group

	mu       sync.Mutex
	state    *drain.State
	refusals []string
	watchers live.Watchers
}

var _ live.Foreign = (*Watched)(nil)

// Watch reads the run with a journal below the state directory, until it ends, its process
// does, or the context. program is what its printed commands are called.
func Watch(ctx context.Context, dir, id, program string) (*Watched, error) {
	w := &Watched{dir: dir, id: id, program: program, tail: journal.NewTail(journal.JournalPath(dir, id)),
		done: make(chan struct{})}
	if err := w.read(); err != nil {
		return nil, err
	}
	if w.state == nil {
		return nil, fmt.Errorf("the journal of run %s holds no event yet", id)
	}
	w.group.Go("watch of run "+id, func() { w.follow(ctx) })
	return w, nil
}

// Wait returns when its goroutine has ended, which is after Done or its context.
func (w *Watched) Wait() { w.group.Wait() }

func (w *Watched) follow(ctx context.Context) {
	defer w.signal()
	defer close(w.done)
	look, alive := time.NewTicker(tailEvery), time.NewTicker(aliveEvery)
	defer look.Stop()
	defer alive.Stop()
	for w.State().Outcome == "" {
		ended := false
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-alive.C:
			lives, err := journal.Live(journal.JournalPath(w.dir, w.id))
			ended = !lives && err == nil
			if !ended {
				w.askJournal()
			}
		}
		if err := w.read(); err != nil { // what it wrote last is read before its end counts
			w.refuse(err.Error())
			return
		}
		if ended {
			return
		}
	}
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
	w.signal()
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
	w.signal()
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

// Changed is as that of a run of this process.
func (w *Watched) Changed(ctx context.Context) <-chan struct{} { return w.watchers.Changed(ctx) }

// Done is closed when the run or its process has ended.
func (w *Watched) Done() <-chan struct{} { return w.done }

// Send hands a command to the process of the run; what it does not take is in Refusals.
func (w *Watched) Send(in drain.Input) {
	c, ok := in.(drain.Command)
	if !ok {
		w.refuse("the questions of this run are answered where it runs")
		return
	}
	r := w.request(c)
	w.group.Go("a command to run "+w.id, func() {
		switch a, err := Ask(w.dir, r); {
		case err != nil:
			w.refuse(fmt.Sprintf("%s was not taken: %v", r.Verb, err))
		case !a.OK:
			w.refuse(fmt.Sprintf("%s was not taken: %s", r.Verb, a.Error))
		}
	})
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

// Refusals are what the run did not take since the last call.
func (w *Watched) Refusals() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := w.refusals
	w.refusals = nil
	return said
}

func (w *Watched) refuse(why string) {
	w.mu.Lock()
	w.refusals = append(w.refusals, why)
	w.mu.Unlock()
	w.signal()
}

// signal tells those who watch that something changed.
func (w *Watched) signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers.Signal()
}
