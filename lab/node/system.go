package node

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The files of system are those of the layer above Debian.
//
//go:embed all:system
var systemFiles embed.FS

// Debian is the version and what it has beyond its minimal system: debootstrap makes the lowest layer of it.
const (
	debianRelease  = "bookworm"
	debianMirror   = "http://deb.debian.org/debian"
	debianPackages = "systemd,systemd-sysv,iproute2,iptables,runc,containernetworking-plugins,busybox-static,procps,mount"
)

// Units of systemd that would change the host, or wait for what a machine does not have.
var masked = strings.Fields(`systemd-udevd.service systemd-udevd-kernel.socket systemd-udevd-control.socket
	systemd-udev-trigger.service systemd-sysctl.service systemd-modules-load.service systemd-binfmt.service
	proc-sys-fs-binfmt_misc.automount systemd-random-seed.service systemd-timesyncd.service systemd-networkd.service
	systemd-resolved.service systemd-logind.service getty.target console-getty.service systemd-remount-fs.service
	dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount
	sys-fs-fuse-connections.mount systemd-journald-audit.socket apt-daily.timer apt-daily-upgrade.timer
	dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer systemd-pcrphase.service
	systemd-pcrphase-sysinit.service systemd-boot-system-token.service modprobe@.service systemd-hwdb-update.service`)

// BuildDebian makes the lowest layer in dir, unless it is there.
func BuildDebian(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	aside := dir + ".new"
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove an unfinished file system: %w", err)
	}
	output, err := exec.CommandContext(ctx, "debootstrap", "--variant=minbase", "--include="+debianPackages,
		debianRelease, aside, debianMirror).CombinedOutput()
	if err != nil {
		return fmt.Errorf("install Debian with debootstrap: %w: %s", err, lastLines(output, 5))
	}
	if err := os.Rename(aside, dir); err != nil {
		return fmt.Errorf("put Debian in place: %w", err)
	}
	return nil
}

func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// BuildSystem makes the layer above Debian in dir, and replaces one that is there: programs, units, settings and the
// images of the pods. programs are the paths of those to install.
func BuildSystem(dir, debian string, programs []string) error {
	aside := dir + ".new"
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove an unfinished file system: %w", err)
	}
	if err := fs.WalkDir(systemFiles, "system", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(aside, strings.TrimPrefix(name, "system"))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := systemFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	}); err != nil {
		return fmt.Errorf("write the settings of a node: %w", err)
	}
	units := filepath.Join(aside, "etc/systemd/system")
	links := map[string]string{filepath.Join(units, "default.target"): "/lib/systemd/system/multi-user.target"}
	for _, unit := range masked {
		links[filepath.Join(units, unit)] = "/dev/null"
	}
	for _, unit := range []string{"containerd", "kubelet", "disk"} {
		unit += ".service"
		links[filepath.Join(units, "multi-user.target.wants", unit)] = "/etc/systemd/system/" + unit
	}
	for link, target := range links {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return fmt.Errorf("write the units of a node: %w", err)
		}
		if err := os.Symlink(target, link); err != nil {
			return fmt.Errorf("write the units of a node: %w", err)
		}
	}
	if err := install(filepath.Join(aside, "usr/local/bin"), programs); err != nil {
		return err
	}
	images, err := images(filepath.Join(debian, "bin/busybox"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(aside, "opt"), 0o755); err != nil {
		return fmt.Errorf("write the images: %w", err)
	}
	if err := os.WriteFile(filepath.Join(aside, "opt/images.tar"), images, 0o644); err != nil {
		return fmt.Errorf("write the images: %w", err)
	}
	if err := os.WriteFile(filepath.Join(aside, "etc/fstab"), nil, 0o644); err != nil {
		return fmt.Errorf("write the settings of a node: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the old file system: %w", err)
	}
	return os.Rename(aside, dir)
}

// install links programs: they are large, and lie on the same disk.
func install(dir string, programs []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("install programs: %w", err)
	}
	for _, program := range programs {
		if err := os.Link(program, filepath.Join(dir, filepath.Base(program))); err != nil {
			return fmt.Errorf("install programs: %w", err)
		}
	}
	return nil
}

// images are those of the pods, as docker saves them: busybox with all its names, and the one that holds the
// namespaces of a pod, which is the same with another entrypoint. No registry is asked.
func images(busybox string) ([]byte, error) {
	layer, err := busyboxLayer(busybox)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(layer)
	files := []tarFile{{name: "layer.tar", data: layer}}
	var manifest []map[string]any
	for image, entrypoint := range map[string][]string{
		"busybox": {"/bin/sh"},
		"pause":   {"/bin/sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 86400 & wait $!; done"},
	} {
		config, err := json.Marshal(map[string]any{
			"architecture": runtime.GOARCH, "os": "linux",
			"config":  map[string]any{"Env": []string{"PATH=/bin"}, "Entrypoint": entrypoint},
			"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
			"history": []any{map[string]string{"created_by": "lab"}},
		})
		if err != nil {
			return nil, fmt.Errorf("describe an image: %w", err)
		}
		files = append(files, tarFile{name: image + ".json", data: config})
		manifest = append(manifest, map[string]any{"Config": image + ".json", "Layers": []string{"layer.tar"},
			"RepoTags": []string{"lab.local/" + image + ":1"}})
	}
	list, err := json.Marshal(manifest)
	if err != nil {
		return nil, fmt.Errorf("list the images: %w", err)
	}
	return writeTar(append(files, tarFile{name: "manifest.json", data: list}))
}

func busyboxLayer(busybox string) ([]byte, error) {
	program, err := os.ReadFile(busybox)
	if err != nil {
		return nil, fmt.Errorf("read busybox: %w", err)
	}
	names, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("ask busybox for its names: %w", err)
	}
	files := []tarFile{{name: "bin/busybox", data: program}}
	for _, dir := range []string{"tmp/", "etc/", "proc/", "sys/", "dev/"} {
		files = append(files, tarFile{name: dir})
	}
	for _, name := range strings.Fields(string(names)) {
		if name != "busybox" {
			files = append(files, tarFile{name: "bin/" + name, link: "busybox"})
		}
	}
	return writeTar(files)
}

// tarFile is a file, a symbolic link, or a folder where its name ends in a slash.
type tarFile struct {
	name, link string
	data       []byte
}

func writeTar(files []tarFile) ([]byte, error) {
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Linkname: file.link, Size: int64(len(file.data)), Mode: 0o755,
			ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg}
		switch {
		case file.link != "":
			header.Typeflag = tar.TypeSymlink
		case strings.HasSuffix(file.name, "/"):
			header.Typeflag, header.Mode = tar.TypeDir, 0o1777
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("write an archive: %w", err)
		}
		if _, err := w.Write(file.data); err != nil {
			return nil, fmt.Errorf("write an archive: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write an archive: %w", err)
	}
	return buffer.Bytes(), nil
}

// SystemVersion changes with the files of the layer above Debian.
func SystemVersion() []byte {
	sum := sha256.New()
	sum.Write([]byte(debianPackages + strings.Join(masked, " ")))
	if err := fs.WalkDir(systemFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			data, _ := systemFiles.ReadFile(name)
			sum.Write(data)
		}
		return err
	}); err != nil {
		panic(err) // embedded: cannot be missing
	}
	return sum.Sum(nil)
}
