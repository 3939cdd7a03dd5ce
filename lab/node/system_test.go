package node

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// The layer above Debian has the units, the programs and images that containerd can import.
func TestTheLayerAboveDebian(t *testing.T) {
	debian, dir := t.TempDir(), filepath.Join(t.TempDir(), "system")
	busybox := filepath.Join(debian, "bin", "busybox")
	if err := os.MkdirAll(filepath.Dir(busybox), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(busybox, []byte("#!/bin/sh\necho busybox sh ls\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one replaces the first
		if err := BuildSystem(dir, debian, []string{busybox}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"usr/local/bin/busybox", "etc/containerd/config.toml", "etc/kubernetes/kubelet.yaml",
		"etc/systemd/system/kubelet.service"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if to, err := os.Readlink(filepath.Join(dir, "etc/systemd/system/systemd-udevd.service")); to != "/dev/null" {
		t.Errorf("udev would run: %q, %v", to, err)
	}
	images, err := os.ReadFile(filepath.Join(dir, "opt/images.tar"))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, images)
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 2 {
		t.Fatalf("%v: %s", err, files["manifest.json"])
	}
	for _, image := range manifest {
		if files[image.Config] == nil || len(image.Layers) != 1 || files[image.Layers[0]] == nil {
			t.Errorf("%v lacks its files", image)
		}
	}
	if layer := untar(t, files["layer.tar"]); layer["bin/ls"] == nil || layer["bin/busybox"] == nil {
		t.Errorf("the layer has %d files", len(layer))
	}
}

func untar(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = append([]byte{}, data...)
	}
}
