package control

import "golang.org/x/sys/unix"

// peerUser asks with LOCAL_PEERCRED (unix(4) of macOS).
func peerUser(fd int) (uint32, error) {
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return credentials.Uid, nil
}
