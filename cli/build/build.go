package build

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// Info says what a binary was made of; its JSON is that of `version -o json`.
type Info struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	// Kubernetes is the version of the client library, e.g. v0.37.2.
	Kubernetes string `json:"clientLibrary"`
}

// String is the version, with the commit where it is known.
func (b Info) String() string {
	if b.Commit == "" {
		return b.Version
	}
	return b.Version + " (commit " + b.Commit + ")"
}

// Of says what this binary was made of. A release stamps version and commit; go
// install, which stamps neither, fills in for them.
func Of(version, commit string) Info {
	b := Info{Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	dirty := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			if b.Commit == "" {
				b.Commit = s.Value
			}
		case "vcs.modified":
			if s.Value == "true" {
				dirty = " (modified)"
			}
		}
	}
	if commit == "" && b.Commit != "" {
		b.Commit += dirty
	}
	for _, dep := range info.Deps {
		if dep.Path == "k8s.io/client-go" {
			b.Kubernetes = dep.Version
		}
	}
	return b
}

// SkewWarning compares the minor versions of the client library (v0.37.2 is
// Kubernetes 1.37) and of the server: more than one apart is outside of what
// Kubernetes supports for clients.
func SkewWarning(library, server string) string {
	client, ok1 := minor(library)
	other, ok2 := minor(server)
	if !ok1 || !ok2 || max(client-other, other-client) <= 1 {
		return ""
	}
	return fmt.Sprintf("version difference between client (1.%d) and server (1.%d) exceeds the supported minor version skew of +/-1",
		client, other)
}

func minor(version string) (int, bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimRight(parts[1], "+"))
	return n, err == nil
}
