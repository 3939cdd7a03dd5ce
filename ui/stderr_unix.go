//go:build unix

package ui

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// captureStderr sends what anybody writes to file descriptor 2 (client
// libraries, credential plugins, the runtime) into a file while the frame is on
// the screen: a single line would stay glued into it. release puts the
// descriptor back and returns what was written. The file keeps its name until
// then, so that the words of a runtime that died are not lost.
func captureStderr(dir string) (release func() string) {
	nothing := func() string { return "" }
	file, err := os.CreateTemp(dir, "kdrain-tui-stderr-*.txt")
	if err != nil {
		return nothing
	}
	discard := func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	saved, err := unix.Dup(2)
	if err != nil {
		discard()
		return nothing
	}
	unix.CloseOnExec(saved)
	if err := redirect(int(file.Fd())); err != nil {
		_ = unix.Close(saved)
		discard()
		return nothing
	}
	return func() string {
		_ = redirect(saved)
		_ = unix.Close(saved)
		defer discard()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return ""
		}
		text, _ := io.ReadAll(io.LimitReader(file, 1<<20))
		return string(text)
	}
}

// redirect makes descriptor 2 another one's twin. The system may be busy with
// either for a moment (dup2(2): EBUSY, EINTR).
func redirect(to int) error {
	for {
		err := unix.Dup2(to, 2)
		if err != unix.EBUSY && err != unix.EINTR {
			return err
		}
	}
}
