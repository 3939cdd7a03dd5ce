package main

import (
	"runtime/debug"

	"github.com/kdrain-tui/kdrain-tui/cli"
)

// version and commit are stamped by a release; go install fills in for them.
var version, commit string

// buildInfo says what this binary was made of.
func buildInfo() cli.Build {
	b := cli.Build{Version: version, Commit: commit}
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
