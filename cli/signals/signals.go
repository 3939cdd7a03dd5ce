package signals

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Signals are those that the program got. The first one ends it gently.
type Signals struct {
	// Interrupted is closed by the first one.
	Interrupted chan struct{}
	// Graceful tells that the command ends itself after one: its runs are aborted.
	Graceful atomic.Bool
	got      atomic.Value // signalBox: the first one
}

// Ends are what signals do to a program.
type Ends struct {
	HangUp func(why string)    // suspends the runs
	Abort  func(why string)    // ends the runs
	Cancel func()              // ends what is no run
	Exit   func(sig os.Signal) // at once
}

type signalBox struct{ os.Signal }

// signalEcho is how long after the first signal another one that was not typed
// is the same once more: timeout(1) sends its signal to the process and then to
// the process group, so it comes twice at a time.
const signalEcho = time.Second

// Watch ends the program gently on the first signal, and at once on the
// second.
func (s *Signals) Watch(incoming <-chan os.Signal, now func() time.Time, ended <-chan struct{}, e Ends) {
	var at time.Time // of the first
	for first := true; ; {
		select {
		case <-ended:
			return
		case sig, ok := <-incoming:
			switch {
			case !ok:
				return
			case isHangup(sig):
				e.HangUp("suspended by " + NameOf(sig))
				if !first {
					continue // a terminal that goes away says so more than once
				}
			case !first && sig == os.Signal(syscall.SIGTERM) && now().Sub(at) < signalEcho:
				continue
			case !first:
				e.Exit(sig)
				return
			}
			first, at = false, now()
			s.got.Store(signalBox{sig})
			close(s.Interrupted)
			if s.Graceful.Load() {
				e.Abort("interrupted by " + NameOf(sig))
			} else {
				e.Cancel()
			}
		}
	}
}

// Name is that of the first signal.
func (s *Signals) Name() string {
	if sig, ok := s.First(); ok {
		return NameOf(sig)
	}
	return "a signal"
}

// First is the first signal that came, if one did.
func (s *Signals) First() (os.Signal, bool) {
	box, ok := s.got.Load().(signalBox)
	return box.Signal, ok
}

// HungUp reports whether the first signal said that the terminal went away.
func (s *Signals) HungUp() bool {
	sig, ok := s.First()
	return ok && isHangup(sig)
}

// isHangup reports whether a signal says that the terminal went away, or whoever reads the output. On Windows
// that is SIGTERM: Go makes it of the window's end, of a logoff and of a shutdown, and no
// other program can send it.
func isHangup(sig os.Signal) bool {
	return sig == os.Signal(syscall.SIGHUP) || sig == os.Signal(syscall.SIGPIPE) ||
		runtime.GOOS == "windows" && sig == os.Signal(syscall.SIGTERM)
}

// NameOf is the name that operators know a signal by.
func NameOf(sig os.Signal) string {
	switch sig {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGPIPE:
		return "SIGPIPE"
	}
	return sig.String()
}
