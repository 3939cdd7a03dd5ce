//go:build e2e && release

package e2e

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// dist is where `make release` has put the release.
var dist = filepath.Join("..", "..", "dist")

// krewPlugin is what we read of a krew manifest (krew.googlecontainertools.github.com/v1alpha2).
type krewPlugin struct {
	Metadata struct{ Name string }
	Spec     struct{ Platforms []krewPlatform }
}

type krewPlatform struct {
	Bin, URI, Sha256 string
	Selector         struct{ MatchLabels map[string]string }
}

func readManifest(t *testing.T) krewPlugin {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist, "krew", "*.yaml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("krew manifests in %s: %v, %v (make release writes one)", dist, files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var plugin krewPlugin
	if err := yaml.Unmarshal(text, &plugin); err != nil {
		t.Fatal(err)
	}
	return plugin
}

// archiveOf is the archive of a platform, which must be the one that the manifest means.
func archiveOf(t *testing.T, p krewPlatform) string {
	t.Helper()
	path := filepath.Join(dist, p.URI[strings.LastIndexByte(p.URI, '/')+1:])
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != p.Sha256 {
		t.Errorf("%s does not have the checksum of the manifest", path)
	}
	return path
}

// unpack unpacks an archive into a folder.
func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for reader := tar.NewReader(packed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		path := filepath.Join(folder, filepath.FromSlash(header.Name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	}
}

// The archive, installed as krew does: unpacked, and its program linked into PATH
// under the plugin's name. kubectl finds it, and it plans.
func TestReleaseAsAPlugin(t *testing.T) {
	plugin, store, bin := readManifest(t), t.TempDir(), t.TempDir()
	installed := false
	for _, p := range plugin.Spec.Platforms {
		archive := archiveOf(t, p)
		if p.Selector.MatchLabels["os"] != runtime.GOOS || p.Selector.MatchLabels["arch"] != runtime.GOARCH {
			continue
		}
		unpack(t, archive, store)
		if err := os.Symlink(filepath.Join(store, p.Bin), filepath.Join(bin, "kubectl-"+plugin.Metadata.Name)); err != nil {
			t.Fatal(err)
		}
		installed = true
	}
	if !installed {
		t.Fatalf("the manifest has no archive for %s/%s: %+v", runtime.GOOS, runtime.GOARCH, plugin.Spec.Platforms)
	}
	for _, name := range []string{"LICENSE", "deploy/rbac/operator.yaml", "completions/kdrain-tui.bash", "man/kdrain-tui-drain.1"} {
		if _, err := os.Stat(filepath.Join(store, name)); err != nil {
			t.Error(err)
		}
	}
	world := sharedWorld(t)
	before := world.versions(t)
	kubectl := func(args ...string) string {
		cmd := world.lab(append([]string{"kubectl"}, args...)...)
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "KUBECONFIG="+world.kubeconfig)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("kubectl %v: %v\n%s", args, err, text)
		}
		return string(text)
	}
	if text := kubectl("kdrain", "--version"); !strings.HasPrefix(text, "kubectl kdrain version v") || !strings.Contains(text, "(commit ") {
		t.Errorf("--version: %s", text)
	}
	plan := kubectl(append([]string{"kdrain"}, with("plan", "worker-a1")...)...)
	if !strings.Contains(plan, "worker-a1") {
		t.Errorf("the plan:\n%s", plan)
	}
	world.unchanged(t, before)
}

// Every program of the release is stamped and made for the system that it is for,
// and contains no path of the machine that built it.
func TestReleasePrograms(t *testing.T) {
	programs, err := filepath.Glob(filepath.Join(dist, "kdrain-tui_*", "kdrain-tui*"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs in %s: %v", dist, err)
	}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if folder := filepath.Base(filepath.Dir(path)); !strings.Contains(folder, settings["GOOS"]+"_"+settings["GOARCH"]) {
			t.Errorf("%s is for %s/%s", path, settings["GOOS"], settings["GOARCH"])
		}
		if settings["-trimpath"] != "true" || settings["CGO_ENABLED"] != "0" {
			t.Errorf("%s was built with %v", path, settings)
		}
	}
}

// The Debian package unpacks to what a user of it expects.
func TestReleasePackage(t *testing.T) {
	packages, err := filepath.Glob(filepath.Join(dist, "*_"+runtime.GOARCH+".deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("Debian packages in %s: %v, %v", dist, packages, err)
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("no dpkg-deb here")
	}
	root := t.TempDir()
	if text, err := exec.Command("dpkg-deb", "-x", packages[0], root).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb: %v\n%s", err, text)
	}
	for _, name := range []string{"usr/share/man/man1/kdrain-tui.1", "usr/share/bash-completion/completions/kdrain-tui", "usr/share/doc/kdrain-tui/deploy/rbac/job.yaml"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if to, err := os.Readlink(filepath.Join(root, "usr/bin/kubectl-kdrain")); err != nil || to != "/usr/bin/kdrain-tui" {
		t.Errorf("kubectl-kdrain is a link to %q: %v", to, err)
	}
	text, err := exec.Command(filepath.Join(root, "usr/bin/kdrain-tui"), "completion", "bash").Output()
	have, readErr := os.ReadFile(filepath.Join(root, "usr/share/bash-completion/completions/kdrain-tui"))
	if err := errors.Join(err, readErr); err != nil || string(text) != string(have) {
		t.Errorf("the completion of the package is not that of its program: %v", err)
	}
}
