package cli

import (
	"testing"
	"time"
)

// Causes that alternate are told as they come up, and again once a minute, not
// with every turn.
func TestAlternatingCausesAreSaidOnce(t *testing.T) {
	said := saidWaits{texts: map[string]bool{}}
	for _, c := range []struct {
		after time.Duration
		text  string
		want  bool
	}{
		{0, "web-1", true},
		{time.Second, "web-1", false},
		{2 * time.Second, "web-2", true},
		{3 * time.Second, "web-1", false},
		{4 * time.Second, "web-2", false},
		{50 * time.Second, "web-3", true},
		{70 * time.Second, "web-1", false}, // a minute since the last line has not passed
		{111 * time.Second, "web-1", true},
		{200 * time.Second, "web-1", false}, // it is what was said last
	} {
		if got := said.news(c.text, noon.Add(c.after)); got != c.want {
			t.Errorf("after %s %q: %v", c.after, c.text, got)
		}
	}
}
