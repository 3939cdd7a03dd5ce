package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// modulePath tells our source folder from any other.
const modulePath = "github.com/kdrain-tui/kdrain-tui/lab"

// program is one binary: the file name that `go build` gives it, its package, and the folder of the module (below
// ours) that has it as a tool.
type program struct{ file, pkg, module string }

// programs are built together, and again when their stamp changes.
type programs struct {
	title string
	stamp string   // the file of the stamp
	built []string // the files that the stamp comes from
	all   []program
	// kubernetes is a version other than the one in go.mod, folder is where its programs are; "" for the one in go.mod.
	kubernetes, folder string
}

// The order is that of the build: small ones first, so that the first lines of
// progress come soon, and what they compile serves the large ones.
var controlPlane = programs{
	title: "the control plane", stamp: ".stamp",
	built: []string{"go.mod", "go.sum"},
	all: []program{
		{"server", "go.etcd.io/etcd/server/v3", ""},
		{"kubectl", "k8s.io/kubernetes/cmd/kubectl", ""},
		{"kwok", "sigs.k8s.io/kwok/cmd/kwok", ""},
		{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler", ""},
		{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", ""},
		{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", ""},
	},
}

// nodePrograms are what real nodes need besides. containerd and Kubernetes want other versions of the same modules.
var nodePrograms = programs{
	title: "the programs of real nodes", stamp: ".stamp-nodes",
	built: []string{"go.mod", "go.sum", "runtime/go.mod", "runtime/go.sum", "node/disk/main.go"},
	all: []program{
		{"disk", modulePath + "/node/disk", ""},
		{"ctr", "github.com/containerd/containerd/v2/cmd/ctr", "runtime"},
		{"containerd-shim-runc-v2", "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2", "runtime"},
		{"containerd", "github.com/containerd/containerd/v2/cmd/containerd", "runtime"},
		{"crictl", "sigs.k8s.io/cri-tools/cmd/crictl", "runtime"},
		{"kubelet", "k8s.io/kubernetes/cmd/kubelet", ""},
	},
}

// findSource returns the folder of this module: around the executable (bin/lab
// below it), or at or above the working directory, or its folder `lab`.
func findSource() (string, error) {
	var starts []string
	if exe, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(exe))
	}
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	for _, start := range starts {
		for dir := start; ; dir = filepath.Dir(dir) {
			for _, candidate := range []string{dir, filepath.Join(dir, "lab")} {
				if isSource(candidate) {
					return candidate, nil
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", errors.New("find the source of the lab: no go.mod of " + modulePath +
		" at or above the working directory; call it from the checkout")
}

func isSource(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && bytes.HasPrefix(mod, []byte("module "+modulePath+"\n"))
}

// ensure returns the folder of the binaries. It builds them unless they
// are there and were built from the same files; of several callers at once one
// builds and the others wait for it.
func (p *programs) ensure(ctx context.Context, log io.Writer) (string, error) {
	source, err := findSource()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(source, "bin", p.folder)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", fmt.Errorf("create the folder of the binaries: %w", err)
	}
	if err := p.makeModule(ctx, source); err != nil {
		return "", err
	}
	ldflags, err := versionFlags(ctx, filepath.Join(source, p.module()))
	if err != nil {
		return "", err
	}
	stamp, err := p.newStamp(ctx, source, ldflags)
	if err != nil {
		return "", err
	}
	if p.ready(bin, stamp) {
		return bin, nil
	}
	release, err := lockFile(ctx, filepath.Join(bin, ".lock"), func() {
		fmt.Fprintln(log, "lab: waiting for another build of "+p.title)
	})
	if err != nil {
		return "", err
	}
	defer release()
	if p.ready(bin, stamp) {
		return bin, nil
	}
	if err := p.build(ctx, source, bin, ldflags, log); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(bin, p.stamp), []byte(stamp), 0o644); err != nil {
		return "", fmt.Errorf("note what was built: %w", err)
	}
	return bin, nil
}

func (p *programs) ready(bin, stamp string) bool {
	if have, err := os.ReadFile(filepath.Join(bin, p.stamp)); err != nil || string(have) != stamp {
		return false
	}
	for _, one := range p.all {
		if _, err := os.Stat(filepath.Join(bin, one.file)); err != nil {
			return false
		}
	}
	return true
}

// newStamp changes whenever the binaries have to be built again.
func (p *programs) newStamp(ctx context.Context, source, ldflags string) (string, error) {
	sum := sha256.New()
	for _, name := range p.built {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return "", fmt.Errorf("read %s of the lab: %w", name, err)
		}
		sum.Write(data)
	}
	version, err := goOutput(ctx, source, "env", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return "", err
	}
	sum.Write(version)
	sum.Write([]byte(ldflags))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// build builds into a folder aside and moves each binary into place, because
// another lab may be running the old one.
func (p *programs) build(ctx context.Context, source, bin, ldflags string, log io.Writer) error {
	began := time.Now()
	aside := filepath.Join(bin, ".new")
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return fmt.Errorf("create a folder for the build: %w", err)
	}
	defer os.RemoveAll(aside)
	fmt.Fprintf(log, "lab: building %s from source, a few minutes the first time\n", p.title)
	for i, one := range p.all {
		name := one.file
		if name == "server" {
			name = "etcd"
		}
		step := fmt.Sprintf("lab: building %s (%d of %d)", name, i+1, len(p.all))
		if err := one.build(ctx, source, aside, ldflags, step, log); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(aside, one.file), filepath.Join(bin, one.file)); err != nil {
			return fmt.Errorf("put the new %s in place: %w", one.file, err)
		}
	}
	fmt.Fprintf(log, "lab: built in %s\n", time.Since(began).Round(time.Second))
	return nil
}

