package conn

import "golang.org/x/sys/windows"

// What Windows Sockets call it when nothing listens at an address, and when the other
// end breaks a connection off; syscall.ECONNREFUSED is a number that Go made up there.
const errRefused, errReset = windows.WSAECONNREFUSED, windows.WSAECONNRESET
