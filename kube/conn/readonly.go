package conn

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrReadOnly is the refusal of a connection that was made read-only.
var ErrReadOnly = errors.New("this connection is read-only")

// readOnly lets only requests pass that cannot change the cluster: reads,
// questions about ourselves, and server dry runs.
type readOnly struct{ next http.RoundTripper }

func (t readOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if !changesNothing(r) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, fmt.Errorf("%w: refused to send %s %s", ErrReadOnly, r.Method, r.URL.Path)
	}
	return t.next.RoundTrip(r)
}

// WrappedRoundTripper lets client-go find the transport below.
func (t readOnly) WrappedRoundTripper() http.RoundTripper { return t.next }

func changesNothing(r *http.Request) bool {
	switch {
	case r.Method == http.MethodGet:
		// A GET with an upgrade is exec, attach or port-forward.
		return r.Header.Get("Upgrade") == "" && !isConnectPath(r)
	case isReview(r):
		return true
	}
	return isDryRun(r)
}

// isReview tells of the two POSTs that ask and change nothing.
func isReview(r *http.Request) bool {
	return r.Method == http.MethodPost &&
		(strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") ||
			strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"))
}

// isConnectPath tells of subresources that lead out of the API: a GET there does
// whatever the other end likes.
func isConnectPath(r *http.Request) bool {
	parts := strings.Split(r.URL.Path, "/")
	for _, part := range parts {
		if part == "proxy" {
			return true
		}
	}
	switch parts[len(parts)-1] {
	case "exec", "attach", "portforward":
		return true
	}
	return false
}

// isDryRun believes only the query: the server takes a dry run from the body of
// a DELETE and of an eviction too, and we send it in both, so that nothing has
// to be parsed here to be sure.
func isDryRun(r *http.Request) bool {
	values := r.URL.Query()["dryRun"]
	return len(values) == 1 && values[0] == "All"
}
