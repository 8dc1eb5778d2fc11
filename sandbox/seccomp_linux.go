//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A callRule allows one system call. All calls without a rule fail with EPERM.
type callRule struct {
	call uint32
	test *argumentTest // of one argument; nil allows the call with any
}

// An argumentTest of a call passes if argument & mask == value. Only the lower 32
// bits are looked at, which is where flags and process ids are.
type argumentTest struct {
	argument    uint32 // its number, from 0
	mask, value uint32
}

const (
	threadFlags    = unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND
	namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// allowedCalls is what a Go program that computes needs: its pipes, memory
// without executable pages, threads, signals to itself, and the clock.
func allowedCalls(pid int) []callRule {
	notExecutable := func(argument uint32) *argumentTest { return &argumentTest{argument, unix.PROT_EXEC, 0} }
	return []callRule{
		{unix.SYS_READ, nil},
		{unix.SYS_WRITE, nil},
		{unix.SYS_CLOSE, nil},
		{unix.SYS_FUTEX, nil},
		{unix.SYS_MMAP, notExecutable(2)},
		{unix.SYS_MPROTECT, notExecutable(2)},
		{unix.SYS_MUNMAP, nil},
		{unix.SYS_MADVISE, nil},
		{unix.SYS_RT_SIGACTION, nil},
		{unix.SYS_RT_SIGPROCMASK, nil},
		{unix.SYS_RT_SIGRETURN, nil},
		{unix.SYS_SIGALTSTACK, nil},
		{unix.SYS_GETTID, nil},
		{unix.SYS_GETPID, nil},
		{unix.SYS_TGKILL, &argumentTest{0, 0xffffffff, uint32(pid)}},
		{unix.SYS_CLONE, &argumentTest{0, threadFlags | namespaceFlags, threadFlags}},
		{unix.SYS_NANOSLEEP, nil},
		{unix.SYS_CLOCK_GETTIME, nil},
		{unix.SYS_SCHED_YIELD, nil},
		{unix.SYS_RESTART_SYSCALL, nil},
		{unix.SYS_EPOLL_PWAIT, nil},
		{unix.SYS_EPOLL_CTL, nil},
		{unix.SYS_EXIT, nil},
		{unix.SYS_EXIT_GROUP, nil},
		// A thread of C code does not start without these.
		{unix.SYS_RSEQ, nil},
		{unix.SYS_SET_ROBUST_LIST, nil},
	}
}

// Offsets in the kernel's struct seccomp_data.
const (
	offsetCall      = 0
	offsetArch      = 4
	offsetArguments = 16
)

// Instructions of the filter.
const (
	bpfLoad        = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfAnd         = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfJumpIfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfJumpIfAbove = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	bpfReturn      = unix.BPF_RET | unix.BPF_K
)

const (
	retKill  = unix.SECCOMP_RET_KILL_PROCESS
	retAllow = unix.SECCOMP_RET_ALLOW
	retDeny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// C libraries fall back from clone3, whose flags a filter cannot see, to clone.
	retAbsent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func statement(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func jump(code uint16, k uint32, ifTrue, ifFalse uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, K: k, Jt: ifTrue, Jf: ifFalse}
}

// filterProgram compiles rules.
func filterProgram(rules []callRule) []unix.SockFilter {
	program := []unix.SockFilter{
		statement(bpfLoad, offsetArch),
		jump(bpfJumpIfEqual, auditArch, 1, 0),
		statement(bpfReturn, retKill),
		statement(bpfLoad, offsetCall),
	}
	if foreignCalls != 0 {
		program = append(program, jump(bpfJumpIfAbove, foreignCalls, 0, 1), statement(bpfReturn, retKill))
	}
	for _, r := range rules {
		if r.test == nil {
			program = append(program, jump(bpfJumpIfEqual, r.call, 0, 1), statement(bpfReturn, retAllow))
			continue
		}
		program = append(program,
			jump(bpfJumpIfEqual, r.call, 0, 5),
			statement(bpfLoad, offsetArguments+8*r.test.argument),
			statement(bpfAnd, r.test.mask),
			jump(bpfJumpIfEqual, r.test.value, 0, 1),
			statement(bpfReturn, retAllow),
			statement(bpfReturn, retDeny),
		)
	}
	return append(program,
		jump(bpfJumpIfEqual, unix.SYS_CLONE3, 0, 1),
		statement(bpfReturn, retAbsent),
		statement(bpfReturn, retDeny),
	)
}

// filterSystemCalls puts the filter on every thread of the process, those of
// packages that were initialised before included.
func filterSystemCalls() error {
	program := filterProgram(allowedCalls(unix.Getpid()))
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	thread, _, errno := unix.RawSyscall(unix.SYS_SECCOMP,
		unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("seccomp: thread %d has another filter", thread)
	}
	return nil
}
