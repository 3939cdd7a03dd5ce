package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server is an API server that answers what Connect asks, and everything
// else as the test says. It keeps what it was asked.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []Request
}

type Request struct {
	Method, Path, Query, ContentType, UserAgent, Body string
}

func NewServer(t *testing.T, handle http.HandlerFunc) *Server {
	t.Helper()
	return startFakeServer(t, httptest.NewServer, handle)
}

func NewTLSServer(t *testing.T, handle http.HandlerFunc) *Server {
	t.Helper()
	return startFakeServer(t, httptest.NewTLSServer, handle)
}

func startFakeServer(t *testing.T, start func(http.Handler) *httptest.Server, handle http.HandlerFunc) *Server {
	t.Helper()
	f := &Server{}
	f.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/apis/authentication.k8s.io/v1/selfsubjectreviews":
			WriteJSON(w, 201, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"ada"}}}`)
			return
		case "/version":
			WriteJSON(w, 200, `{"gitVersion":"v0.0.0-master+$Format:%H$"}`)
			return
		case "/api/v1/namespaces/kube-system":
			WriteJSON(w, 200, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"cluster-uid"}}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, Request{
			r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Content-Type"), r.UserAgent(), string(body),
		})
		f.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *Server) Seen() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Request(nil), f.requests...)
}

func WriteJSON(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// Status is the body of a refusal.
func Status(code int, reason, message, details string) string {
	encoded, _ := json.Marshal(message)
	if details == "" {
		details = "{}"
	}
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":%q,"details":%s,"code":%d}`,
		encoded, reason, details, code)
}
