package conn

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// requestLog writes a line for each request: its method, URL, status and how long the
// answer took to begin. Headers and bodies are never written: tokens and Secrets are
// there.
type requestLog struct {
	next http.RoundTripper
	to   *log.Logger
}

// newRequestLog makes what logs the requests of a connection, whose clients share it.
func newRequestLog(to io.Writer) func(http.RoundTripper) http.RoundTripper {
	logger := log.New(to, "", log.Ltime|log.Lmicroseconds)
	return func(next http.RoundTripper) http.RoundTripper { return requestLog{next, logger} }
}

func (t requestLog) RoundTrip(r *http.Request) (*http.Response, error) {
	started := time.Now()
	response, err := t.next.RoundTrip(r)
	outcome := ""
	if err != nil {
		outcome = "error: " + err.Error()
	} else {
		outcome = response.Status
	}
	took := time.Since(started).Round(time.Millisecond)
	t.to.Print(kube.Clean(fmt.Sprintf("%s %s %s in %s", r.Method, r.URL.Redacted(), outcome, took)))
	return response, err
}

// WrappedRoundTripper lets client-go find the transport below.
func (t requestLog) WrappedRoundTripper() http.RoundTripper { return t.next }
