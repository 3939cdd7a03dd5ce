package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// system is which boot of the host and which PID namespace this process is in.
func system() (boot, space string) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", ""
	}
	space, err = os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", ""
	}
	return strings.TrimSpace(string(id)), space
}

// members are the processes of a group, by proc_pid_stat(5).
func members(group int) (all []process.Member, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has just ended
		}
		// The name of the program may hold anything; behind its last bracket stand the fields from the third on.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 20 || string(fields[2]) != strconv.Itoa(group) {
			continue
		}
		state := string(fields[0])
		all = append(all, process.Member{ID: id, Began: string(fields[19]), Ended: state == "Z" || state == "X"})
	}
	return all, nil
}
