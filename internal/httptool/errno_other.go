//go:build !windows

package httptool

import "syscall"

const (
	errConnRefused = syscall.ECONNREFUSED
	errConnReset   = syscall.ECONNRESET
)
