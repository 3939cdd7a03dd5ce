package ui

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write golden frames and docs/keys.md")

func TestMain(m *testing.M) {
	// Input that arrives as a program ends keeps the reader of Bubble Tea in a send that nobody receives
	// (ultraviolet v0.0.0-20260811 terminal_reader.go sendEvents). A process with a screen ends then anyway.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}
