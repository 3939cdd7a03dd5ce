package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// releaseFile is a file that .goreleaser.yaml puts into an archive or a package: Src as
// it is there, with a pattern, and Dst.
type releaseFile struct{ Src, Dst, Type string }

// releaseConfig is what we read of .goreleaser.yaml.
type releaseConfig struct {
	Archives []struct{ Files []releaseFile }
	Nfpms    []struct{ Contents []releaseFile }
	Casks    []struct{ Completions map[string]string } `yaml:"homebrew_casks"`
}

// generatedFiles are what tools/release/pages writes before a release is packed; its own
// tests hold it to these (tools/man).
var generatedFiles = []string{
	"bin/release/completions/_kdrain-tui", "bin/release/completions/kdrain-tui.bash",
	"bin/release/completions/kdrain-tui.fish", "bin/release/completions/kdrain-tui.ps1",
	"bin/release/completions/kubectl_complete-kdrain", "bin/release/man/kdrain-tui.1",
}

// found lists what a pattern of the configuration means among our files.
func (f releaseFile) found(t *testing.T) (files []string) {
	t.Helper()
	patterns := []string{f.Src}
	if before, rest, braces := strings.Cut(f.Src, "{"); braces {
		patterns = nil
		inside, after, _ := strings.Cut(rest, "}")
		for alternative := range strings.SplitSeq(inside, ",") {
			patterns = append(patterns, before+alternative+after)
		}
	}
	for _, pattern := range patterns {
		matches, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range generatedFiles {
			if ok, _ := path.Match(pattern, name); ok && !slices.Contains(matches, filepath.FromSlash(name)) {
				matches = append(matches, name)
			}
		}
		if len(matches) == 0 {
			t.Errorf(".goreleaser.yaml: there is no %s", pattern)
		}
		files = append(files, matches...)
	}
	return files
}

func readReleaseConfig(t *testing.T) releaseConfig {
	t.Helper()
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config releaseConfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Archives) != 1 || len(config.Nfpms) != 1 || len(config.Casks) != 1 {
		t.Fatalf("%+v", config)
	}
	return config
}

// An archive has every file that a page in it links: who has only the archive reads the
// same README. `make tryrelease` says the same of a built one.
func TestArchiveHasWhatItsPagesLink(t *testing.T) {
	inArchive := map[string]bool{}
	config := readReleaseConfig(t)
	for _, f := range config.Archives[0].Files {
		for _, name := range f.found(t) {
			if f.Dst != "" {
				name = path.Join(f.Dst, filepath.Base(name))
			}
			inArchive[filepath.ToSlash(name)] = true
		}
	}
	links := 0
	for name := range inArchive {
		if path.Ext(name) != ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range pageLink.FindAllStringSubmatch(string(text), -1) {
			links++
			if to := path.Join(path.Dir(name), link[1]); !inArchive[to] {
				t.Errorf("%s links %s, which is not in the archives", name, to)
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d links were seen", links)
	}
	for shell, name := range config.Casks[0].Completions {
		if !inArchive[name] {
			t.Errorf("the cask takes the completion for %s from %s, which is not in the archives", shell, name)
		}
	}
}

// Whatever a package puts into place is there when it is made.
func TestPackagesHaveTheirFiles(t *testing.T) {
	for _, f := range readReleaseConfig(t).Nfpms[0].Contents {
		if f.Type != "symlink" && len(f.found(t)) == 0 {
			t.Errorf("%s is packed as %s", f.Src, f.Dst)
		}
	}
}
