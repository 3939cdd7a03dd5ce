package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var commitTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// released writes a dist folder as goreleaser does, with the text as every program.
func released(t *testing.T, program string) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	var rows []string
	for _, platform := range []string{"linux amd64", "linux arm64", "windows amd64"} {
		system, architecture, _ := strings.Cut(platform, " ")
		folder := "kdrain-tui_" + system + "_" + architecture
		if err := errors.Join(os.MkdirAll(filepath.Join(dist, folder), 0o755),
			os.WriteFile(filepath.Join(dist, folder, "kdrain-tui"), []byte(program+architecture), 0o755)); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf(`{"name":"kdrain-tui","path":"dist/%s/kdrain-tui","goos":%q,"goarch":%q,"type":"Binary"}`,
			folder, system, architecture))
	}
	rows = append(rows, `{"name":"checksums.txt","path":"dist/checksums.txt","type":"Checksum"}`)
	if err := errors.Join(
		os.WriteFile(filepath.Join(dist, "artifacts.json"), []byte("["+strings.Join(rows, ",")+"]"), 0o644),
		os.WriteFile(filepath.Join(dist, "metadata.json"), []byte(`{"version":"1.2.3","commit":"c0ffee"}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dist
}

func written(t *testing.T, dist string) v1.ImageIndex {
	t.Helper()
	target := filepath.Join(dist, "image")
	if err := write(dist, target, commitTime); err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(target)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	return index
}

// rootOf lists the files of an image, with the contents of those that are regular.
func rootOf(t *testing.T, image v1.Image) (map[string]*tar.Header, map[string]string) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	packed, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	headers, contents := map[string]*tar.Header{}, map[string]string{}
	whole, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(whole, make([]byte, 1024)) {
		t.Error("the layer has not the two empty blocks that end a tar")
	}
	for reader := tar.NewReader(bytes.NewReader(whole)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		headers[header.Name], contents[header.Name] = header, string(content)
	}
}

func TestTheImageHasTheProgramAndNothingElse(t *testing.T) {
	index := written(t, released(t, "program for "))
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 2 {
		t.Fatalf("platforms: %+v, %v", manifest, err)
	}
	for _, described := range manifest.Manifests {
		architecture := described.Platform.Architecture
		image, err := index.Image(described.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		started := config.Config
		if config.OS != "linux" || config.Architecture != architecture || started.User != "65532:65532" ||
			!slices.Equal(started.Entrypoint, []string{"/usr/bin/kdrain-tui"}) || len(started.Cmd) > 0 {
			t.Errorf("%s is started as %+v", architecture, config)
		}
		if !config.Created.Equal(commitTime) || started.Labels["org.opencontainers.image.version"] != "v1.2.3" {
			t.Errorf("made at %s, with %v", config.Created, started.Labels)
		}
		headers, contents := rootOf(t, image)
		want := []string{"etc/", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt", "home/",
			"home/nonroot/", "usr/", "usr/bin/", "usr/bin/kdrain-tui"}
		if have := slices.Sorted(maps.Keys(headers)); !slices.Equal(have, want) {
			t.Errorf("the image has %q", have)
		}
		if program := contents["usr/bin/kdrain-tui"]; program != "program for "+architecture {
			t.Errorf("the program of %s is %q", architecture, program)
		}
		if roots := strings.Count(contents["etc/ssl/certs/ca-certificates.crt"], "BEGIN CERTIFICATE"); roots < 50 {
			t.Errorf("%d public authorities", roots)
		}
		if h := headers["home/nonroot/"]; h.Uid != 65532 || h.Mode != 0o700 {
			t.Errorf("the home has owner %d and mode %o", h.Uid, h.Mode)
		}
	}
}

func TestTheSameProgramsAreTheSameImage(t *testing.T) {
	digest := func(program string) v1.Hash {
		hash, err := written(t, released(t, program)).Digest()
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	if first, second := digest("one"), digest("one"); first != second {
		t.Errorf("%s, then %s", first, second)
	}
	if digest("one") == digest("two") {
		t.Error("other programs have the same digest")
	}
}

func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New())
	defer server.Close()
	dist := released(t, "program")
	index := written(t, dist)
	reference := strings.TrimPrefix(server.URL, "http://") + "/some/kdrain-tui:v1.2.3"
	if err := push(filepath.Join(dist, "image"), reference); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		t.Fatal(err)
	}
	there, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := index.Digest()
	if have, err := there.Digest(); err != nil || have != want {
		t.Errorf("the registry has %s, not %s: %v", have, want, err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	dist := released(t, "program")
	if err := write(dist, filepath.Join(dist, "image"), time.Unix(0, 0)); err == nil {
		t.Error("an image without a time was written")
	}
	if err := write(t.TempDir(), filepath.Join(dist, "image"), commitTime); err == nil {
		t.Error("an image of nothing was written")
	}
	if err := push(filepath.Join(dist, "image"), "example.test/kdrain-tui"); err == nil {
		t.Error("an image was pushed without a tag")
	}
}
