package conn

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	restfake "k8s.io/client-go/rest/fake"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestHeartbeat(t *testing.T) {
	for name, c := range map[string]struct {
		code    int
		alive   bool
		version bool
	}{
		"ready": {200, true, false}, "forbidden": {403, true, true}, "unknown": {404, true, true},
		"not ready": {500, false, false}, "unavailable": {503, false, false}, "refused": {401, false, false}, "busy": {429, true, false},
	} {
		server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
			if c.code == 200 {
				_, _ = w.Write([]byte("ok"))
				return
			}
			w.Header().Set("Retry-After", "1")
			kubetest.WriteJSON(w, c.code, kubetest.Status(c.code, "", "x", ""))
		})
		cluster := ConnectTo(t, server)
		beat := newHeartbeat(cluster.reads.Discovery().RESTClient())
		for range 2 {
			if err := beat.send(asHeartbeat(t.Context())); (err == nil) != c.alive {
				t.Errorf("%s: %v", name, err)
			}
		}
		if beat.readyz.refused != c.version {
			t.Errorf("%s: went to /version: %v", name, beat.readyz.refused)
		}
		if n := len(server.Seen()); c.version && n != 1 || !c.version && n != 2 {
			t.Errorf("%s: %d requests to /readyz", name, n)
		}
	}
}

// A server whose encryption provider does not answer serves requests all the same, and
// says so itself; one that starts, has no storage, or is not the server does not.
func TestNotReady(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		alive bool
		says  string
	}{
		"encryption":    {"[+]ping ok\n[+]etcd ok\n[-]kms-provider-0 failed: reason withheld\nreadyz check failed\n", true, "not ready: kms-provider-0"},
		"shutting down": {"[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n", true, "not ready: shutdown"},
		"starting":      {"[+]ping ok\n[-]kms-provider-0 failed\n[-]poststarthook/rbac/bootstrap-roles failed: reason withheld\n", false, "the server is not ready (500): kms-provider-0, poststarthook/rbac/bootstrap-roles"},
		"informers":     {"[+]ping ok\n[-]informer-sync failed: reason withheld\n", false, "the server is not ready (500): informer-sync"},
		"no storage":    {"[+]ping ok\n[-]etcd-readiness failed: reason withheld\n", false, "the server is not ready (500): etcd-readiness"},
		"load balancer": {"<html>[-]upstream</html>", false, "the server is not ready (500)"},
		"nothing":       {"", false, "the server is not ready (500)"},
		"hostile":       {"[+]ping ok\n[-]\x1b[2Jkms failed\n", true, "not ready: kms"},
	} {
		err := unready(500, c.body)
		var unready *NotReadyError
		if errors.As(err, &unready) != c.alive || err.Error() != c.says {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
}

// refusing is an API server that answers each path with a code, 200 if none.
func refusing(t *testing.T) (codes map[string]int, beat *heartbeat, paths func() string) {
	codes = map[string]int{}
	client := &restfake.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
	}
	var asked []string
	client.Client = restfake.CreateHTTPClient(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, strings.TrimPrefix(r.URL.Path, "/"))
		code := codes[r.URL.Path]
		if code == 0 {
			code = 200
		}
		body := kubetest.Status(code, "", "x", "")
		if code == 200 {
			body = map[string]string{"/readyz": "ok", "/version": `{"gitVersion":"v1"}`}[r.URL.Path]
		}
		return &http.Response{
			StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})
	return codes, newHeartbeat(client), func() string {
		defer func() { asked = nil }()
		return strings.Join(asked, " ")
	}
}

// A server that just started forbids everything until it knows the rights: for
// a while it is not believed, neither one that is down nor one that was ready.
func TestHeartbeatWhileRightsAreUnknown(t *testing.T) {
	for name, mark := range map[string]func(context.Context) context.Context{"down": inDoubt, "was ready": asHeartbeat} {
		synctest.Test(t, func(t *testing.T) {
			codes, beat, paths := refusing(t)
			if name == "was ready" {
				if err := beat.send(t.Context()); err != nil || paths() != "readyz" {
					t.Errorf("%s: at first: %v", name, err)
				}
			}
			ctx := mark(t.Context())
			codes["/readyz"] = 403
			for range RightsDoubt / time.Second {
				if err := beat.send(ctx); err == nil || paths() != "readyz" {
					t.Fatalf("%s: alive, though no rights are known", name)
				}
				time.Sleep(time.Second)
			}
			if err := beat.send(ctx); err != nil || paths() != "readyz version" {
				t.Errorf("%s: it forbids for good: %v", name, err)
			}
			if err := beat.send(ctx); err != nil || paths() != "version" {
				t.Errorf("%s: after that: %v", name, err)
			}
			// The next one starts: what was allowed is refused again.
			codes["/version"] = 403
			if err := beat.send(ctx); err == nil {
				t.Errorf("%s: alive, though /version is refused as it was not before", name)
			}
			codes["/version"] = 0
			if err := beat.send(ctx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			// /readyz is what we would rather ask.
			codes["/readyz"] = 0
			paths()
			time.Sleep(30 * time.Second)
			for range 2 {
				if err := beat.send(ctx); err != nil || paths() != "readyz" {
					t.Errorf("%s: half a minute later: %v", name, err)
				}
			}
		})
	}
}

// A server that is not ready says nothing of rights: the patience starts again.
func TestHeartbeatDeadlineStartsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		codes, beat, _ := refusing(t)
		for range 10 {
			for _, code := range []int{403, 403, 403, 403, 500} {
				codes["/readyz"] = code
				if err := beat.send(inDoubt(t.Context())); err == nil {
					t.Fatalf("alive with %d", code)
				}
				time.Sleep(time.Second)
			}
		}
	})
}

// patient is for what takes a moment on a quiet machine.

// patient is for what takes a second on an idle machine.
const Patient = 90 * time.Second
