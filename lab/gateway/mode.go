package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// Mode is what a gateway does with the requests that it takes.
type Mode struct {
	Name string
	// Takes chooses requests; nil takes all.
	Takes func(r *http.Request) bool
	// Serve answers; next is the API server. Nil lets everything pass.
	Serve func(w http.ResponseWriter, r *http.Request, next http.Handler)
	// Line is how fast everything is; the zero value is as fast as it can be.
	Line Line
}

// Line is how fast a connection is.
type Line struct {
	Delay     time.Duration // of each answer
	PerSecond int           // bytes, 0 for no limit
}

// For is the mode for some of the requests only.
func (m Mode) For(takes func(*http.Request) bool) Mode {
	m.Takes = takes
	return m
}

// Writes takes the requests that would change the cluster.
func Writes(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "reviews")
}

// LogIn redirects to a log-in page, as a gateway does whose session is over.
func LogIn(to string, code int) Mode {
	return Mode{Name: "redirected to log in", Serve: func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, to, code)
	}}
}

// Page answers every request with 200 and a page.
func Page() Mode {
	return Mode{Name: "200 with a page", Serve: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Maintenance</title><h1>Back soon</h1>")
	}}
}

// Other answers every request with 200 and JSON that is none of Kubernetes.
func Other() Mode {
	return Mode{Name: "200 with other JSON", Serve: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		writeJSON(w, http.StatusOK, `{"error":"session expired"}`)
	}}
}

// NotFound answers with the gateway's own 404, in the words of one for many clusters.
func NotFound() Mode {
	return Mode{Name: "its own 404", Serve: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		writeJSON(w, http.StatusNotFound,
			`{"type":"error","status":"404","message":"clusters.management.cattle.io \"c-m-7x2\" not found"}`)
	}}
}

// BadGateway answers with the gateway's own 502.
func BadGateway() Mode {
	return Mode{Name: "its own 502", Serve: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html><h1>502 Bad Gateway</h1></html>")
	}}
}

// Cut lets the API server answer, and breaks the connection in the middle of the body.
func Cut() Mode {
	return Mode{Name: "cut in the middle", Serve: func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		copyHeader(w, answer)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}}
}

// Slow is a line of 10 Mbit/s with 100 ms on the way.
func Slow() Mode {
	return Mode{Name: "slow", Line: Line{Delay: 100 * time.Millisecond, PerSecond: 10_000_000 / 8}}
}

// Older is an API server of another minor behind the same address: it says so, does not
// stream lists and does not know who asks (before 1.28).
func Older() Mode {
	return Mode{Name: "an older server", Serve: func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
			unknownPath(w)
		case r.URL.Query().Get("sendInitialEvents") != "":
			writeJSON(w, http.StatusUnprocessableEntity,
				`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`+
					`"message":"ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden",`+
					`"reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions"},"code":422}`)
		case r.URL.Path == "/version":
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			var version map[string]any
			if json.Unmarshal(answer.Body.Bytes(), &version) == nil {
				version["minor"], version["gitVersion"] = "26", "v1.26.15"
			}
			text, _ := json.Marshal(version)
			writeJSON(w, answer.Code, string(text))
		default:
			next.ServeHTTP(w, r)
		}
	}}
}

// WithoutBudgets hides policy/v1.
func WithoutBudgets() Mode {
	return Mode{Name: "policy/v1 hidden", Serve: func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasPrefix(r.URL.Path, "/apis/policy") {
			unknownPath(w)
			return
		}
		next.ServeHTTP(w, r)
	}}
}

// unknownPath is what an API server says of a group that it does not serve.
func unknownPath(w http.ResponseWriter) { http.Error(w, "404 page not found", http.StatusNotFound) }

func writeJSON(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.Copy(w, bytes.NewBufferString(body))
}

func copyHeader(w http.ResponseWriter, from *httptest.ResponseRecorder) {
	for name, values := range from.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(from.Code)
}

var silent = log.New(io.Discard, "", 0)
