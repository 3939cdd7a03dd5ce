package conn

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// One in the process, for the life of the process: see thePluginOutput.
		goleak.IgnoreAnyFunction("github.com/kdrain-tui/kdrain-tui/kube/conn.(*pluginOutput).copy"))
}
