package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignCalls is where the numbers of the x32 interface begin, which reach the
	// same calls by other numbers.
	foreignCalls = 0x40000000
)
