package sandbox

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemAttacks try what the system must refuse. They return the error.
func systemAttacks() map[string]attack {
	all := map[string]attack{
		"attack:forks":       forkMany,
		"attack:descriptors": openDescriptors,
		"attack:forge":       forge,
		"attack:all threads": openFromAllThreads,
	}
	for name, try := range denied() {
		all["attack:"+name] = func(argument string) string { return fmt.Sprint(try(argument)) }
	}
	return all
}

// denied is what a select process must not be able to do. The argument of each is
// what [targets] has for it.
func denied() map[string]func(argument string) error {
	return map[string]func(string) error{
		"tcp":             func(a string) error { return dial("tcp", a) },
		"udp":             func(a string) error { return dial("udp", a) },
		"unix":            func(a string) error { return dial("unix", a) },
		"listen":          func(a string) error { _, err := net.Listen("tcp", a); return err },
		"socketpair":      func(string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
		"raw socket":      func(string) error { _, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); return err },
		"open":            func(a string) error { _, err := os.Open(a); return err },
		"environ file":    func(string) error { _, err := os.ReadFile("/proc/self/environ"); return err },
		"create":          func(a string) error { _, err := os.Create(a); return err },
		"stat":            func(a string) error { _, err := os.Stat(a); return err },
		"remove":          os.Remove,
		"mkdir":           func(a string) error { return os.Mkdir(a, 0o700) },
		"rename":          func(a string) error { return os.Rename(a, a+".new") },
		"link":            func(a string) error { return os.Link(a, a+".link") },
		"chmod":           func(a string) error { return os.Chmod(a, 0o777) },
		"list":            func(a string) error { _, err := os.ReadDir(a); return err },
		"chdir":           os.Chdir,
		"run":             func(a string) error { return exec.Command(a).Run() },
		"execve":          func(a string) error { return syscall.Exec(a, []string{a}, nil) },
		"fork":            func(string) error { return fork() },
		"clone3":          func(string) error { return clone3() },
		"namespace":       func(string) error { return cloneThreadInto(unix.CLONE_NEWNET) },
		"unshare":         func(string) error { return unix.Unshare(unix.CLONE_NEWNS) },
		"signal":          func(a string) error { return unix.Kill(number(a), unix.SIGKILL) },
		"thread signal":   func(a string) error { return unix.Tgkill(number(a), number(a), unix.SIGKILL) },
		"signal parent":   func(string) error { return errnoOf(unix.SYS_KILL, 1, 0, 0) },
		"ptrace":          func(a string) error { return unix.PtraceAttach(number(a)) },
		"pidfd":           func(a string) error { _, err := unix.PidfdOpen(number(a), 0); return err },
		"read memory":     func(a string) error { return readMemory(number(a)) },
		"limits":          func(string) error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}) },
		"setuid":          func(string) error { return errnoOf(unix.SYS_SETUID, 1, 0, 0) },
		"setgid":          func(string) error { return errnoOf(unix.SYS_SETGID, 1, 0, 0) },
		"capabilities":    func(string) error { return errnoOf(unix.SYS_CAPSET, 0, 0, 0) },
		"dumpable":        func(string) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
		"executable map":  func(string) error { return mapExecutable() },
		"make executable": func(string) error { return makeExecutable() },
		"memory file":     func(string) error { _, err := unix.MemfdCreate("x", 0); return err },
		"duplicate":       func(string) error { _, err := unix.Dup(repliesFd); return err },
		"send descriptor": func(string) error { return unix.Sendmsg(repliesFd, nil, unix.UnixRights(1), nil, 0) },
		"io_uring":        func(string) error { return errnoOf(unix.SYS_IO_URING_SETUP, 1, 0, 0) },
		"bpf":             func(string) error { return errnoOf(unix.SYS_BPF, 0, 0, 0) },
		"keyring":         func(string) error { return errnoOf(unix.SYS_KEYCTL, 0, 0, 0) },
		"mount":           func(a string) error { return unix.Mount("none", a, "tmpfs", 0, "") },
		"another filter":  func(string) error { return errnoOf(unix.SYS_SECCOMP, 0, 0, 0) },
		"control":         func(string) error { _, err := unix.IoctlGetInt(repliesFd, unix.TIOCINQ); return err },
	}
}

func dial(network, address string) error {
	c, err := net.Dial(network, address)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func errnoOf(call, a, b, c uintptr) error {
	if _, _, errno := unix.RawSyscall(call, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// fork ends the new process at once: if it exists, it has only the one thread.
func fork() error {
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

func clone3() error {
	args := [11]uint64{4: uint64(unix.SIGCHLD)}
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// cloneThreadInto has no stack for the thread, so that it fails in any case, but
// with another error than the filter's.
func cloneThreadInto(namespace uintptr) error {
	return errnoOf(unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_THREAD|unix.CLONE_FS|unix.CLONE_NEWUSER|namespace, 0, 0)
}

func readMemory(pid int) error {
	buf := make([]byte, 8)
	local := []unix.Iovec{{Base: &buf[0], Len: 8}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
	return err
}

func mapExecutable() error {
	_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
	return err
}

func makeExecutable() error {
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC)
}

func forkMany(string) string {
	for i := range 200 {
		if err := fork(); err != nil {
			return fmt.Sprint(i, " processes: ", err)
		}
	}
	return "200 processes"
}

// openDescriptors lists the descriptors that exist beside the standard ones and
// the pipes. Reading nothing from a pipe, a file or a socket succeeds; from what
// the poller has, it is an invalid argument.
func openDescriptors(string) string {
	var open []string
	for fd := repliesFd + 1; fd < 1024; fd++ {
		if _, err := unix.Read(fd, nil); err != unix.EBADF && err != unix.EINVAL {
			open = append(open, fmt.Sprint(fd, err))
		}
	}
	return strings.Join(open, " ")
}

// openFromAllThreads opens a file from more threads than there can be idle ones
// that were started before the filter.
func openFromAllThreads(path string) string {
	const threads = 24
	var ready, done sync.WaitGroup
	ready.Add(threads)
	var opened atomic.Int64
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			ready.Done()
			ready.Wait()
			if _, err := unix.Open(path, unix.O_RDONLY, 0); err != unix.EPERM {
				opened.Add(1)
			}
		})
	}
	done.Wait()
	return fmt.Sprint(opened.Load(), " of ", threads)
}

// forge writes a reply of its own, given in hexadecimal, and waits.
func forge(argument string) string {
	frame, err := hex.DecodeString(argument)
	if err == nil {
		_, err = unix.Write(repliesFd, frame)
	}
	time.Sleep(10 * time.Second)
	return fmt.Sprint(err)
}
