package httptool

import "syscall"

// What Windows reports in the place of ECONNREFUSED and ECONNRESET.
const (
	errConnRefused = syscall.Errno(10061)
	errConnReset   = syscall.WSAECONNRESET
)
