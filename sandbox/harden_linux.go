package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// harden gives up, for ever, what a select process does not need. The order
// matters: descriptors are listed through a file, limits must be set before the
// filter refuses to, and the filter comes last.
func harden() []measure {
	// Both prctls, until the filter takes all threads along, are of this thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endFirstInShortage()
	return []measure{
		measured(LayerDescriptors, closeInherited()),
		measured(LayerPrivileges, giveUpPrivileges()),
		measured(LayerLimits, setLimits(unix.RLIMIT_NOFILE)),
		limitData(),
		measured(LayerSystemCalls, filterSystemCalls()),
	}
}

// endFirstInShortage makes the process, rather than its parent, the one that the
// system ends when memory runs out. It may be refused.
func endFirstInShortage() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// closeInherited closes every descriptor but the standard ones, the pipes, and
// those of the runtime's poller. What the process got from its parent is not
// marked close-on-exec, or it would not be here; what the runtime opened is.
func closeInherited() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return errors.New("the descriptors cannot be listed: /proc is not mounted")
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= repliesFd || isPoller(fd) {
			continue
		}
		// The one that listed the directory is closed already.
		if err := unix.Close(fd); err != nil && !errors.Is(err, unix.EBADF) {
			return err
		}
	}
	return nil
}

func isPoller(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return false
	}
	target, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	return err == nil && (target == "anon_inode:[eventpoll]" || target == "anon_inode:[eventfd]")
}

func giveUpPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

func limitData() measure {
	if raceEnabled {
		return measure{Layer: LayerDataLimit, Problem: "the race detector needs more", Optional: true}
	}
	return measured(LayerDataLimit, limitTo(unix.RLIMIT_DATA, maxData))
}
