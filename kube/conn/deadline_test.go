package conn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// heldTransport stands for client-go's transports: it makes the credentials of one
// request after another, without regard to any context, and then sends it.
type heldTransport struct {
	free    chan struct{} // closed when the plugin answers
	entered atomic.Int32
	sent    atomic.Int32
	server  func(*http.Request) (*http.Response, error)
}

func (h *heldTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h.entered.Add(1)
	<-h.free
	if err := departs(r.Context()); err != nil {
		return nil, err
	}
	h.sent.Add(1)
	return h.server(r)
}

// closedBody tells whether it was closed.
type closedBody struct {
	io.Reader
	closed atomic.Bool
}

func (b *closedBody) Close() error { b.closed.Store(true); return nil }

func response(body io.ReadCloser) *http.Response { return &http.Response{StatusCode: 200, Body: body} }

func requestWithin(t *testing.T, d time.Duration, body io.ReadCloser) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://server/x", body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A plugin that does not answer holds no request past its deadline. What was given
// up is not sent when the plugin answers after all, and only one request at a time
// is in client-go.
func TestRequestsEndWhileTheCredentialPluginHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := &heldTransport{free: make(chan struct{}), server: func(*http.Request) (*http.Response, error) {
			return response(http.NoBody), nil
		}}
		lock := newCredentialLock()
		lock.source = "the credential plugin p"
		transport := &deadlines{next: held, lock: lock}
		started := time.Now()
		body := &closedBody{Reader: strings.NewReader("x")}
		var callers kube.Group
		for i := range 3 {
			var sent io.ReadCloser = http.NoBody
			if i == 2 {
				sent = body
			}
			r := requestWithin(t, time.Duration(i+1)*10*time.Second, sent)
			callers.Go("request", func() {
				_, err := transport.RoundTrip(r) //nolint:bodyclose // there is none
				var unsent *UnsentError
				if !errors.As(err, &unsent) || !errors.Is(err, context.DeadlineExceeded) || time.Since(started) != time.Duration(i+1)*10*time.Second {
					t.Errorf("request %d after %v: %v", i, time.Since(started), err)
				}
				if !Unsent(err) || !strings.HasPrefix(PlainCause(err).Error(), "the credential plugin p has not answered for ") {
					t.Errorf("request %d: %v", i, err)
				}
			})
			synctest.Wait() // the first one is in client-go before the others come
		}
		callers.Wait()
		if held.entered.Load() != 1 || !body.closed.Load() {
			t.Errorf("%d requests are in client-go; body closed: %v", held.entered.Load(), body.closed.Load())
		}
		close(held.free)
		transport.requests.Wait()
		if held.sent.Load() != 0 {
			t.Errorf("%d requests were sent that are not waited for", held.sent.Load())
		}
		if _, err := transport.RoundTrip(requestWithin(t, time.Second, http.NoBody)); err != nil || lock.heldFor() != 0 { //nolint:bodyclose // none
			t.Errorf("after the plugin has answered: %v", err)
		}
	})
}

// An answer that comes too late is closed, and the request is in doubt: it was sent.
func TestAnswerThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, body := make(chan struct{}), &closedBody{Reader: strings.NewReader("x")}
		transport := &deadlines{lock: newCredentialLock(), next: roundTrip(func(r *http.Request) (*http.Response, error) {
			if err := departs(r.Context()); err != nil {
				return nil, err
			}
			<-late
			return response(body), nil
		})}
		_, err := transport.RoundTrip(requestWithin(t, time.Second, http.NoBody)) //nolint:bodyclose // there is none
		if Unsent(err) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		close(late)
		transport.requests.Wait()
		if !body.closed.Load() {
			t.Error("the answer was left open")
		}
	})
}

// A request that was sent holds up no other, and its body is read after RoundTrip.
func TestSentRequestsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &deadlines{lock: newCredentialLock(), next: roundTrip(func(r *http.Request) (*http.Response, error) {
			if err := departs(r.Context()); err != nil {
				return nil, err
			}
			time.Sleep(time.Second)
			return response(io.NopCloser(strings.NewReader("hello"))), nil
		})}
		var callers kube.Group
		started := time.Now()
		for range 10 {
			r := requestWithin(t, time.Minute, http.NoBody)
			callers.Go("request", func() {
				answer, err := transport.RoundTrip(r)
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := io.ReadAll(answer.Body)
				if answer.Body.Close(); string(text) != "hello" {
					t.Errorf("%q", text)
				}
			})
		}
		callers.Wait()
		if took := time.Since(started); took != time.Second {
			t.Errorf("ten requests took %v", took)
		}
	})
}

// A request that fails before it is sent, as one that a read-only connection
// refuses, or whose plugin fails, lets the next one in.
func TestFailureBeforeTheNetwork(t *testing.T) {
	transport := &deadlines{lock: newCredentialLock(), next: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("getting credentials: exec: executable p not found")
	})}
	for range 3 {
		if _, err := transport.RoundTrip(requestWithin(t, Patient, http.NoBody)); err == nil || !Unsent(err) { //nolint:bodyclose // none
			t.Fatal(err)
		}
	}
}

func BenchmarkDeadlines(b *testing.B) {
	inner := roundTrip(func(r *http.Request) (*http.Response, error) {
		if err := departs(r.Context()); err != nil {
			return nil, err
		}
		return response(http.NoBody), nil
	})
	for name, transport := range map[string]http.RoundTripper{"without": inner, "with": &deadlines{next: inner, lock: newCredentialLock()}} {
		b.Run(name, func(b *testing.B) {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://server/x", http.NoBody)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := transport.RoundTrip(r); err != nil { //nolint:bodyclose // none
					b.Fatal(err)
				}
			}
		})
	}
}
