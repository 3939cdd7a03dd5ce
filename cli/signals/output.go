package signals

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Output is a standard stream. A write that nobody reads any more is a SIGPIPE of the program; the signal itself also
// comes from every connection that breaks (os/signal).
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
