package node

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// InNewNetwork is how a process starts that ServeNetwork is called in: in a session and a network namespace of its own.
func InNewNetwork() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_NEWNET}
}

// asMachine is how the first process of a machine starts; it makes its cgroup namespace itself.
func asMachine() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true,
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWPID}
}

// enter puts the present thread into a network namespace.
func enter(namespace *os.File) error { return unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET) }
