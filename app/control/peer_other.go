//go:build !linux

package control

import "net"

// peer cannot be told here; the mode of the socket and of its folder decide.
func peer(*net.UnixConn) (uid int, known bool) { return 0, false }
