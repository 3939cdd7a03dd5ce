package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const (
	// mostRequest bounds a request; the longest one names a pod.
	mostRequest = 4 << 10
	// requestPatience is how long a client may take to say what it wants.
	requestPatience = 2 * time.Second
	// commandPatience is how long the engine may take to take a control.
	commandPatience = 5 * time.Second
	// rightsPatience is how long the API server may take to say what the run may do.
	rightsPatience = 3 * time.Second
	// mostClients is how many are served at once; more of them wait.
	mostClients = 8
)

// Rights asks the server which of the rights we have, all at once.
type Rights func(context.Context, []request.Permission) ([]request.AccessResult, error)

// steered is what a server takes commands for: a run or a roll.
type steered interface {
	ID() string
	Done() <-chan struct{}
	// answer does what a request says that is for it.
	answer(v Verb, r Request) Answer
}

// Server takes the commands of other processes for one run or roll.
type Server struct {
	path     string
	of       steered
	listener *net.UnixListener
	group    kube.Group

	mu    sync.Mutex
	conns []net.Conn // of clients being served
	over  bool
}

// Serve opens the socket of a run and serves it until Close. The caller holds
// the run's journal, so a socket that is there already is a dead process's. rights
// tells which remedies the run may take; nil leaves that to the API server.
func Serve(dir string, run live.Commander, rights Rights) (*Server, error) {
	return serve(dir, steeredRun{run, rights})
}

func serve(dir string, of steered) (*Server, error) {
	path := path(dir, of.ID())
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of a dead process: %w", err)
	}
	s := &Server{path: path, of: of}
	err := reach(path, func(short string) (err error) {
		s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open the socket %s: %w", path, err)
	}
	s.listener.SetUnlinkOnClose(false) // by the name that it was bound under, which may be gone
	// The folder is 0700; whoever came in through a wider one is asked who they are.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("open the socket %s: %w", path, err), s.listener.Close(), os.Remove(path))
	}
	s.group.Go("control of run "+of.ID(), s.accept)
	return s, nil
}

// Close ends the service: answers that are due are given, the socket is removed.
func (s *Server) Close() {
	s.mu.Lock()
	s.over = true
	_ = s.listener.Close()
	for _, c := range s.conns {
		// Whoever has not said yet what they want is not waited for.
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	s.group.Wait()
	_ = os.Remove(s.path)
}

func (s *Server) accept() {
	free := make(chan struct{}, mostClients)
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // e.g. out of file descriptors: one that hangs up makes room
			if !s.pause(err) {
				return
			}
			continue
		}
		free <- struct{}{}
		s.group.Go("a command to run "+s.of.ID(), func() {
			defer func() { <-free }()
			s.serve(conn)
		})
	}
}

// pause lets a moment pass after an error that may pass; false ends the service.
func (s *Server) pause(error) bool {
	select {
	case <-s.of.Done():
		return false
	case <-time.After(100 * time.Millisecond):
		return true
	}
}

func (s *Server) serve(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }()
	if !s.begin(conn) {
		return
	}
	defer s.end(conn)
	answer := s.answer(conn)
	answer.Schema, answer.Run = schema, s.of.ID()
	_ = conn.SetWriteDeadline(time.Now().Add(requestPatience))
	line, err := json.Marshal(answer)
	if err != nil {
		return // a struct of strings, numbers and times always marshals
	}
	_, _ = conn.Write(append(line, '\n')) // whoever has gone learns it from the journal
}

func (s *Server) begin(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	_ = conn.SetReadDeadline(time.Now().Add(requestPatience))
	s.conns = append(s.conns, conn)
	return true
}

func (s *Server) end(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = slices.DeleteFunc(s.conns, func(c net.Conn) bool { return c == conn })
}

// answer reads the one request of a connection and does what it says.
func (s *Server) answer(conn *net.UnixConn) Answer {
	if uid, known := peer(conn); known && uid != os.Geteuid() {
		return Answer{Error: fmt.Sprintf("the run belongs to another user; yours is uid %d", uid)}
	}
	line, err := bufio.NewReader(io.LimitReader(conn, mostRequest)).ReadBytes('\n')
	if err != nil {
		return Answer{Error: "incomplete request: " + err.Error()}
	}
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		return Answer{Error: "the request cannot be read: " + err.Error()}
	}
	verb, known := VerbNamed(r.Verb)
	switch {
	case r.Schema != schema:
		return Answer{Verb: r.Verb, Error: fmt.Sprintf("the run uses %s, the request is %q", schema, r.Schema),
			Hint: "use the version of the program that started the run"}
	case r.Run != s.of.ID():
		return Answer{Verb: r.Verb, Error: fmt.Sprintf("this is run %s, not %q", s.of.ID(), r.Run)}
	case !known:
		return Answer{Verb: r.Verb, Error: fmt.Sprintf("unknown command %q", r.Verb),
			Hint: "use the version of the program that started the run"}
	}
	return s.of.answer(verb, r)
}

// steeredRun is a run that is steered.
type steeredRun struct {
	run    live.Commander
	rights Rights // nil where rights cannot be asked for
}

func (s steeredRun) ID() string            { return s.run.State().Run.ID }
func (s steeredRun) Done() <-chan struct{} { return s.run.Done() }

func (s steeredRun) answer(verb Verb, r Request) Answer {
	state := s.run.State()
	switch {
	case verb.Remedy != "":
		return s.remediate(state, verb, r)
	case verb.Kind != "":
		return s.steer(state, verb, r)
	case verb.Of == OfPod:
		return s.showRemedies(state, verb, r)
	}
	return Answer{Verb: r.Verb, OK: true, Status: statusOf(state)}
}

func (s steeredRun) steer(state *drain.State, v Verb, r Request) Answer {
	c, a := objectOf(state, v, r)
	if a.Error != "" {
		return a
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandPatience)
	defer cancel()
	var err error
	if a.Seq, err = s.run.Command(ctx, c); err != nil {
		a.Error = err.Error()
		return a
	}
	a.OK, a.Message = true, v.now(a)
	if lost := s.run.State().JournalLost; lost != "" {
		a.Hint = "the journal cannot be written: " + lost
	}
	return a
}
