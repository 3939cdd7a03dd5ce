package hook

import (
	"io"
	"strings"
)

// gate is the standard input of a command that has not begun.
type gate struct {
	opened chan struct{}
	text   io.Reader
}

func newGate() *gate { return &gate{opened: make(chan struct{})} }

// Read waits until the gate is open.
func (g *gate) Read(into []byte) (int, error) {
	<-g.opened
	return g.text.Read(into)
}

// open lets that text through, and then the end.
func (g *gate) open(text string) {
	g.text = strings.NewReader(text)
	close(g.opened)
}
