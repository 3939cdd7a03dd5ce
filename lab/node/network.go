package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// The nodes and their pods have addresses below these; see Machine.
var networkOfNodes = netip.MustParsePrefix("10.76.0.0/14")

// ServeNetwork runs in a network namespace of its own and makes it the network of the nodes: a bridge, the
// address of the service `kubernetes` in front of apiServer (which listens on the loopback of the host), and at
// socket a proxy (HTTP CONNECT) by which that API server reaches the kubelets. host is the network namespace
// of the API server. It returns when the context ends. The caller keeps the main thread to itself, see dialIn.
func ServeNetwork(ctx context.Context, host *os.File, apiServer, socket string) error {
	for _, args := range []string{
		"link set lo up",
		"link add br0 type bridge",
		"addr add 10.77.0.1/24 dev br0",
		"addr add " + ServiceAddress + "/32 dev lo",
		// Without a MAC address of its own a bridge uses the lowest of its ports. It would change with each node that
		// starts or stops, and the other nodes could not reach the API server until their ARP entries expire.
		"link set br0 address 02:00:00:00:00:01 up",
	} {
		if err := ip(ctx, args); err != nil {
			return err
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return fmt.Errorf("forward packets between nodes: %w", err)
	}
	service, err := net.Listen("tcp", ServiceAddress+":443")
	if err != nil {
		return fmt.Errorf("listen for the nodes: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the socket of an earlier lab: %w", err)
	}
	proxy, err := net.Listen("unix", socket)
	if err != nil {
		return errors.Join(fmt.Errorf("listen for the API server: %w", err), service.Close())
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return accept(service, func(conn net.Conn) { forward(conn, conn, dialIn(ctx, host, apiServer)) })
	})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { connect(w, r, host) })
	server := &http.Server{Handler: handler}
	group.Go(func() error { return server.Serve(proxy) })
	group.Go(func() error {
		<-ctx.Done()
		return errors.Join(service.Close(), server.Close())
	})
	err = group.Wait()
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func ip(ctx context.Context, args string) error {
	if output, err := exec.CommandContext(ctx, "ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		return fmt.Errorf("run ip %s: %w: %s", args, err, output)
	}
	return nil
}

func accept(listener net.Listener, serve func(net.Conn)) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go serve(conn) // until both sides have closed, or this process ends
	}
}

// connect answers a CONNECT: the addresses of nodes and pods are dialled in the network of the nodes, all others
// (webhooks of tests) in that of the host.
func connect(w http.ResponseWriter, r *http.Request, host *os.File) {
	target, err := netip.ParseAddrPort(r.Host)
	if r.Method != http.MethodConnect || err != nil {
		http.Error(w, "only CONNECT to an address", http.StatusBadRequest)
		return
	}
	var remote net.Conn
	if networkOfNodes.Contains(target.Addr()) {
		remote, err = (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
	} else {
		remote, err = dialIn(r.Context(), host, r.Host)()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		remote.Close()
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		remote.Close()
		conn.Close()
		return
	}
	forward(conn, buffered.Reader, func() (net.Conn, error) { return remote, nil })
}

// dialIn returns a dialer for a network namespace. A socket belongs to the namespace of the thread that makes it. That
// thread must not be the main one: Go never ends it, and it is the one whose namespace `nsenter -t` enters.
func dialIn(ctx context.Context, namespace *os.File, address string) func() (net.Conn, error) {
	return func() (conn net.Conn, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlocked: the thread ends here, and its namespace with it
			if err = enter(namespace); err == nil {
				conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", address)
			}
		}()
		<-done
		return conn, err
	}
}

// forward copies both ways until both are at their end.
func forward(conn net.Conn, from io.Reader, dial func() (net.Conn, error)) {
	defer conn.Close()
	remote, err := dial()
	if err != nil {
		return
	}
	defer remote.Close()
	var both sync.WaitGroup
	both.Go(func() { pass(remote, from) })
	both.Go(func() { pass(conn, remote) })
	both.Wait()
}

// pass copies to the end and says so to the other side.
func pass(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if half, can := to.(interface{ CloseWrite() error }); can && err == nil && half.CloseWrite() == nil {
		return
	}
	to.Close()
}
