package conn

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// heartbeat asks the server whether it is ready: /readyz, or /version where
// that is not allowed or not known. A server that refuses either is there and
// may not know any rights yet: /readyz is ready no sooner than it does, and an
// eviction sent before would be refused for good. So a refusal must last before
// it counts.
type heartbeat struct {
	client rest.Interface

	mu        sync.Mutex
	readyz    Right
	version   Right
	readyNext Retries // of /readyz, while it is refused
}

type doubtMark struct{}

// inDoubt marks the heartbeats to a server that may have started just now.
func inDoubt(ctx context.Context) context.Context {
	return context.WithValue(ctx, doubtMark{}, true)
}

func newHeartbeat(client rest.Interface) *heartbeat {
	return &heartbeat{client: client, readyNext: WatchRetries()}
}

func (h *heartbeat) send(ctx context.Context) error {
	if h.asksReadyz() {
		refused, err := h.ask(ctx, readyPath, &h.readyz)
		h.putOff(refused)
		if !refused {
			return err
		}
	}
	// Refused even that: the server answers, and that was the question.
	_, err := h.ask(ctx, versionPath, &h.version)
	return err
}

const (
	readyPath   = "/readyz"
	versionPath = "/version"
)

// isForeign reports whether a refusal of /version, which every API server serves, is not
// an API server's: one that refuses a right says so in a Status.
func isForeign(err error, code int) bool {
	return (code == http.StatusForbidden || code == http.StatusNotFound) && apierrors.IsUnexpectedServerError(err)
}

// asksReadyz tells whether /readyz is worth a request.
func (h *heartbeat) asksReadyz() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.readyz.refused || h.readyNext.Due(time.Now())
}

// putOff puts the next try of /readyz off, if it is refused.
func (h *heartbeat) putOff(refused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if refused {
		h.readyNext.Later(time.Now())
	} else {
		h.readyNext.Again()
	}
}

// ask sends one request; refused is true, without an error, where its path is
// refused for good.
func (h *heartbeat) ask(ctx context.Context, path string, r *Right) (refused bool, _ error) {
	var code int
	result := h.client.Get().AbsPath(path).MaxRetries(0).Do(ctx).StatusCode(&code)
	err := result.Error()
	body, _ := result.Raw()
	if err == nil && path == versionPath {
		_, err = versionIn(body)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil && path == readyPath && strings.TrimSpace(string(body)) != "ok":
		return true, nil // a page, say: /version tells whether an API server is there
	case err == nil:
		r.Grant()
		return false, nil
	case path == versionPath && isForeign(err, code):
		return false, &foreignError{fmt.Sprintf("what answers %s is not an API server: %v", path, err)}
	case apierrors.IsUnauthorized(err):
		return false, fmt.Errorf("credentials refused: %w", err)
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		if !r.Refuse(time.Now(), ctx.Value(doubtMark{}) != nil) {
			return false, fmt.Errorf("the server does not know our rights: %w", err)
		}
		return true, nil
	case apierrors.IsTooManyRequests(err):
		return false, nil // busy, and there
	case code >= http.StatusInternalServerError:
		r.Interrupt()
		return false, unready(code, string(body))
	}
	r.Interrupt()
	return false, err
}

// notServing are the checks of /readyz without which requests fail: the hooks and
// informers of a server that is starting (before them it knows no rights),
// and its storage.
var notServing = []string{"poststarthook/", "informer-sync", "etcd"}

// unready is the error for a heartbeat that was answered with 5xx: *NotReadyError
// where the API server itself says that it lives (k8s.io/apiserver
// pkg/server/healthz/healthz.go handleRootHealth) and serves requests all the same.
func unready(code int, body string) error {
	alive, serving := false, true
	var failed []string
	for line := range strings.Lines(body) {
		name, _, _ := strings.Cut(strings.TrimSpace(line[min(3, len(line)):]), " ")
		switch {
		case strings.HasPrefix(line, "[+]ping "):
			alive = true
		case strings.HasPrefix(line, "[-]"):
			failed = append(failed, kube.Clean(name))
			serving = serving && !slices.ContainsFunc(notServing, func(p string) bool {
				return strings.HasPrefix(name, p)
			})
		}
	}
	if alive && serving && len(failed) > 0 {
		return &NotReadyError{Checks: failed}
	}
	if len(failed) > 0 {
		return fmt.Errorf("the server is not ready (%d): %s", code, strings.Join(failed, ", "))
	}
	return fmt.Errorf("the server is not ready (%d)", code)
}

// NotReadyError says that checks of /readyz fail, such as that of an encryption
// provider, on a server that serves requests.
type NotReadyError struct{ Checks []string }

func (e *NotReadyError) Error() string { return "not ready: " + strings.Join(e.Checks, ", ") }
