//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// removeLocked deletes a file that this process has locked, and closes it: nobody can lock
// it before it is gone.
func removeLocked(file *os.File) error {
	return errors.Join(os.Remove(file.Name()), file.Close())
}

// syncFolder makes the names of new files survive a power cut, as far as the file system
// of the folder can do that.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
