//go:build e2e && release

package e2e

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// dist is where `make release` has put the release.
var dist = filepath.Join("..", "..", "dist")

// krewPlugin is a krew manifest (krew.googlecontainertools.github.com/v1alpha2).
type krewPlugin struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Version, Homepage, ShortDescription, Description, Caveats string
		Platforms                                                 []krewPlatform
	}
}

type krewPlatform struct {
	Bin, URI, Sha256 string
	Files            []struct{ From, To string }
	Selector         struct {
		MatchLabels      map[string]string
		MatchExpressions []any
	}
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
	if err := yaml.UnmarshalStrict(text, &plugin); err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(files[0]); name != plugin.Metadata.Name+".yaml" {
		t.Errorf("the manifest of %s is %s", plugin.Metadata.Name, name)
	}
	return plugin
}

// The manifest is one that krew takes: what its validate-krew-manifest refuses, and what its
// reviewers ask for (krew.sigs.k8s.io/docs/developer-guide).
func TestReleaseManifest(t *testing.T) {
	plugin := readManifest(t)
	fits := func(what, text, pattern string) {
		t.Helper()
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s is %q", what, text)
		}
	}
	fits("apiVersion", plugin.APIVersion, `^krew\.googlecontainertools\.github\.com/v1alpha2$`)
	fits("kind", plugin.Kind, `^Plugin$`)
	fits("the name", plugin.Metadata.Name, `^[a-z0-9]+(-[a-z0-9]+)*$`)
	fits("the version", plugin.Spec.Version, `^v[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.-]+)?$`)
	fits("the homepage", plugin.Spec.Homepage, `^https://`)
	fits("the short description", plugin.Spec.ShortDescription, `^[A-Z].{8,48}[^.]$`)
	fits("the description", plugin.Spec.Description, `\S`)
	seen := map[string]bool{}
	for _, p := range plugin.Spec.Platforms {
		system, arch := p.Selector.MatchLabels["os"], p.Selector.MatchLabels["arch"]
		fits("the system", system+"/"+arch, `^(linux|darwin|windows)/(amd64|arm64)$`)
		if len(p.Selector.MatchLabels) != 2 || len(p.Selector.MatchExpressions) > 0 || seen[system+"/"+arch] {
			t.Errorf("the selector of %s/%s is not one of its own", system, arch)
		}
		seen[system+"/"+arch] = true
		fits("the URI", p.URI, `^https://[^ ]+\.(tar\.gz|zip)$`)
		fits("the checksum", p.Sha256, `^[0-9a-f]{64}$`)
		program := "kdrain-tui"
		if system == "windows" {
			program += ".exe"
		}
		if p.Bin != program || len(p.Files) > 0 {
			t.Errorf("%s/%s: bin is %q, files are %v", system, arch, p.Bin, p.Files)
		}
	}
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
	if strings.HasSuffix(archive, ".zip") {
		packed, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		if err := os.CopyFS(folder, packed); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpackTar(t, file, folder)
}

// unpackTar unpacks a compressed tar, as an archive and as a layer of an image.
func unpackTar(t *testing.T, compressed io.Reader, folder string) {
	t.Helper()
	packed, err := gzip.NewReader(compressed)
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
		path := filepath.Join(folder, filepath.FromSlash(header.Name))
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, header.FileInfo().Mode())
		} else {
			var content []byte
			content, err = io.ReadAll(reader)
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, header.FileInfo().Mode()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// pageLink is a link from a page to a file beside it.
var pageLink = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)

// Each archive has the program, its pages with whatever they link, and what a package
// puts into place; the krew manifest names all of them.
func TestReleaseArchives(t *testing.T) {
	platforms := readManifest(t).Spec.Platforms
	if len(platforms) != 6 {
		t.Errorf("the manifest has %d platforms", len(platforms))
	}
	for _, p := range platforms {
		folder, archive := t.TempDir(), archiveOf(t, p)
		unpack(t, archive, folder)
		for _, name := range []string{
			p.Bin, "LICENSE", "NOTICE", "CHANGELOG.md", "deploy/job.yaml", "deploy/rbac/operator.yaml",
			"completions/kdrain-tui.bash", "completions/_kdrain-tui", "completions/kdrain-tui.fish", "completions/kdrain-tui.ps1", "man/kdrain-tui-drain.1",
		} {
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				t.Errorf("%s: %v", archive, err)
			}
		}
		pages, err := filepath.Glob(filepath.Join(folder, "docs", "*.md"))
		if err != nil || len(pages) < 10 {
			t.Fatalf("%s has %d pages, %v", archive, len(pages), err)
		}
		for _, page := range append(pages, filepath.Join(folder, "README.md")) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, link := range pageLink.FindAllStringSubmatch(string(text), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
					t.Errorf("%s: %s links %s: %v", archive, filepath.Base(page), link[1], err)
				}
			}
		}
	}
}

// Every file that is published is in checksums.txt with its checksum, and the cask has
// those of its archives.
func TestReleaseChecksums(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		sums[fields[1]] = fields[0]
	}
	kinds := map[string]int{".tar.gz": 4, ".zip": 2, ".deb": 2, ".rpm": 2, ".cdx.json": 6}
	for suffix, count := range kinds {
		files, err := filepath.Glob(filepath.Join(dist, "*"+suffix))
		if err != nil || len(files) != count {
			t.Errorf("%d files %s instead of %d: %v", len(files), suffix, count, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			sum := sha256.Sum256(content)
			if want := sums[filepath.Base(file)]; err != nil || want != hex.EncodeToString(sum[:]) {
				t.Errorf("%s has %x, in checksums.txt it has %q: %v", file, sum, want, err)
			}
			if suffix == ".cdx.json" {
				bom := decode[struct {
					BomFormat  string
					Components []struct{ Name string }
				}](t, string(content))
				if bom.BomFormat != "CycloneDX" || !strings.Contains(string(content), `"name": "k8s.io/client-go"`) || len(bom.Components) < 30 {
					t.Errorf("%s is a %s with %d components", file, bom.BomFormat, len(bom.Components))
				}
			}
		}
	}
	cask, err := os.ReadFile(filepath.Join(dist, "homebrew", "Casks", "kdrain-tui.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for name, sum := range sums {
		if strings.HasSuffix(name, ".tar.gz") && !strings.Contains(string(cask), `sha256 "`+sum+`"`) {
			t.Errorf("the cask has not the checksum of %s", name)
		}
	}
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
