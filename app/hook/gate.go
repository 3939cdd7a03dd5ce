package hook

import (
	"io"
	"strings"
)

// waiting is the shell that a command line begins in: it reads one line of its standard input, and becomes
// the command. Where that line never comes, as after the death of this process, the command never begins.
// A shell reads no more than that line (POSIX, read).
const waiting = `IFS= read -r go && exec sh -c "$1"`

// gate is the standard input of such a shell.
type gate struct {
	opened chan struct{}
	text   io.Reader
}

// newGate is a gate that nothing comes through.
func newGate() *gate { return &gate{opened: make(chan struct{}), text: strings.NewReader("")} }

// Read waits until the gate is open or shut.
func (g *gate) Read(into []byte) (int, error) {
	<-g.opened
	return g.text.Read(into)
}

// open lets the command begin, with that on its standard input.
func (g *gate) open(input string) {
	g.text = strings.NewReader("go\n" + input)
	close(g.opened)
}

// shut keeps the command from ever beginning.
func (g *gate) shut() { close(g.opened) }
