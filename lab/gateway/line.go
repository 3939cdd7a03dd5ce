package gateway

import (
	"net"
	"sync"
	"time"
)

// line is how fast the connections of a gateway are now; all share it.
type line struct {
	mu    sync.Mutex
	speed Line
	free  time.Time // when all that was written so far is through
}

func (l *line) set(speed Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.speed, l.free = speed, time.Time{}
}

// through is when that many bytes, written now, have come through, and how long they are
// on the way after that.
func (l *line) through(bytes int) (at time.Time, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.speed.PerSecond == 0 {
		return time.Time{}, l.speed.Delay
	}
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(bytes) * time.Second / time.Duration(l.speed.PerSecond))
	return l.free, l.speed.Delay
}

// slowListener gives connections on which what is written takes as long as the line says.
type slowListener struct {
	net.Listener
	line *line
}

func (s slowListener) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newSlowConn(conn, s.line), nil
}

// slowConn delivers what is written by a goroutine of its own, so that the delay is one of
// the way and not one between two writes.
type slowConn struct {
	net.Conn
	line  *line
	queue chan parcel
	done  chan struct{}
	once  sync.Once
}

type parcel struct {
	bytes []byte
	due   time.Time
}

// mostQueued is how many writes may be on the way.
const mostQueued = 64

func newSlowConn(conn net.Conn, l *line) *slowConn {
	c := &slowConn{Conn: conn, line: l, queue: make(chan parcel, mostQueued), done: make(chan struct{})}
	go c.deliver()
	return c
}

func (c *slowConn) Write(p []byte) (int, error) {
	through, delay := c.line.through(len(p))
	if !through.IsZero() && !c.sleepUntil(through) {
		return 0, net.ErrClosed
	}
	select {
	case c.queue <- parcel{append([]byte(nil), p...), time.Now().Add(delay)}:
		return len(p), nil
	case <-c.done:
		return 0, net.ErrClosed
	}
}

func (c *slowConn) deliver() {
	for {
		select {
		case p := <-c.queue:
			c.sleepUntil(p.due)
			if _, err := c.Conn.Write(p.bytes); err != nil {
				_ = c.Conn.Close() // whoever reads there notices
				return
			}
		case <-c.done:
			c.deliverRest()
			return
		}
	}
}

// deliverRest is the end: what is on the way comes through at once.
func (c *slowConn) deliverRest() {
	_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	defer func() { _ = c.Conn.Close() }()
	for {
		select {
		case p := <-c.queue:
			if _, err := c.Conn.Write(p.bytes); err != nil {
				return
			}
		default:
			return
		}
	}
}

// sleepUntil reports whether the connection is still open then.
func (c *slowConn) sleepUntil(at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.done:
		return false
	}
}

// Close ends the connection once what is on the way has come through.
func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}
