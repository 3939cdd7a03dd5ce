package cli

import (
	"context"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// signals are those that the program got. The first one ends it gently.
type signals struct {
	interrupted chan struct{} // closed by the first one
	got         atomic.Value  // signalBox: the first one
	graceful    atomic.Bool   // the command ends itself after one
}

type signalBox struct{ os.Signal }

// signalEcho is how long after the first signal another one that was not typed
// is the same once more: timeout(1) sends its signal to the process and then to
// the process group, so it comes twice at a time.
const signalEcho = time.Second

// watch ends the program gently on the first signal, and at once on the
// second.
func (s *signals) watch(p *Program, ended <-chan struct{}, cancel context.CancelFunc) {
	var at time.Time // of the first
	for first := true; ; {
		select {
		case <-ended:
			return
		case sig, ok := <-p.Signals:
			switch {
			case !ok:
				return
			case isHangup(sig):
				p.runs.HangUp("suspended by " + nameOfSignal(sig))
				if !first {
					continue // a terminal that goes away says so more than once
				}
			case !first && sig == os.Signal(syscall.SIGTERM) && p.Now().Sub(at) < signalEcho:
				continue
			case !first:
				p.Exit(exitOfSignal(sig))
				return
			}
			first, at = false, p.Now()
			s.got.Store(signalBox{sig})
			close(s.interrupted)
			if s.graceful.Load() {
				p.runs.Abort("interrupted by " + nameOfSignal(sig))
			} else {
				cancel()
			}
		}
	}
}

// name is that of the first signal.
func (s *signals) name() string {
	if sig, ok := s.first(); ok {
		return nameOfSignal(sig)
	}
	return "a signal"
}

// first is the first signal that came, if one did.
func (s *signals) first() (os.Signal, bool) {
	box, ok := s.got.Load().(signalBox)
	return box.Signal, ok
}

// hungUp reports whether the first signal said that the terminal went away.
func (s *signals) hungUp() bool {
	sig, ok := s.first()
	return ok && isHangup(sig)
}

// isHangup reports whether a signal says that the terminal went away. On Windows that is
// SIGTERM: Go makes it of the window's end, of a logoff and of a shutdown, and no
// other program can send it.
func isHangup(sig os.Signal) bool {
	return sig == os.Signal(syscall.SIGHUP) || runtime.GOOS == "windows" && sig == os.Signal(syscall.SIGTERM)
}
