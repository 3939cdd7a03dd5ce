package signals

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Output is a standard stream. A write after its reader has gone away sends SIGPIPE to Signals. The signal of the
// system does not serve for that: it also comes when a connection to a server breaks (os/signal).
type Output struct {
	io.Writer
	Signals chan<- os.Signal
}

func (o Output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if errors.Is(err, syscall.EPIPE) {
		select {
		case o.Signals <- syscall.SIGPIPE:
		default: // the program has others to heed
		}
	}
	return n, err
}
