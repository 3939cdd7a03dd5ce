package conn

import (
	"slices"
	"strings"
	"testing"
)

func TestVerbosityTakesTheNumberAfterIt(t *testing.T) {
	for given, want := range map[string]string{
		"plan worker-1 -v 6":    "plan worker-1 -v=6",
		"plan --v 8 worker-1":   "plan --v=8 worker-1",
		"plan -v worker-1":      "plan -v worker-1",
		"plan worker-1 -v":      "plan worker-1 -v",
		"plan -v=6 worker-1":    "plan -v=6 worker-1",
		"plan worker-1 -- -v 6": "plan worker-1 -- -v 6",
	} {
		if got := JoinVerbosity(strings.Fields(given)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q", given, got)
		}
	}
}
