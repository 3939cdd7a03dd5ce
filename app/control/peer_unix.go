//go:build linux || darwin

package control

import "net"

// peer is the user at the other end, as the kernel knows it; false where it cannot be
// told.
func peer(conn *net.UnixConn) (uid int, known bool) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, false
	}
	var user uint32
	var userErr error
	err = raw.Control(func(fd uintptr) { user, userErr = peerUser(int(fd)) })
	if err != nil || userErr != nil {
		return 0, false
	}
	return int(user), true
}
