package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	storagev1 "k8s.io/api/storage/v1"
)

// diskDriver is the CSI driver of real nodes (node/disk has its other part).
const diskDriver = "disk.lab.kdrain-tui.dev"

// disks are those of the driver: a folder for each, whose file `node` names the node that it is attached to. Data
// that a pod writes on one node is there on the next one.
type disks struct{ dir string }

func (d disks) file(handle string) string { return filepath.Join(d.dir, handle, "node") }

// attach fails while the disk is attached to another node.
func (d disks) attach(handle, node string) error {
	at, err := os.ReadFile(d.file(handle))
	switch {
	case err == nil && string(at) != node:
		return fmt.Errorf("attach disk %s to %s: it is attached to %s", handle, node, at)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look where disk %s is attached: %w", handle, err)
	}
	if err := os.MkdirAll(filepath.Dir(d.file(handle)), 0o755); err != nil {
		return fmt.Errorf("create disk %s: %w", handle, err)
	}
	return os.WriteFile(d.file(handle), []byte(node), 0o644)
}

// detach does nothing where the disk is attached to another node.
func (d disks) detach(handle, node string) error {
	at, err := os.ReadFile(d.file(handle))
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(at) != node {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look where disk %s is attached: %w", handle, err)
	}
	return os.Remove(d.file(handle))
}

// handleOf is the disk that an attachment is about, "" for one of a driver that is only simulated.
func (a *attacher) handleOf(va *storagev1.VolumeAttachment) string {
	if va.Spec.Attacher != diskDriver || va.Spec.Source.PersistentVolumeName == nil {
		return ""
	}
	volume, err := a.factory.Core().V1().PersistentVolumes().Lister().Get(*va.Spec.Source.PersistentVolumeName)
	if err != nil || volume.Spec.CSI == nil {
		return ""
	}
	return volume.Spec.CSI.VolumeHandle
}
