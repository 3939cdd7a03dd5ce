package control

import "golang.org/x/sys/unix"

// peerUser asks with SO_PEERCRED (unix(7)).
func peerUser(fd int) (uint32, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return credentials.Uid, nil
}
