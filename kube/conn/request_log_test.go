package conn

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRequestLog(t *testing.T) {
	var out bytes.Buffer
	ok := answering(func(*http.Request) (*http.Response, error) {
		return &http.Response{Status: "201 Created", Body: io.NopCloser(strings.NewReader("secret-body"))}, nil
	})
	away := answering(func(*http.Request) (*http.Response, error) { return nil, errors.New("refused\x1b[2J") })
	wrap := newRequestLog(&out)
	for _, next := range []http.RoundTripper{ok, away} {
		r := &http.Request{
			Method: "POST", Header: http.Header{"Authorization": {"Bearer secret-token"}}, Body: io.NopCloser(strings.NewReader("secret-body")),
			URL: &url.URL{Scheme: "https", Host: "api", Path: "/api/v1/pods", RawQuery: "limit=5", User: url.UserPassword("ada", "secret-password")},
		}
		response, err := wrap(next).RoundTrip(r)
		if err == nil {
			_ = response.Body.Close()
		}
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		`^[0-9:.]+ POST https://ada:xxxxx@api/api/v1/pods\?limit=5 201 Created in [0-9a-zµ.]+$`,
		`^[0-9:.]+ POST https://ada:xxxxx@api/api/v1/pods\?limit=5 error: refused in [0-9a-zµ.]+$`,
	} {
		if !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d: %q", i, lines[i])
		}
	}
	if strings.Contains(out.String(), "secret") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", out.String())
	}
}
