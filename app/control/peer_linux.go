package control

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer is the user at the other end, as the kernel knows it (unix(7),
// SO_PEERCRED); false where it cannot be told.
func peer(conn *net.UnixConn) (uid int, known bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	var credentials *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		credentials, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil || credErr != nil {
		return 0, false
	}
	return int(credentials.Uid), true
}
