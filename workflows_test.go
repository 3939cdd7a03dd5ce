package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is what we read of a file in .github/workflows.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Needs       any
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

// pinned is an action by its commit, with the version that it has in a comment.
var pinned = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._/-]+@[0-9a-f]{40} # v[0-9.]+$`)

// Whoever moves a tag of an action, or breaks a test, a linter or a package, finds no token that can publish: actions
// are pinned by commit, and a job that can write only builds what others have tested.
func TestWorkflowsKeepTheirTokens(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, action, uses := strings.Cut(line, "uses: "); uses && !pinned.MatchString(strings.TrimSpace(action)) {
				t.Errorf("%s: %s is not pinned by a commit with its version in a comment", file, strings.TrimSpace(action))
			}
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		if w.Permissions == nil || writes(w.Permissions) {
			t.Errorf("%s: its permissions are %v: want none or read", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			publishes := writes(job.Permissions)
			if publishes && job.Needs == nil {
				t.Errorf("%s: job %s writes before anything was tested", file, name)
			}
			for _, step := range job.Steps {
				if publishes && runsTests(step.Run) {
					t.Errorf("%s: job %s can write and runs %q", file, name, step.Run)
				}
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
					t.Errorf("%s: job %s leaves its token in .git/config", file, name)
				}
				if publishes && (strings.HasPrefix(step.Uses, "actions/cache@") ||
					strings.HasPrefix(step.Uses, "actions/setup-go@") && step.With["cache"] != false) {
					t.Errorf("%s: job %s publishes what a cache of another workflow is part of", file, name)
				}
			}
		}
	}
}

func writes(permissions map[string]string) bool {
	for _, level := range permissions {
		if level != "read" && level != "none" {
			return true
		}
	}
	return false
}

// runsTests reports whether a step runs more than what builds and publishes.
func runsTests(run string) bool {
	return slices.ContainsFunc([]string{".ci/run", "make test", "tryrelease", "go test", "lint", "apt-get"}, func(text string) bool {
		return strings.Contains(run, text)
	})
}
