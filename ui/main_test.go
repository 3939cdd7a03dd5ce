package ui

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write golden frames and docs/keys.md")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
