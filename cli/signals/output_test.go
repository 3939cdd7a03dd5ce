package signals

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// Whoever reads the output may end: that is said once for each write, and is no end of the process by itself.
func TestAnOutputThatNobodyReads(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	got := make(chan os.Signal, 1)
	out := Output{Writer: w, Signals: got}
	if _, err := out.Write([]byte("read")); err != nil || len(got) != 0 {
		t.Fatalf("%v, %d signals", err, len(got))
	}
	r.Close()
	for range 2 {
		if _, err := out.Write([]byte("not read")); err == nil {
			t.Fatal("the write did not fail")
		}
	}
	if len(got) != 1 || <-got != os.Signal(syscall.SIGPIPE) {
		t.Error("no SIGPIPE")
	}
}
