// Housecheck enforces the rules of the house that no linter knows: where
// goroutines start, how packages are called, what paths may stand in a file. It
// also names files and functions that have grown long, without failing.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the checkout")
	flag.Parse()
	os.Exit(run(*root, os.Stdout))
}

func run(root string, out io.Writer) int {
	names, err := listFiles(root)
	if err != nil {
		fmt.Fprintln(out, "housecheck:", err)
		return 1
	}
	var found findings
	sources := map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		}
		if err != nil {
			fmt.Fprintln(out, "housecheck:", err)
			return 1
		}
		found.checkText(name, text)
		if strings.HasSuffix(name, ".go") {
			found.checkGo(name, text)
			if inMainModule(name) && !strings.HasSuffix(name, "_test.go") &&
				!strings.HasPrefix(name, "kube/kubetest/") {
				sources[name] = text
			}
		}
		if name == "go.mod" {
			found.checkMainModule(name, text)
		}
	}
	found.checkCommands(sources)
	for _, note := range found.notes {
		fmt.Fprintln(out, "note:", note)
	}
	for _, problem := range found.problems {
		fmt.Fprintln(out, problem)
	}
	if len(found.problems) > 0 {
		return 1
	}
	return 0
}

// listFiles names the files of the checkout that are committed or could be.
func listFiles(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(names)
	return slices.Compact(names), nil
}
