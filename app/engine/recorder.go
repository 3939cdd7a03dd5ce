package engine

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const (
	// toldAtMost is how many Events a run writes on one node.
	toldAtMost = 4
	// blockedFor is how long a pod must have been blocked to be worth an Event:
	// most wait for a moment.
	blockedFor = 30 * time.Second
	// blockedEvery is the shortest time between two Events about blocked pods on
	// one node.
	blockedEvery = time.Minute
	// lastWord is how long the end of a run may wait for its last Events: a busy
	// server takes a second or two, and what is late is lost.
	lastWord = lastAnswers
	// queuedEvents is how many Events may wait to be written; more are dropped.
	queuedEvents = 64
)

// of are the Events that a step of the run is worth: s is the state after it.
// Times are those of our clock.
func (b *nodeEvents) of(s *drain.State, events []drain.Event, now time.Time) []request.NodeEvent {
	var out []request.NodeEvent
	for i := range events {
		if n := s.Node(events[i].Node); n != nil && events[i].Kind == drain.EventNode {
			out = b.node(out, s, n, &events[i])
		}
	}
	if now.Sub(b.looked) >= time.Second {
		b.looked, b.due = now, time.Time{}
		out = b.waiting(out, s, now)
	}
	return out
}

// node tells of the beginning and the end of a node. One that was never touched
// has none.
func (b *nodeEvents) node(out []request.NodeEvent, s *drain.State, n *drain.NodeRun,
	e *drain.Event) []request.NodeEvent {
	who := "run " + s.Run.ID + " of " + s.Run.User
	if s.Run.Options.Reason != "" {
		who += " (" + format.Quote(s.Run.Options.Reason) + ")"
	}
	pods := s.Progress(n.Name)
	switch {
	case e.NodeState == drain.NodeDraining:
		return b.tell(out, n, request.NodeEvent{Reason: kube.ReasonDrainStarted, Message: who + " drains the node: " +
			format.Count(pods.Total, "pod") + " to move"}, e.Time)
	case e.NodeState == drain.NodeDrained && !n.Started.IsZero():
		return b.tell(out, n, request.NodeEvent{Reason: kube.ReasonDrainDone, Message: who +
			" has drained the node of " + format.Count(pods.Left, "pod") + " in " +
			format.Duration(e.Time.Sub(n.Started))}, e.Time)
	case (e.NodeState == drain.NodeFailed || e.NodeState == drain.NodeStopped) && (n.Cordoned || !n.Started.IsZero()):
		return b.tell(out, n, request.NodeEvent{Reason: kube.ReasonDrainAborted, Warning: true, Message: who +
			" no longer drains the node: " + e.Message}, e.Time)
	}
	return out
}

// waiting tells of pods that have been blocked for a while: each with its budget
// once, and one in a minute.
func (b *nodeEvents) waiting(out []request.NodeEvent, s *drain.State, now time.Time) []request.NodeEvent {
	for _, p := range s.Pods {
		n := s.Node(p.Node)
		if p.BlockedSince.IsZero() || p.State.Final() || n == nil || n.State != drain.NodeDraining ||
			b.told[n.Name] >= toldAtMost-1 { // the end must be told too
			continue
		}
		key := string(p.UID)
		if p.Wait != nil && p.Wait.Budget != nil {
			key += " " + p.Wait.Budget.Name
		}
		at := p.BlockedSince.Add(blockedFor)
		if last, was := b.blocked[p.Node]; was && at.Before(last.Add(blockedEvery)) {
			at = last.Add(blockedEvery)
		}
		switch {
		case b.pods[key]:
		case at.After(now):
			b.lookAgain(at)
		case !p.State.Blocked() || p.Wait == nil: // its answer is on the way
			b.lookAgain(now.Add(time.Second))
		default:
			b.pods[key], b.blocked[p.Node] = true, now
			out = b.tell(out, n, request.NodeEvent{Reason: kube.ReasonDrainBlocked, Warning: true,
				Message: "run " + s.Run.ID + ": " + p.Namespace + "/" + p.Name + " waits: " +
					p.Wait.Recorded().Sentence(now)}, now)
		}
	}
	return out
}

// lookAgain asks for a look at that moment at the latest.
func (b *nodeEvents) lookAgain(at time.Time) {
	if b.due.IsZero() || at.Before(b.due) {
		b.due = at
	}
}

func (b *nodeEvents) tell(out []request.NodeEvent, n *drain.NodeRun, e request.NodeEvent,
	at time.Time) []request.NodeEvent {
	if b.told[n.Name] >= toldAtMost {
		return out
	}
	b.told[n.Name]++
	e.Node, e.UID, e.At = n.Name, n.UID, at
	return append(out, e)
}

// recorder writes the Events of a run. It never holds a run up: what finds no room
// is dropped, and without the right it falls silent.
type recorder struct {
	writer request.EventWriter // nil: nothing is written
	events *nodeEvents
	queue  chan request.NodeEvent
	cancel context.CancelFunc
	group  kube.Group

	mu     sync.Mutex
	silent string // why nothing more is written
}

func newRecorder(ctx context.Context, writer request.Writer, run string) *recorder {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	h := &recorder{events: newNodeEvents(), queue: make(chan request.NodeEvent, queuedEvents), cancel: cancel}
	h.writer, _ = writer.(request.EventWriter)
	if h.writer != nil {
		h.group.Go("events of run "+run, func() { h.write(ctx) })
	}
	return h
}

// see takes a step of the run in.
func (h *recorder) see(s *drain.State, events []drain.Event, snap *kube.Snapshot, now time.Time) {
	if h.writer == nil {
		return
	}
	for _, e := range h.events.of(s, events, now) {
		e.At = snap.ServerTime(e.At)
		select {
		case h.queue <- e:
		default:
		}
	}
}

// wake is when the run must be checked again, for its own sake or for what is to
// be told of it.
func (h *recorder) wake(own, now time.Time) time.Time {
	due := h.events.due
	if h.writer == nil || due.IsZero() || !own.IsZero() && own.Before(due) {
		return own
	}
	if !due.After(now) { // checked a moment ago
		return now.Add(time.Second)
	}
	return due
}

func (h *recorder) write(ctx context.Context) {
	for e := range h.queue {
		if h.why() != "" || ctx.Err() != nil {
			continue
		}
		if a := h.writer.WriteEvent(ctx, e); a.Code == http.StatusForbidden || a.Code == http.StatusMethodNotAllowed {
			h.mu.Lock()
			h.silent = attempt.AnswerWords(a)
			h.mu.Unlock()
		}
	}
}

// why says why nothing is written, "" if it is.
func (h *recorder) why() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.silent
}

// end gives what is left a moment.
func (h *recorder) end() {
	close(h.queue)
	last := time.AfterFunc(lastWord, h.cancel)
	defer last.Stop()
	h.group.Wait()
	h.cancel()
}
