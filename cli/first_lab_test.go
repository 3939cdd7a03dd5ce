//go:build lab

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/connrotation"

	"github.com/kdrain-tui/kdrain-tui/app"
)

// podDoor stands between the program and the API server: it lets everything
// through but what it is told to hold back or to refuse of the pods.
type podDoor struct {
	*httptest.Server
	watches bool          // pods may be watched
	held    chan struct{} // lists of all pods wait for it to be closed

	mu    sync.Mutex
	lists []string // the field selector or the namespace of each list of pods
}

// newPodDoor passes requests on as those of ada.
func newPodDoor(l *labStage, watches bool) *podDoor {
	l.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(l.dir, "kubeconfig"))
	if err != nil {
		l.Fatal(err)
	}
	dialer := connrotation.NewDialer((&net.Dialer{}).DialContext)
	config.Dial = dialer.DialContext
	l.Cleanup(dialer.CloseAll)
	transport, err := rest.TransportFor(config)
	if err != nil {
		l.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		l.Fatal(err)
	}
	d := &podDoor{watches: watches, held: make(chan struct{})}
	pass := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/pods") && !d.admit(w, r) {
			return
		}
		pass.ServeHTTP(w, r)
	}))
	l.Cleanup(d.Close)
	l.Cleanup(d.CloseClientConnections)
	return d
}

func (d *podDoor) admit(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	of, watch := query.Get("fieldSelector"), query.Get("watch") != ""
	if _, in, ok := strings.Cut(r.URL.Path, "/namespaces/"); ok {
		of = strings.TrimSuffix(in, "/pods")
	}
	if watch && !d.watches {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"pods may not be watched","code":403}`)
		return false
	}
	if !watch {
		d.mu.Lock()
		d.lists = append(d.lists, of)
		d.mu.Unlock()
	}
	if of != "" {
		return true
	}
	select {
	case <-d.held:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (d *podDoor) asked() (of map[string]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of = map[string]int{}
	for _, list := range d.lists {
		of[list]++
	}
	return of
}

// A drain begins and ends while the list of all pods is held back, and keeps to its
// node and to the budget that a pod elsewhere counts for.
func TestDrainBeginsWithItsNode(t *testing.T) {
	t.Parallel()
	for name, watches := range map[string]bool{"watching": true, "by lists alone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLabStage(t)
			l.create("testdata/findings-nodes.yaml", "nodes")
			l.kubectl("wait", "--for=condition=Ready", "node", "-l", "stage="+l.namespace, "--timeout=90s")
			l.create("testdata/first.yaml", "pods")
			l.kubectl("wait", "--for=condition=Ready", "pod", "--all", "-n", l.namespace, "--timeout=90s")
			l.kubectl("wait", "--for=jsonpath={.status.currentHealthy}=3", "pdb", "web", "-n", l.namespace, "--timeout=90s")

			door := newPodDoor(l, watches)
			if !watches {
				close(door.held)
			}
			t.Logf("%s", l.throughDoor(door, "drain", l.namespace+"-a", "--force", "--ignore-daemonsets", "--yes", "--dry-run=server"))
			out := l.throughDoor(door, "drain", l.namespace+"-a", "--force", "--ignore-daemonsets", "--yes")
			for _, pod := range []string{"web-1", "web-2"} {
				if !strings.Contains(out, l.namespace+"/"+pod) {
					t.Errorf("%s is not evicted:\n%s", pod, out)
				}
			}
			if strings.Contains(out, "web-3") || !strings.Contains(out, "drained") {
				t.Errorf("%s", out)
			}
			l.kubectl("get", "pod", "web-3", "-n", l.namespace)
			asked := door.asked()
			// How often a list is repeated depends on the machine: TestFeedPolls has that.
			own := asked["spec.nodeName="+l.namespace+"-a"]
			if own < 2 || asked[""] > 0 || len(asked) > 3 { // two calls; the node, its namespace, pods without a node
				t.Errorf("lists of pods: %v", asked)
			}
		})
	}
}

// throughDoor runs the program to its end and returns what it printed.
func (l *labStage) throughDoor(door *podDoor, args ...string) string {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 3*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	p := &Program{
		Name: "kdrain-tui", In: strings.NewReader(""), Out: &out, Err: &errs, StateDir: l.TempDir(), Now: time.Now,
		Exit: func(code int) { l.Errorf("exit %d", code) }, Open: app.Connect,
	}
	args = append(args, "--kubeconfig", "/dev/null", "--server", door.URL)
	if code := p.Main(ctx, args); code != ExitDone {
		l.Fatalf("%v: exit %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}
