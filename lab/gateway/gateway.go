package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Gateway stands before an API server. It lets everything pass until a Mode is set.
type Gateway struct {
	access string // kubeconfig of the API server
	proxy  *httputil.ReverseProxy
	server *httptest.Server
	line   *line

	mu   sync.Mutex
	mode Mode
}

// Protocol is the newest version of HTTP that a gateway speaks.
type Protocol bool

// The protocols. API servers speak HTTP/2, which many proxies do not.
const (
	HTTP2 Protocol = true
	HTTP1 Protocol = false
)

// Start opens a gateway to the API server of a kubeconfig. Credentials pass through it.
func Start(kubeconfig string, newest Protocol) (*Gateway, error) {
	config, target, err := behind(kubeconfig)
	if err != nil {
		return nil, err
	}
	upstream, err := rest.TransportFor(&rest.Config{Host: config.Host, TLSClientConfig: config.TLSClientConfig})
	if err != nil {
		return nil, fmt.Errorf("connect to the API server: %w", err)
	}
	g := &Gateway{access: kubeconfig, line: &line{}}
	g.proxy = &httputil.ReverseProxy{
		Transport: upstream, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				w.WriteHeader(http.StatusBadGateway)
			}
		},
	}
	g.server = httptest.NewUnstartedServer(g)
	g.server.EnableHTTP2 = bool(newest)
	g.server.Listener = slowListener{g.server.Listener, g.line}
	g.server.Config.ErrorLog = silent
	g.server.StartTLS()
	return g, nil
}

// behind is the API server of a kubeconfig.
func behind(kubeconfig string) (*rest.Config, *url.URL, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("read the access to the API server: %w", err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, nil, fmt.Errorf("parse the address of the API server: %w", err)
	}
	return config, target, nil
}

// Close ends the gateway and every connection through it.
func (g *Gateway) Close() {
	g.server.CloseClientConnections()
	g.server.Close()
}

// Host is the address of the gateway.
func (g *Gateway) Host() string { return g.server.Listener.Addr().String() }

// Kubeconfig writes a kubeconfig with the users of the lab that leads through the gateway.
func (g *Gateway) Kubeconfig(path string) error {
	return writeAccess(g.access, path, "https://"+g.Host(), true)
}

// writeAccess writes the kubeconfig for another address; a foreign host does not have the
// certificate of the API server.
func writeAccess(from, path, server string, foreign bool) error {
	config, err := clientcmd.LoadFromFile(from)
	if err != nil {
		return fmt.Errorf("read the access to the API server: %w", err)
	}
	for _, cluster := range config.Clusters {
		cluster.Server = server
		if foreign {
			cluster.CertificateAuthorityData, cluster.InsecureSkipTLSVerify = nil, true
		}
	}
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the access through %s: %w", server, err)
	}
	return nil
}

// Set puts a mode in force from now on.
func (g *Gateway) Set(m Mode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mode = m
	g.line.set(m.Line)
}

// ServeHTTP lets the mode answer, or the API server.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	mode := g.mode
	g.mu.Unlock()
	if mode.Serve != nil && (mode.Takes == nil || mode.Takes(r)) {
		mode.Serve(w, r, g.proxy)
		return
	}
	g.proxy.ServeHTTP(w, r)
}

// Elsewhere is another host, to which a redirection may lead. Nothing may come to it.
type Elsewhere struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

// StartElsewhere opens a host that would say yes to everything.
func StartElsewhere() *Elsewhere {
	e := &Elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.got = append(e.got, fmt.Sprintf("%s %s with %q", r.Method, r.URL.Path, r.Header.Get("Authorization")))
		e.mu.Unlock()
		writeJSON(w, http.StatusOK, `{"kind":"Status","apiVersion":"v1","status":"Success","code":200}`)
	}))
	return e
}

// Got is what came.
func (e *Elsewhere) Got() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.got...)
}
