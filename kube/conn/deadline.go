package conn

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// deadlines is the outermost transport of every client: a request ends with its
// context, also where a transport below does not return. client-go runs a
// credential plugin under a lock and without regard to any context
// (plugin/pkg/client/auth/exec/exec.go, getCreds), and a plugin that waits for
// a log-in or for a network that is gone takes minutes.
type deadlines struct {
	next http.RoundTripper
	lock *credentialLock
	// requests is never waited for. A request that was given up while its
	// credentials were being made can not be called off: it is left behind, and
	// ends with the plugin or with the process. It is not sent after that.
	requests kube.Group
}

type roundTripAnswer struct {
	response *http.Response
	err      error
}

func (t *deadlines) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, started := r.Context(), time.Now()
	if err := t.lock.acquire(ctx, started); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	departure := &departure{lock: t.lock}
	sent := r.WithContext(context.WithValue(ctx, departureKey{}, departure))
	answers := make(chan roundTripAnswer)
	t.requests.Go("request", func() {
		response, err := t.next.RoundTrip(sent)
		departure.unlock() // it may have failed on the way to the network
		select {
		case answers <- roundTripAnswer{response, err}:
		case <-ctx.Done():
			if err == nil {
				_ = response.Body.Close()
			}
		}
	})
	select {
	case a := <-answers:
		return a.response, a.err
	case <-ctx.Done():
		if departure.state.CompareAndSwap(beforeNetwork, givenUp) {
			return nil, t.lock.unsent(ctx, started)
		}
		return nil, ctx.Err()
	}
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *deadlines) WrappedRoundTripper() http.RoundTripper { return t.next }

// departure is how far a request came: to the network, or not.
type departure struct {
	lock     *credentialLock
	state    atomic.Int32
	unlocked atomic.Bool
}

const (
	beforeNetwork int32 = iota
	onNetwork
	givenUp // it must no longer be sent
)

type departureKey struct{}

func (d *departure) unlock() {
	if d.unlocked.CompareAndSwap(false, true) {
		d.lock.release()
	}
}

// departs is called where a request has its credentials and goes out. It fails
// for one that was given up before: whoever sent it was told that it is unsent.
func departs(ctx context.Context) error {
	d, ok := ctx.Value(departureKey{}).(*departure)
	if !ok {
		return nil
	}
	d.unlock()
	if !d.state.CompareAndSwap(beforeNetwork, onNetwork) && d.state.Load() == givenUp {
		return errors.New("given up before it was sent")
	}
	return nil
}

// credentialLock lets one request at a time get its credentials, which
// client-go does under a lock of its own. The requests wait for this one
// instead, for it heeds their contexts; and of those that were given up, no more
// than one is left in client-go, lest each of them runs the plugin once more.
type credentialLock struct {
	source string // what credentials come from
	slot   chan struct{}
	since  atomic.Int64 // since when it is held, in Unix nanoseconds; 0 while free
}

func newCredentialLock() *credentialLock {
	return &credentialLock{source: "the source of credentials", slot: make(chan struct{}, 1)}
}

func (l *credentialLock) acquire(ctx context.Context, started time.Time) error {
	if ctx.Err() == nil {
		select {
		case l.slot <- struct{}{}:
			l.since.Store(time.Now().UnixNano())
			return nil
		case <-ctx.Done():
		}
	}
	return l.unsent(ctx, started)
}

func (l *credentialLock) release() {
	l.since.Store(0)
	<-l.slot
}

// heldFor is how long a request has been waiting for its credentials.
func (l *credentialLock) heldFor() time.Duration {
	since := l.since.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

func (l *credentialLock) unsent(ctx context.Context, started time.Time) error {
	return &UnsentError{Source: l.source, For: max(l.heldFor(), time.Since(started)), cause: ctx.Err()}
}

// UnsentError says that a request ended before it was sent, because it had no
// credentials yet. It wraps the end of its context.
type UnsentError struct {
	Source string        // what credentials come from
	For    time.Duration // how long it has not answered
	cause  error
}

func (e *UnsentError) Error() string {
	if e.For < time.Second {
		return "cancelled before it was sent"
	}
	return fmt.Sprintf("%s has not answered for %v: finish its log-in, or end its process, and it is asked again",
		e.Source, e.For.Round(time.Second))
}

func (e *UnsentError) Unwrap() error { return e.cause }

// credentialSource names what the requests of a configuration wait for.
func credentialSource(config *rest.Config) string {
	switch {
	case config.ExecProvider != nil:
		return "the credential plugin " + kube.Clean(filepath.Base(config.ExecProvider.Command))
	case config.AuthProvider != nil:
		return "the log-in provider " + kube.Clean(config.AuthProvider.Name)
	case config.BearerTokenFile != "":
		return "the token file " + kube.Clean(config.BearerTokenFile)
	}
	return "the source of credentials"
}
