package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
)

const socketEnding = ".sock"

// path is where the socket of a run lies: beside its journal.
func path(dir, run string) string {
	return strings.TrimSuffix(journal.JournalPath(dir, run), ".jsonl") + socketEnding
}

// sunPath is the most that the address of a unix socket can hold, the ending
// zero included (unix(7): 108 on Linux, 104 on the BSDs).
var sunPath = len(syscall.RawSockaddrUnix{}.Path)

// reach calls use with a path to the socket that fits into an address. Where the
// real one is too long, it leads through the folder's own file descriptor, as far
// as the system has that (Linux).
func reach(path string, use func(short string) error) error {
	if len(path) < sunPath {
		return use(path)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	through := fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
	if _, err := os.Stat(through); err != nil {
		return fmt.Errorf("%s is %d bytes long, a socket's path can have %d: choose a shorter XDG_STATE_HOME", path,
			len(path), sunPath-1)
	}
	return use(filepath.Join(through, filepath.Base(path)))
}

// dialPatience is how long a server on the same machine may take to accept.
const dialPatience = 2 * time.Second

func dial(path string) (conn net.Conn, err error) {
	err = reach(path, func(short string) (err error) {
		conn, err = net.DialTimeout("unix", short, dialPatience)
		return err
	})
	return conn, err
}

// Sweep removes the sockets that dead runs have left. It reports nothing: what it
// cannot remove does no harm.
func Sweep(dir string) {
	runs, _ := journal.Names(dir, socketEnding)
	for _, run := range runs {
		if dead(journal.JournalPath(dir, run)) && dead(journal.RollPath(dir, run)) {
			_ = os.Remove(path(dir, run))
		}
	}
}

// dead reports whether no process holds the journal, or there is none.
func dead(path string) bool {
	live, err := journal.Live(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !live
}
