package ui

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write golden frames and docs/keys.md")

func TestMain(m *testing.M) {
	// If input arrives while a program ends, the reader of Bubble Tea blocks in a channel send for ever
	// (ultraviolet v0.0.0-20260811 terminal_reader.go sendEvents). In production the process exits then.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}
