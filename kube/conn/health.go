package conn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	heartbeatEvery   = 5 * time.Second         // silence after which we ask
	heartbeatTimeout = 2500 * time.Millisecond // silence after that: down
	probeEvery       = time.Second             // while down
	suspectEvery     = time.Second             // shortest time between two checks of a suspicion
)

// health knows whether the server answers. Requests and watches tell it what
// they meet; it sends a heartbeat when nothing was heard for a while, and at
// once when a request failed. While the server is down, watches wait at its
// gate, so that recovery is not delayed by anybody's back-off.
type health struct {
	// probe is one heartbeat; it fails if the server cannot serve.
	probe func(context.Context) error
	// reset drops all connections: one that went silent would swallow the
	// requests that follow, for up to the 45 s of HTTP/2's own ping, and one that
	// a watch kept through an outage would not tell that it missed nothing.
	reset func()

	// credentials is what every request takes before it is sent. One that waits
	// there does not show in what is heard: a watch goes on without.
	credentials *credentialLock

	suspicion chan struct{} // capacity 1

	mu      sync.Mutex
	state   kube.Health
	open    chan struct{}     // closed while live
	publish func(kube.Health) // nil while nothing listens
}

func newHealth(now time.Time) *health {
	h := &health{
		credentials: newCredentialLock(), suspicion: make(chan struct{}, 1), reset: func() {},
		state: kube.Health{Live: true, LastContact: now}, open: make(chan struct{}),
	}
	close(h.open)
	return h
}

// contacted records that something came from the server on the connection that
// reads and watches.
func (h *health) contacted(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.LastContact = now
}

// dated records what time it is on the server, by the header of an answer.
func (h *health) dated(now, date time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The header is cut to whole seconds, so half a second is the best guess;
	// what stays within the second is noise, and a steady offset is worth more.
	offset := date.Add(500 * time.Millisecond).Sub(now)
	if d := offset - h.state.Offset; d > time.Second || d < -time.Second {
		h.state.Offset = offset.Round(100 * time.Millisecond)
	}
}

// suspect says that a request failed on the way.
func (h *health) suspect(error) {
	select {
	case h.suspicion <- struct{}{}:
	default:
	}
}

// now is the current health.
func (h *health) now() kube.Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// wait blocks while the server is down.
func (h *health) wait(ctx context.Context) error {
	h.mu.Lock()
	open := h.open
	h.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run keeps the health until the context ends and tells every change to publish.
func (h *health) run(ctx context.Context, publish func(kube.Health)) {
	h.mu.Lock()
	h.publish = publish
	h.mu.Unlock()
	publish(h.now())
	for {
		state := h.now()
		pause, suspicion := probeEvery, (chan struct{})(nil)
		if state.Live {
			pause, suspicion = heartbeatEvery-h.silence(), h.suspicion
		}
		switch sleep(ctx, pause, suspicion) {
		case contextEnded:
			return
		case signalled:
			h.check(inDoubt(ctx))
			// Many watches fail together, and a heartbeat answers for all.
			if sleep(ctx, suspectEvery, nil) == contextEnded {
				return
			}
		case timePassed:
			if state.Live && h.silence() < heartbeatEvery {
				publish(h.now()) // something was heard meanwhile
				continue
			}
			h.check(ctx)
		}
	}
}

// silence is for how long nothing was heard, or a request was not sent.
func (h *health) silence() time.Duration {
	return max(time.Since(h.now().LastContact), h.credentials.heldFor())
}

// check sends one heartbeat and draws the conclusion.
func (h *health) check(ctx context.Context) {
	started := time.Now()
	probing, cancel := context.WithTimeout(asHeartbeat(ctx), heartbeatTimeout)
	if !h.now().Live {
		probing = inDoubt(probing)
	}
	err := h.probe(probing)
	cancel()
	var unsent *UnsentError
	var unready *NotReadyError
	isUnsent := errors.As(err, &unsent)
	switch {
	case ctx.Err() != nil:
	case err == nil:
		h.turn(true, time.Now(), "")
	case errors.As(err, &unready):
		h.turn(true, time.Now(), err.Error())
	case !isUnsent && isTimeout(err) && h.now().LastContact.After(started):
		// The answer queues behind a stream that keeps coming: slow, not gone.
	default:
		silent := isTimeout(err) && !isUnsent
		if silent {
			err = fmt.Errorf("no answer to a heartbeat within %v", heartbeatTimeout)
		}
		// The gate is closed before the connections are dropped, so that every
		// watch has to be opened again: only then is what we hold live.
		wasLive := h.now().Live
		h.turn(false, time.Now(), kube.Clean(PlainCause(err).Error()))
		if wasLive || silent {
			h.reset()
		}
	}
}

// turn records the outcome of a heartbeat and publishes it. Words are why the
// server is down, or what it warns of while it is live.
func (h *health) turn(live bool, now time.Time, words string) {
	h.mu.Lock()
	was, changed := h.state.Live, live || h.state.Reason != words
	h.state.Live, h.state.Reason, h.state.Warning = live, words, ""
	if live {
		h.state.Reason, h.state.Warning = "", words
	}
	switch {
	case live && !was:
		h.state.DownSince = time.Time{}
		close(h.open)
	case !live && was:
		h.state.DownSince = now
		h.open = make(chan struct{})
	}
	state, publish := h.state, h.publish
	h.mu.Unlock()
	if publish != nil && changed {
		publish(state)
	}
}

// wakeUp is why a sleep ended.
type wakeUp int

const (
	timePassed wakeUp = iota
	signalled
	contextEnded
)

// sleep waits for a time, a signal (none if nil) or the end of the context.
func sleep(ctx context.Context, d time.Duration, signal <-chan struct{}) wakeUp {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextEnded
	case <-signal:
		return signalled
	case <-timer.C:
		return timePassed
	}
}
