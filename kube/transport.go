package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// meter is the innermost transport of every client: it counts requests and
// tells the connection's health what they met.
type meter struct {
	next   http.RoundTripper
	counts *requestCounter
	health *health
}

func (t *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	t.counts.count(r)
	response, err := t.next.RoundTrip(r)
	if err != nil {
		t.failed(r, err)
		return nil, err
	}
	now := time.Now()
	date, _ := http.ParseTime(response.Header.Get("Date"))
	t.health.contacted(now, date)
	response.Body = &meteredBody{ReadCloser: response.Body, t: t, r: r}
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *meter) WrappedRoundTripper() http.RoundTripper { return t.next }

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
		b.t.health.contacted(time.Now(), time.Time{})
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
