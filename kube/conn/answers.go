package conn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// foreignError says that what answered a request is not an API server.
type foreignError struct{ words string }

func (e *foreignError) Error() string { return e.words }

// redirected is the error for a response that is a redirection, nil for all others. None
// is ever followed: an API server sends none, and what it points to, a log-in page or
// another host, must get neither the request nor the credentials.
func redirected(response *http.Response) error {
	if response.StatusCode < 300 || response.StatusCode > 399 {
		return nil
	}
	place := "nowhere"
	if to, err := response.Location(); err == nil {
		place = to.Host + to.Path
	}
	return &foreignError{kube.CleanText(fmt.Sprintf("redirected (%d) to %s, which is not followed",
		response.StatusCode, place))}
}

// objects is the transport of client-go's clients. Their decoders make an empty list or an
// object without a name of any JSON object, and "no pods" of a gateway's {"error": ...}. So a
// success must name the kind of what it holds.
type objects struct{ next http.RoundTripper }

func (t objects) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode < 200 || response.StatusCode > 299 {
		return response, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case kind == "text/html":
		_ = response.Body.Close()
		return nil, &foreignError{fmt.Sprintf("the answer %d is a page (%s), not an API server's",
			response.StatusCode, kind)}
	case kind != "" && kind != "application/json", r.URL.Query().Get("watch") != "", isVersion(r):
		return response, nil // protobuf, text and streams, which have marks of their own
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err == nil {
		err = holdsObject(body)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer %d: %w", response.StatusCode, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below.
func (t objects) WrappedRoundTripper() http.RoundTripper { return t.next }

// isVersion tells of the one answer in JSON that has no kind.
func isVersion(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, versionPath) }

func holdsObject(body []byte) error {
	var object struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return &foreignError{err.Error()}
	}
	if object.Kind == "" || object.Kind == "Status" {
		return &foreignError{fmt.Sprintf("it holds no object: its kind is %q", object.Kind)}
	}
	return nil
}

// IsGone reports whether an API server said that an object which was read by name is not
// there. The 404 of a gateway, which is no Status, says nothing about it.
func IsGone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}
