// Man writes the man pages and the completion scripts of a release, from the commands
// of the program.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "kdrain-tui", Manual: "kdrain-tui"}
	var forKubectl bytes.Buffer
	root.SetOut(&forKubectl)
	root.SetArgs([]string{"completion", "kubectl"})
	if err := root.Execute(); err != nil {
		return err
	}
	return errors.Join(
		doc.GenManTree(root, header, pages),
		tagOptions(pages),
		root.GenBashCompletionFileV2(filepath.Join(scripts, "kdrain-tui.bash"), true),
		root.GenZshCompletionFile(filepath.Join(scripts, "_kdrain-tui")),
		root.GenFishCompletionFile(filepath.Join(scripts, "kdrain-tui.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(scripts, "kdrain-tui.ps1")),
		os.WriteFile(filepath.Join(scripts, "kubectl_complete-kdrain"), forKubectl.Bytes(), 0o755))
}

// disableDates leaves out the line that says when a page was made, so that two builds
// of one commit are the same.
func disableDates(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	for _, c := range cmd.Commands() {
		disableDates(c)
	}
}

// option is a flag as cobra writes it into a page: a paragraph whose second line begins
// with a tab, which is shown as a wide gap in the middle of a line.
var option = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t(.*)$`)

// tagOptions makes each flag of the pages a tagged paragraph, as other pages have it: the
// flag, and what it does below it.
func tagOptions(folder string) error {
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err == nil {
			err = os.WriteFile(page, option.ReplaceAll(text, []byte(".TP\n$1\n\\&$2")), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
