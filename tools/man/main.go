// Man writes the man pages and the completion scripts of a release, from the commands
// of the program.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/kdrain-tui/kdrain-tui/cli"
)

func main() {
	folder := flag.String("to", "", "the folder for the folders man and completions")
	released := flag.String("date", "", "the date in the man pages, as 2006-01-02")
	flag.Parse()
	if err := write(*folder, *released); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func write(folder, released string) error {
	date, err := time.Parse(time.DateOnly, released)
	if err != nil {
		return err
	}
	pages, scripts := filepath.Join(folder, "man"), filepath.Join(folder, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(scripts, 0o755)); err != nil {
		return err
	}
	program := &cli.Program{Name: "kdrain-tui", Err: os.Stderr}
	root := program.Command()
	disableDates(root)
	return errors.Join(
		doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "kdrain-tui", Manual: "kdrain-tui"}, pages),
		root.GenBashCompletionFileV2(filepath.Join(scripts, "kdrain-tui.bash"), true),
		root.GenZshCompletionFile(filepath.Join(scripts, "_kdrain-tui")),
		root.GenFishCompletionFile(filepath.Join(scripts, "kdrain-tui.fish"), true))
}

// disableDates leaves out the line that says when a page was made, so that two builds
// of one commit are the same.
func disableDates(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	for _, c := range cmd.Commands() {
		disableDates(c)
	}
}
