package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each command has its page with its flags, and each shell its script.
func TestPages(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, "2026-01-02"); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"man/kdrain-tui.1":            "KDRAIN-TUI",
		"man/kdrain-tui-drain.1":      "max-parallel-nodes",
		"man/kdrain-tui-job.1":        "service-account",
		"completions/kdrain-tui.bash": "__start_kdrain-tui",
		"completions/_kdrain-tui":     "#compdef kdrain-tui",
		"completions/kdrain-tui.fish": "complete -c kdrain-tui",
		"completions/kdrain-tui.ps1":  "Register-ArgumentCompleter -CommandName 'kdrain-tui'",

		"completions/kubectl_complete-kdrain": "exec kubectl-kdrain __complete",
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%s says nothing of %q: %v", name, says, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, "man", "kdrain-tui-drain.1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n.TP\n\\fB--ignore-daemonsets\\fP[=false]\n\\&leave pods") || strings.Contains(string(page), "\n\t") {
		t.Errorf("flags are no tagged paragraphs:\n%s", page)
	}
	if err := write(folder, "soon"); err == nil {
		t.Error("soon is taken for a date")
	}
}
