//go:build linux || darwin

package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// maxCPUSeconds is the last bound of time: the parent replaces a process, and the
// watchdog ends it, long before.
const maxCPUSeconds = uint64(maxProcs * (maxBusy + maxCall) / time.Second)

// setLimits forbids a process core files and writing files, bounds its processor
// time, and takes the resources none.
//
// RLIMIT_NPROC is not among them: it counts the threads of a user, so that zero
// leaves an ordinary user without any. RLIMIT_AS would count what the runtime
// reserves and does not use.
func setLimits(none ...int) error {
	for _, resource := range append(none, unix.RLIMIT_CORE, unix.RLIMIT_FSIZE) {
		if err := limitTo(resource, 0); err != nil {
			return err
		}
	}
	return limitTo(unix.RLIMIT_CPU, maxCPUSeconds)
}

// limitTo lowers a limit, soft and hard, unless it is lower already.
func limitTo(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}
