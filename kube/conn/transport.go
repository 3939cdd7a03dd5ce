package conn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// meter is the innermost transport of a client: it tells the connection's health
// what requests met.
type meter struct {
	next   http.RoundTripper
	health *health
	// reads tells that its connection is the one that heartbeats ask about: what
	// writes hear says nothing of a watch that went silent.
	reads bool
	drop  func()       // drops the client's connections
	heard atomic.Int64 // when something came last, in Unix nanoseconds
}

func (t *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := departs(r.Context()); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	started := time.Now()
	response, err := t.next.RoundTrip(r)
	if err != nil {
		t.failed(r, err)
		t.dropSilent(err, started)
		return nil, err
	}
	if err := redirected(response); err != nil {
		_ = response.Body.Close()
		t.failed(r, err)
		return nil, err
	}
	boundRetryAfter(response.Header)
	date, _ := http.ParseTime(response.Header.Get("Date"))
	t.contacted(date)
	response.Body = &meteredBody{ReadCloser: response.Body, t: t, r: r}
	return response, nil
}

// MaxRetryAfter bounds what a server may ask for: one answer must not silence a run, nor a
// watch, of which client-go heeds the header by itself. API servers ask for 1 s to 32 s
// (apiserver pkg/util/flowcontrol dropped_requests_tracker.go; the eviction handler for
// 10 s); what asks for more, a proxy with its maintenance page, is asked again sooner.
const MaxRetryAfter = time.Minute

func boundRetryAfter(h http.Header) {
	const most = int(MaxRetryAfter / time.Second)
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); err == nil && seconds > most {
		h.Set("Retry-After", strconv.Itoa(most))
	}
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *meter) WrappedRoundTripper() http.RoundTripper { return t.next }

// contacted notes that something came. Date is the header of an answer, zero for
// the bytes of a stream.
func (t *meter) contacted(date time.Time) {
	now := time.Now()
	t.heard.Store(now.UnixNano())
	if t.reads {
		t.health.contacted(now)
	}
	if !date.IsZero() {
		t.health.dated(now, date)
	}
}

// dropSilent drops a connection on which a request waited in vain and nothing else
// came either: it would swallow the requests that follow, for up to the 45 s of
// HTTP/2's own ping.
func (t *meter) dropSilent(err error, started time.Time) {
	if errors.Is(err, context.DeadlineExceeded) && time.Since(started) >= heartbeatEvery &&
		t.heard.Load() < started.UnixNano() {
		t.drop()
	}
}

// failed tells the health of a failure that is the network's; a request that we
// called off ourselves says nothing, and a heartbeat is judged by who sent it.
func (t *meter) failed(r *http.Request, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) || isHeartbeat(r.Context()) {
		return
	}
	t.health.suspect(err)
}

// meteredBody sees the stream of a watch live and die.
type meteredBody struct {
	io.ReadCloser
	t *meter
	r *http.Request
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.t.contacted(time.Time{})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.t.failed(b.r, err)
	}
	return n, err
}

type heartbeatMark struct{}

// asHeartbeat marks the requests of a context as heartbeats.
func asHeartbeat(ctx context.Context) context.Context {
	return context.WithValue(ctx, heartbeatMark{}, true)
}

func isHeartbeat(ctx context.Context) bool { return ctx.Value(heartbeatMark{}) != nil }
