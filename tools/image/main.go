// Image writes the container image of a release as an OCI layout, from the programs that
// goreleaser has built. It needs no container engine, and the same programs give the same
// image: every file has the time of the commit.
//
//	image -dist dist -layout dist/image -date "$(git log -1 --format=%ct)"
//	image -layout dist/image -push ghcr.io/OWNER/NAME:TAG
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// repository is where the source is, for whoever finds the image.
const repository = "https://github.com/kdrain-tui/kdrain-tui"

// build is what goreleaser says of a release (dist/metadata.json) and what it was made of.
type build struct {
	Version string    `json:"version"`
	Commit  string    `json:"commit"`
	Made    time.Time `json:"-"` // of the commit
	Folder  string    `json:"-"` // dist
}

// artifact is a file of dist/artifacts.json, as far as it is read.
type artifact struct {
	Path         string
	Type         string
	Goos, Goarch string
}

func main() {
	folder := flag.String("dist", "dist", "the folder that goreleaser has written")
	target := flag.String("layout", "dist/image", "the folder of the OCI layout")
	made := flag.Int64("date", 0, "the time of the commit, in seconds since 1970")
	reference := flag.String("push", "", "push the layout that is there to this REPOSITORY:TAG, instead of writing it")
	flag.Parse()
	var err error
	if *reference != "" {
		err = push(*target, *reference)
	} else {
		err = write(*folder, *target, time.Unix(*made, 0).UTC())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(folder, target string, made time.Time) error {
	if made.Unix() <= 0 {
		return errors.New("-date is needed: the time of the commit")
	}
	b := build{Made: made, Folder: folder}
	var artifacts []artifact
	if err := errors.Join(readJSON(filepath.Join(folder, "metadata.json"), &b),
		readJSON(filepath.Join(folder, "artifacts.json"), &artifacts)); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	platforms := 0
	for _, a := range artifacts {
		if a.Type != "Binary" || a.Goos != "linux" {
			continue
		}
		image, err := b.image(a)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: a.Goos, Architecture: a.Goarch}},
		})
		platforms++
	}
	if platforms == 0 {
		return fmt.Errorf("%s has no program for Linux", folder)
	}
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if _, err := layout.Write(target, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("image of %d platforms in %s: %s\n", platforms, target, digest)
	return nil
}

func readJSON(path string, to any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// image is the image of one platform: one layer, and how it is started.
func (b build) image(a artifact) (v1.Image, error) {
	// Paths in artifacts.json begin with the folder's own name.
	program := filepath.Join(b.Folder, "..", a.Path)
	layer, err := rootLayer(program, b.Made)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: b.Made}, CreatedBy: "make release", Comment: b.Commit},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, b.started(a, *config))
}

// started says how the program is started: as a user without rights, with nothing but a home.
func (b build) started(a artifact, config v1.ConfigFile) *v1.ConfigFile {
	config.OS, config.Architecture, config.Created = a.Goos, a.Goarch, v1.Time{Time: b.Made}
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", user, user), WorkingDir: "/", Entrypoint: []string{programPath},
		Env: []string{"HOME=" + home, "PATH=/usr/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.source":   repository,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.version":  "v" + b.Version,
			"org.opencontainers.image.revision": b.Commit,
		},
	}
	return &config
}
