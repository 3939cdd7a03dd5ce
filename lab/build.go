package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// modulePath tells our source folder from any other.
const modulePath = "github.com/kdrain-tui/kdrain-tui/lab"

// program is one binary of the control plane: the file name that `go build`
// gives it and its package, one of the tools of go.mod.
type program struct{ file, pkg string }

// The order is that of the build: small ones first, so that the first lines of
// progress come soon, and what they compile serves the large ones.
var programs = []program{
	{"server", "go.etcd.io/etcd/server/v3"},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
	{"kwok", "sigs.k8s.io/kwok/cmd/kwok"},
	{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
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

// ensureBinaries returns the folder of the binaries. It builds them unless they
// are there and were built from the same go.mod; of several callers at once one
// builds and the others wait for it.
func ensureBinaries(ctx context.Context, log io.Writer) (string, error) {
	source, err := findSource()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(source, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", fmt.Errorf("create the folder of the binaries: %w", err)
	}
	ldflags, err := versionFlags(ctx, source)
	if err != nil {
		return "", err
	}
	stamp, err := buildStamp(ctx, source, ldflags)
	if err != nil {
		return "", err
	}
	if built(bin, stamp) {
		return bin, nil
	}
	release, err := lockFile(ctx, filepath.Join(bin, ".lock"), func() {
		fmt.Fprintln(log, "lab: waiting for another build of the control plane")
	})
	if err != nil {
		return "", err
	}
	defer release()
	if built(bin, stamp) {
		return bin, nil
	}
	if err := buildAll(ctx, source, bin, ldflags, log); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(bin, ".stamp"), []byte(stamp), 0o644); err != nil {
		return "", fmt.Errorf("note what was built: %w", err)
	}
	return bin, nil
}

func built(bin, stamp string) bool {
	if have, err := os.ReadFile(filepath.Join(bin, ".stamp")); err != nil || string(have) != stamp {
		return false
	}
	for _, p := range programs {
		if _, err := os.Stat(filepath.Join(bin, p.file)); err != nil {
			return false
		}
	}
	return true
}

// buildStamp changes whenever the binaries have to be built again.
func buildStamp(ctx context.Context, source, ldflags string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
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

// buildAll builds into a folder aside and moves each binary into place, because
// another lab may be running the old one.
func buildAll(ctx context.Context, source, bin, ldflags string, log io.Writer) error {
	began := time.Now()
	aside := filepath.Join(bin, ".new")
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return fmt.Errorf("create a folder for the build: %w", err)
	}
	defer os.RemoveAll(aside)
	fmt.Fprintln(log, "lab: building the control plane from source, a few minutes the first time")
	for i, p := range programs {
		step := fmt.Sprintf("lab: building %s (%d of %d)", path.Base(strings.TrimSuffix(p.pkg, "/v3")), i+1,
			len(programs))
		if p.file == "server" {
			step = fmt.Sprintf("lab: building etcd (%d of %d)", i+1, len(programs))
		}
		if err := buildOne(ctx, source, aside, p, ldflags, step, log); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(aside, p.file), filepath.Join(bin, p.file)); err != nil {
			return fmt.Errorf("put the new %s in place: %w", p.file, err)
		}
	}
	fmt.Fprintf(log, "lab: built in %s\n", time.Since(began).Round(time.Second))
	return nil
}

func buildOne(ctx context.Context, source, aside string, p program, ldflags, step string, log io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", aside+string(filepath.Separator), "-ldflags", ldflags, p.pkg)
	cmd.Dir = source
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
func versionFlags(ctx context.Context, source string) (string, error) {
	data, err := goOutput(ctx, source, "list", "-m", "-json", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	var module struct {
		Version string
		Time    time.Time
	}
	if err := json.Unmarshal(data, &module); err != nil {
		return "", fmt.Errorf("read what go list says of k8s.io/kubernetes: %w", err)
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
