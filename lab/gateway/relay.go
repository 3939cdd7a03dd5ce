package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Relay passes the bytes between programs and an API server, and counts them. It does not
// know what they are: TLS goes through it, as through a VPN.
type Relay struct {
	access   string // kubeconfig of the API server
	target   string
	listener net.Listener
	line     *line
	read     atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool
	work  sync.WaitGroup
}

// StartRelay opens a relay to the API server of a kubeconfig.
func StartRelay(kubeconfig string) (*Relay, error) {
	_, target, err := behind(kubeconfig)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a port for the relay: %w", err)
	}
	r := &Relay{access: kubeconfig, target: target.Host, line: &line{}, conns: map[net.Conn]bool{}}
	r.listener = slowListener{listener, r.line}
	r.work.Go(r.accept)
	return r, nil
}

// Kubeconfig writes a kubeconfig with the users of the lab that leads through the relay.
func (r *Relay) Kubeconfig(path string) error {
	return writeAccess(r.access, path, "https://"+r.listener.Addr().String(), false)
}

// Set limits what the API server sends from now on.
func (r *Relay) Set(l Line) { r.line.set(l) }

// Read is how many bytes of the API server have come through.
func (r *Relay) Read() int64 { return r.read.Load() }

// Close ends the relay and every connection through it.
func (r *Relay) Close() {
	_ = r.listener.Close()
	r.mu.Lock()
	for conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
	r.mu.Unlock()
	r.work.Wait()
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			r.work.Go(func() { r.join(client) })
		}
	}
}

// join passes the bytes of one connection until one end closes it.
func (r *Relay) join(client net.Conn) {
	defer client.Close()
	server, err := (&net.Dialer{}).Dial("tcp", r.target)
	if err != nil {
		return // the program sees that its connection ends
	}
	defer server.Close()
	if !r.hold(client, server) {
		return
	}
	defer r.release(client, server)
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	_, _ = io.Copy(io.MultiWriter(counter{&r.read}, client), server)
	_ = client.Close()
	up.Wait()
}

// hold reports whether the relay is still open.
func (r *Relay) hold(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		return false
	}
	for _, conn := range conns {
		r.conns[conn] = true
	}
	return true
}

func (r *Relay) release(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		delete(r.conns, conn)
	}
}

type counter struct{ sum *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.sum.Add(int64(len(p)))
	return len(p), nil
}
