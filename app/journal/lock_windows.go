package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is far behind the end of any journal. LockFileEx keeps others from
// reading what is locked, and a live journal is read by report and replay.
const lockedByte = 1 << 30 // of the upper half of the offset

// tryLock locks the file for this process alone or for all that only look, and does
// not wait; false where another process is in the way.
func tryLock(file *os.File, alone bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedByte})
}
