package print

import (
	"runtime"

	"github.com/kdrain-tui/kdrain-tui/cli/build"
)

// Version is what `version` prints.
type Version struct {
	Client  build.Info `json:"client"`
	Server  string     `json:"server,omitempty"`
	Context string     `json:"context,omitempty"`
	Warning string     `json:"warning,omitempty"`
}

// Text prints it for a person.
func (v Version) Text(t *Text) {
	t.Say("kdrain-tui  %s", v.Client.Version)
	if v.Client.Commit != "" {
		t.Say("commit      %s", v.Client.Commit)
	}
	t.Say("built with  %s (%s/%s), client-go %s", v.Client.Go, runtime.GOOS, runtime.GOARCH, v.Client.Kubernetes)
	if v.Server != "" {
		t.Say("server      %s (%s)", v.Server, v.Context)
	}
}
