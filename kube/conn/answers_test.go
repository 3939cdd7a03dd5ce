package conn

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

type gateway struct {
	handle http.HandlerFunc
	says   string
}

// What a gateway answers instead of the API server is no answer to any question.
var gateways = map[string]gateway{
	"page": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html>log in</html>"))
	}, "is a page (text/html)"},
	"page without a type": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = w.Write([]byte("<html>log in</html>"))
	}, "invalid character '<'"},
	"empty object": {func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, `{}`) }, `its kind is ""`},
	"error":        {func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, `{"error":"x"}`) }, `its kind is ""`},
	"Status": {func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 200, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	}, `its kind is "Status"`},
	"nothing": {func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, "") }, "unexpected end"},
	"redirection": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://login.example.com/start?rd=s3cret", http.StatusFound)
	}, "redirected (302) to login.example.com/start, which is not followed"},
}

func TestReadsBehindAGateway(t *testing.T) {
	for name, g := range gateways {
		t.Run(name, func(t *testing.T) {
			c := ConnectTo(t, kubetest.NewServer(t, g.handle))
			reads := map[string]func() error{
				"list": func() error {
					_, err := c.Reads().CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
					return err
				},
				"get": func() error {
					_, err := c.Reads().CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{})
					return err
				},
				"eviction support": func() error {
					_, err := c.EvictionSupport(t.Context())
					return err
				},
				"access": func() error {
					_, err := c.CheckAccess(t.Context(), []request.Permission{{Verb: "get", Resource: "nodes"}})
					return err
				},
			}
			for what, read := range reads {
				if err := read(); err == nil || !strings.Contains(err.Error(), g.says) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func TestConnectToAGateway(t *testing.T) {
	all := maps.Clone(gateways)
	all["its 404"] = gateway{http.NotFound, "could not find"}
	for name, g := range all {
		server := httptest.NewServer(g.handle)
		t.Cleanup(server.Close)
		t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, "token: x")))
		c, err := Connect(t.Context(), &Flags{}, "test")
		if err == nil {
			c.Close()
			t.Errorf("%s: connected as %+v", name, c.Identity())
			continue
		}
		var failed *ConnectError
		if !errors.As(err, &failed) || failed.Kind != OtherProblem || !strings.Contains(err.Error(), g.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A gateway that answers the questions of a heartbeat is no API server that lives.
func TestHeartbeatOfAGateway(t *testing.T) {
	var handle http.HandlerFunc
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r) }))
	t.Cleanup(server.Close)
	api := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	handle = api.Config.Handler.ServeHTTP
	t.Setenv("KUBECONFIG", WriteKubeconfig(t, Kubeconfig(server.URL, "token: x")))
	c, err := Connect(t.Context(), &Flags{}, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.health.probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	refusals := map[string]http.HandlerFunc{"404": http.NotFound, "403": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }}
	for name, g := range gateways {
		refusals[name] = g.handle
	}
	for name, answer := range refusals {
		beat := newHeartbeat(c.reads.Discovery().RESTClient())
		handle = answer
		for range 2 * refusalsDoubted {
			if err := beat.send(t.Context()); err == nil {
				t.Errorf("%s: alive", name)
			}
		}
	}
}
