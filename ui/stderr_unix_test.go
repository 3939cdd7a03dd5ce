//go:build unix

package ui

import (
	"syscall"
	"testing"
)

func TestStderrIsKeptOffTheScreen(t *testing.T) {
	release := captureStderr(t.TempDir())
	// The descriptor itself: go test -json makes os.Stderr another one.
	_, _ = syscall.Write(2, []byte("a line of a library\n"))
	if said := release(); said != "a line of a library\n" {
		t.Fatalf("%q", said)
	}
}
