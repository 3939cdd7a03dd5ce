package conn

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // OIDC, and words for the providers that are gone
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/connrotation"
)

// Connect reads the kubeconfig, logs in and finds out who we are and where.
// Credential plugins may prompt on the terminal while it runs and never later:
// call it before a screen opens. Version is the program's, for the user agent.
// Its errors are *ConnectError where the connection is to blame.
func Connect(ctx context.Context, flags *Flags, version string) (*Cluster, error) {
	t, err := flags.resolve()
	if err != nil {
		return nil, err
	}
	c := &Cluster{target: t, health: newHealth(time.Now()), timeout: t.config.Timeout}
	if t.config.ExecProvider != nil {
		t.config.ExecProvider = allowPrompts(t.config.ExecProvider)
	}
	if flags.RequestLog != nil && flags.verbosity > 0 {
		t.config.Wrap(newRequestLog(flags.RequestLog))
	}
	if err := c.buildClients(flags.ReadOnly, version); err != nil {
		c.Close()
		return nil, diagnose(err, t.config.Host, t.context)
	}
	if err := c.identify(ctx); err != nil {
		c.Close()
		return nil, diagnose(err, t.config.Host, t.context)
	}
	forbidPrompts(c.readBase.ExecProvider)
	return c, nil
}

func (c *Cluster) buildClients(readOnlyFlag bool, version string) error {
	config := rest.CopyConfig(c.target.config)
	config.UserAgent = fmt.Sprintf("kdrain-tui/%s (%s/%s)", version, runtime.GOOS, runtime.GOARCH)
	config.QPS = -1    // priority and fairness on the server decides
	config.Timeout = 0 // would cut watches; single requests carry their own
	if readOnlyFlag {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return readOnly{next} })
	}
	c.health.credentials.source = credentialSource(config)
	c.readBase = config
	restore, err := capturePlugin(config)
	if err != nil {
		return err
	}
	defer restore()
	if c.reads, c.readHTTP, err = c.newClient(config, true); err != nil {
		return err
	}
	if c.writes, c.writeHTTP, err = c.newClient(config, false); err != nil {
		return err
	}
	c.health.reset = c.dropConnections
	c.health.probe = newHeartbeat(c.reads.Discovery().RESTClient()).send
	return nil
}

// newClient makes a client with a connection of its own, for reads or for writes.
func (c *Cluster) newClient(config *rest.Config, reads bool) (*kubernetes.Clientset, *http.Client, error) {
	dialer := connrotation.NewDialer((&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext)
	own := rest.CopyConfig(config)
	own.ExecProvider = config.ExecProvider // must stay one value, see forbidPrompts
	own.Dial = dialer.DialContext
	inner := own.WrapTransport // what is wrapped first is the innermost
	own.WrapTransport = transport.Wrappers(func(next http.RoundTripper) http.RoundTripper {
		return &meter{next: next, health: c.health, reads: reads, drop: dialer.CloseAll}
	}, inner)
	inside, err := rest.TransportFor(own)
	if err != nil {
		return nil, nil, err
	}
	sends := &deadlines{next: inside, lock: c.health.credentials}
	typed := &http.Client{Transport: objects{sends}}
	clients, err := kubernetes.NewForConfigAndClient(own, typed)
	if err != nil {
		return nil, nil, err
	}
	c.dialers = append(c.dialers, dialer)
	if reads {
		return clients, typed, nil
	}
	return clients, &http.Client{Transport: sends}, nil // Do gives every answer as it is
}