func (p program) build(ctx context.Context, source, aside, ldflags, step string, log io.Writer) error {
	// Only containerd has these tags: they leave out file systems that need a C library.
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "no_btrfs,no_zfs,no_devmapper", "-o",
		aside+string(filepath.Separator), "-ldflags", ldflags, p.pkg)
	cmd.Dir = filepath.Join(source, p.module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // nodes have another C library
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	began := time.Now()
	fmt.Fprintln(log, step)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run go build: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("build %s: %w\n%s", p.pkg, err, output.String())
			}
			return nil
		case <-tick.C:
			fmt.Fprintf(log, "%s ... %s\n", step, time.Since(began).Round(time.Second))
		}
	}
}

// versionFlags stamps the version of Kubernetes into its programs; unstamped
// ones report a version that kubectl cannot parse. kwok and etcd ignore it.
func versionFlags(ctx context.Context, dir string) (string, error) {
	var module struct {
		Version string
		Time    time.Time
	}
	if err := goJSON(ctx, dir, &module, "list", "-m", "-json", kubernetesModule); err != nil {
		return "", err
	}
	numbers := strings.SplitN(strings.TrimPrefix(module.Version, "v"), ".", 3)
	if len(numbers) != 3 {
		return "", fmt.Errorf("k8s.io/kubernetes has the version %q, not vMAJOR.MINOR.PATCH", module.Version)
	}
	flags := []string{"-s", "-w"}
	for _, set := range [][2]string{
		{"gitVersion", module.Version}, {"gitMajor", numbers[0]}, {"gitMinor", numbers[1]},
		// A module carries no commit; its version names the sources as well.
		{"gitCommit", "module-" + module.Version}, {"gitTreeState", "archive"},
		{"buildDate", module.Time.UTC().Format(time.RFC3339)},
	} {
		// The second one is what a program calls itself when it asks the API server.
		for _, pkg := range []string{"k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."} {
			flags = append(flags, "-X", pkg+set[0]+"="+set[1])
		}
	}
	return strings.Join(flags, " "), nil
}

func goOutput(ctx context.Context, source string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = source
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run go %s: %w: %s", args[0], err, bytes.TrimSpace(complaint.Bytes()))
	}
	return output, nil
}
