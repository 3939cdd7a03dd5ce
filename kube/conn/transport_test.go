package conn

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestReadOnlyTransport(t *testing.T) {
	for _, c := range []struct {
		method, url string
		passes      bool
	}{
		{"GET", "/api/v1/pods?watch=true", true},
		{"GET", "/version", true},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
		{"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", true},
		{"POST", "/api/v1/namespaces/n/pods/x/eviction?dryRun=All", true},
		{"PATCH", "/api/v1/nodes/n?dryRun=All&fieldManager=x", true},
		{"DELETE", "/api/v1/namespaces/n/pods/x?dryRun=All", true},
		{"POST", "/api/v1/namespaces/n/pods/x/eviction", false},
		{"POST", "/api/v1/namespaces/n/pods/x/eviction?dryRun=", false},
		{"POST", "/api/v1/namespaces/n/pods/x/eviction?dryRun=All&dryRun=None", false},
		{"PATCH", "/api/v1/nodes/n", false},
		{"PUT", "/api/v1/nodes/n", false},
		{"DELETE", "/api/v1/nodes/n", false},
		{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", false},
		{"GET", "/api/v1/namespaces/n/pods/x/exec?command=rm", false},
		{"GET", "/api/v1/nodes/n/proxy/run", false},
		{"HEAD", "/api/v1/nodes/n", false},
	} {
		sent := false
		transport := readOnly{roundTrip(func(*http.Request) (*http.Response, error) {
			sent = true
			return nil, nil
		})}
		request, _ := http.NewRequestWithContext(t.Context(), c.method, "https://server"+c.url, strings.NewReader("{}"))
		_, err := transport.RoundTrip(request) //nolint:bodyclose // there is none
		if sent != c.passes || (err == nil) != c.passes || err != nil && !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s %s: sent %v, %v", c.method, c.url, sent, err)
		}
	}
}

func TestOffset(t *testing.T) {
	now := time.Unix(1000, 400_000_000)
	h := newHealth(now)
	h.dated(now, time.Unix(1000, 0))
	if h.now().Offset != 0 {
		t.Errorf("equal clocks: %v", h.now().Offset)
	}
	h.dated(now, time.Unix(1007, 0))
	if h.now().Offset != 7100*time.Millisecond {
		t.Errorf("a server that is ahead: %v", h.now().Offset)
	}
	h.dated(now, time.Unix(1006, 0))
	if h.now().Offset != 7100*time.Millisecond {
		t.Errorf("noise moved the offset to %v", h.now().Offset)
	}
}

// An answer that asks for a day is believed for a minute, whoever reads it: client-go waits
// for as long as the header of a list or a watch says.
func TestRetryAfterIsBounded(t *testing.T) {
	for asked, want := range map[string]string{"86400": "60", "61": "60", "60": "60", "1": "1", "": "", "Fri, 31 Dec 2027 23:59:59 GMT": "Fri, 31 Dec 2027 23:59:59 GMT"} {
		transport := &meter{health: newHealth(time.Now()), next: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {asked}}, Body: http.NoBody}, nil
		})}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server/api/v1/pods", http.NoBody)
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Header.Get("Retry-After"); got != want {
			t.Errorf("%q became %q, want %q", asked, got, want)
		}
		_ = response.Body.Close()
	}
}
