//go:build !windows

package conn

import "syscall"

// What the system calls it when nothing listens at an address, and when the other end
// breaks a connection off.
const errRefused, errReset = syscall.ECONNREFUSED, syscall.ECONNRESET
