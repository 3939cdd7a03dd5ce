package conn

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Cluster is a connection to a Kubernetes API server: the reads, watches and
// writes of one user in one context.
type Cluster struct {
	target   *target
	identity Identity
	health   *health
	timeout  time.Duration // --request-timeout, 0 for none

	// Reads and writes have connections of their own, so that an eviction never
	// queues behind the list of all pods.
	reads     *kubernetes.Clientset
	readHTTP  *http.Client
	readBase  *rest.Config
	writes    *kubernetes.Clientset // for its URLs and access reviews
	writeHTTP *http.Client
	dialers   []*connrotation.Dialer

	// What the server said it serves, asked for once.
	evictionMu sync.Mutex
	eviction   EvictionVersion
	asked      bool
}

// Identity says which cluster this is and who we are there.
func (c *Cluster) Identity() Identity { return c.identity }

// Namespace is the namespace of the context or of the flag.
func (c *Cluster) Namespace() string { return c.target.namespace }

// Close drops the connections. Watchers are closed by themselves, before.
func (c *Cluster) Close() {
	for _, client := range []*http.Client{c.readHTTP, c.writeHTTP} {
		if client != nil {
			client.CloseIdleConnections()
		}
	}
	c.dropConnections()
}

func (c *Cluster) dropConnections() {
	for _, d := range c.dialers {
		d.CloseAll()
	}
}

// Within bounds a read by the operator's --request-timeout, or by the time
// given where there is none.
func (c *Cluster) Within(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if c.timeout > 0 {
		most = c.timeout
	}
	return context.WithTimeout(ctx, most)
}

// Reads is the client of reads and watches. What the watches of all kinds do not
// bring in is read with it.
func (c *Cluster) Reads() *kubernetes.Clientset { return c.reads }

// ReadConfig is what a client for another API group reads with.
func (c *Cluster) ReadConfig() (*rest.Config, *http.Client) { return c.readBase, c.readHTTP }

// Do sends one request of a write to a path of the API server: once, whatever is
// answered. The credentials, the user agent and --read-only are in the transport.
func (c *Cluster) Do(request *http.Request, path string, query url.Values) (*http.Response, error) {
	request.URL = c.writes.CoreV1().RESTClient().Get().AbsPath(path).URL()
	request.URL.RawQuery = query.Encode()
	return c.writeHTTP.Do(request)
}

// Health is the state of the connection now.
func (c *Cluster) Health() kube.Health { return c.health.now() }

// WaitLive blocks while the server is down.
func (c *Cluster) WaitLive(ctx context.Context) error { return c.health.wait(ctx) }

// KeepHealth watches over the connection until the context ends, and tells every
// change to publish.
func (c *Cluster) KeepHealth(ctx context.Context, publish func(kube.Health)) {
	c.health.run(ctx, publish)
}
