package sandbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// maxInherited is beyond the descriptors that a program has when it starts.
const maxInherited = 1024

// harden checks that the process runs under the profile that its parent asked
// for, and lowers its limits. Not tested on macOS.
func harden() []measure {
	return []measure{
		measured(LayerDescriptors, closeInherited()),
		measured(LayerLimits, setLimits()),
		measured(LayerSystemCalls, checkProfile()),
	}
}

// closeInherited closes the descriptors that the program got from its own parent.
// They are not marked close-on-exec, or they would not be here; what the runtime
// opened is.
func closeInherited() error {
	for fd := uintptr(repliesFd + 1); fd < maxInherited; fd++ {
		flags, err := unix.FcntlInt(fd, unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if err := unix.Close(int(fd)); err != nil {
			return err
		}
	}
	return nil
}

// checkProfile tries what the profile forbids and every user may do.
func checkProfile() error {
	f, err := os.Open("/etc/hosts")
	if err == nil {
		_ = f.Close()
		return errors.New("the sandbox-exec profile is not in force")
	}
	return nil
}
