package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// otherVersions are those of Kubernetes that a lab can run beside the one of go.mod, by minor version: the newest patch
// that the module proxy has of each.
var otherVersions = map[string]string{"1.34": "v1.34.4", "1.35": "v1.35.4", "1.37": "v1.37.2"}

const kubernetesModule = "k8s.io/kubernetes"

// controlPlaneOf is the control plane of a minor version of Kubernetes, "" for the one in go.mod. The programs of
// another version are built in a module of their own, below the folder of the programs.
func controlPlaneOf(minor string) (*programs, error) {
	if minor == "" {
		return &controlPlane, nil
	}
	version, known := otherVersions[minor]
	if !known {
		return nil, usageError{fmt.Sprintf("no Kubernetes %q: one of %s", minor,
			strings.Join(slices.Sorted(maps.Keys(otherVersions)), ", "))}
	}
	p := controlPlane
	p.title, p.folder, p.kubernetes = "the control plane of Kubernetes "+minor, minor, version
	p.all = slices.Clone(controlPlane.all)
	for i := range p.all {
		if strings.HasPrefix(p.all[i].pkg, kubernetesModule+"/") {
			p.all[i].module = p.module()
		}
	}
	return &p, nil
}

// module is the folder, below ours, of the module that has Kubernetes.
func (p *programs) module() string {
	if p.kubernetes == "" {
		return ""
	}
	return filepath.Join("bin", p.folder, "module")
}

// makeModule makes the module of another version of Kubernetes unless it is there. The checksum database vouches for
// what it needs; minimal version selection makes it the same everywhere.
func (p *programs) makeModule(ctx context.Context, source string) error {
	if p.kubernetes == "" {
		return nil
	}
	dir := filepath.Join(source, p.module())
	if _, err := os.Stat(filepath.Join(dir, "go.sum")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("create the folder of Kubernetes %s: %w", p.kubernetes, err)
	}
	aside, err := os.MkdirTemp(filepath.Dir(dir), ".module-")
	if err != nil {
		return fmt.Errorf("create the folder of Kubernetes %s: %w", p.kubernetes, err)
	}
	defer os.RemoveAll(aside)
	text, err := p.moduleFile(ctx, source)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(aside, "go.mod"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the module of Kubernetes %s: %w", p.kubernetes, err)
	}
	get := []string{"get", "-tool"}
	for _, one := range p.all {
		if one.module != "" {
			get = append(get, one.pkg+"@"+p.kubernetes)
		}
	}
	if _, err := goOutput(ctx, aside, get...); err != nil {
		return err
	}
	if err := os.Rename(aside, dir); err != nil && !errors.Is(err, fs.ErrExist) { // another lab was faster
		return fmt.Errorf("put the module of Kubernetes %s in place: %w", p.kubernetes, err)
	}
	return nil
}

// moduleFile is the go.mod of a version of Kubernetes. Its own names its staging modules as v0.0.0 and replaces them by
// folders, which are not in the module.
func (p *programs) moduleFile(ctx context.Context, source string) (string, error) {
	var download struct{ GoMod string }
	of := kubernetesModule + "@" + p.kubernetes
	if err := goJSON(ctx, source, &download, "mod", "download", "-json", of); err != nil {
		return "", err
	}
	var own struct {
		Go      string
		Replace []struct {
			Old struct{ Path string }
			New struct{ Path string }
		}
	}
	if err := goJSON(ctx, source, &own, "mod", "edit", "-json", download.GoMod); err != nil {
		return "", err
	}
	text := fmt.Sprintf("module %s/kubernetes\n\ngo %s\n\nrequire %s %s\n\nreplace (\n", modulePath, own.Go,
		kubernetesModule, p.kubernetes)
	for _, r := range own.Replace {
		if strings.HasPrefix(r.New.Path, "./staging/") {
			text += fmt.Sprintf("\t%s => %s v0%s\n", r.Old.Path, r.Old.Path, strings.TrimPrefix(p.kubernetes, "v1"))
		}
	}
	return text + ")\n", nil
}

// goJSON reads what a go command prints as JSON.
func goJSON(ctx context.Context, dir string, into any, args ...string) error {
	data, err := goOutput(ctx, dir, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read what go %s says: %w", args[0], err)
	}
	return nil
}
