//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A systemCall is what a filter sees of a call.
type systemCall struct {
	call      uint32
	arch      uint32
	arguments [6]uint64
}

// word returns what the filter loads at an offset, on a little-endian machine.
func (c systemCall) word(offset uint32) uint32 {
	switch {
	case offset == offsetCall:
		return c.call
	case offset == offsetArch:
		return c.arch
	case (offset-offsetArguments)%8 == 0:
		return uint32(c.arguments[(offset-offsetArguments)/8])
	}
	return uint32(c.arguments[(offset-offsetArguments)/8] >> 32)
}

// run interprets a filter.
func run(t *testing.T, program []unix.SockFilter, c systemCall) uint32 {
	t.Helper()
	var accumulator uint32
	for i := 0; i < len(program); i++ {
		f := program[i]
		taken := false
		switch f.Code {
		case bpfLoad:
			accumulator = c.word(f.K)
			continue
		case bpfAnd:
			accumulator &= f.K
			continue
		case bpfReturn:
			return f.K
		case bpfJumpIfEqual:
			taken = accumulator == f.K
		case bpfJumpIfAbove:
			taken = accumulator >= f.K
		default:
			require.Failf(t, "unknown instruction", "%#x", f.Code)
		}
		if taken {
			i += int(f.Jt)
		} else {
			i += int(f.Jf)
		}
	}
	require.Fail(t, "the filter has no end")
	return 0
}

// All calls that there are, and those that may come, are refused but 26.
func TestRule8_7_FilterRefusesByDefault(t *testing.T) {
	program := filterProgram(allowedCalls(os.Getpid()))
	plain, tested := map[uint32]bool{}, map[uint32]bool{}
	for _, r := range allowedCalls(os.Getpid()) {
		if r.test == nil {
			plain[r.call] = true
		} else {
			tested[r.call] = true
		}
	}
	assert.Len(t, plain, 22)
	assert.Len(t, tested, 4)
	for call := uint32(0); call < 2000; call++ {
		want := uint32(retDeny)
		switch {
		case plain[call]:
			want = retAllow
		case tested[call]:
			continue
		case call == unix.SYS_CLONE3:
			want = retAbsent
		}
		assert.Equalf(t, want, run(t, program, systemCall{call: call, arch: auditArch}), "call %d", call)
	}
}

func TestRule8_7_FilterLooksAtArguments(t *testing.T) {
	program := filterProgram(allowedCalls(77))
	const thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
	for name, c := range map[string]struct {
		call      uint32
		arguments [6]uint64
		want      uint32
	}{
		"memory":                        {unix.SYS_MMAP, [6]uint64{2: unix.PROT_READ | unix.PROT_WRITE}, retAllow},
		"memory without access":         {unix.SYS_MMAP, [6]uint64{2: unix.PROT_NONE}, retAllow},
		"executable memory":             {unix.SYS_MMAP, [6]uint64{2: unix.PROT_READ | unix.PROT_EXEC}, retDeny},
		"memory made readable":          {unix.SYS_MPROTECT, [6]uint64{2: unix.PROT_READ}, retAllow},
		"memory made executable":        {unix.SYS_MPROTECT, [6]uint64{2: unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC}, retDeny},
		"signal to itself":              {unix.SYS_TGKILL, [6]uint64{0: 77, 1: 78}, retAllow},
		"signal to another":             {unix.SYS_TGKILL, [6]uint64{0: 78, 1: 77}, retDeny},
		"signal to all":                 {unix.SYS_TGKILL, [6]uint64{0: 0xffffffff}, retDeny},
		"thread":                        {unix.SYS_CLONE, [6]uint64{0: thread}, retAllow},
		"process":                       {unix.SYS_CLONE, [6]uint64{0: uint64(unix.SIGCHLD)}, retDeny},
		"process that shares memory":    {unix.SYS_CLONE, [6]uint64{0: unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, retDeny},
		"thread in a network namespace": {unix.SYS_CLONE, [6]uint64{0: thread | unix.CLONE_NEWNET}, retDeny},
		"thread in a user namespace":    {unix.SYS_CLONE, [6]uint64{0: thread | unix.CLONE_NEWUSER}, retDeny},
	} {
		got := run(t, program, systemCall{call: c.call, arch: auditArch, arguments: c.arguments})
		assert.Equal(t, c.want, got, name)
	}
}

func TestRule8_7_FilterKillsForeignCalls(t *testing.T) {
	program := filterProgram(allowedCalls(77))
	assert.EqualValues(t, retKill, run(t, program, systemCall{call: unix.SYS_READ, arch: unix.AUDIT_ARCH_I386}))
	if foreignCalls != 0 {
		assert.EqualValues(t, retKill, run(t, program, systemCall{call: foreignCalls + unix.SYS_READ, arch: auditArch}))
	}
}

func init() { helpers["refused"] = refusedHelper }

// refusedHelper runs where the system refuses further filters, as some containers
// do.
func refusedHelper() {
	runtime.LockOSThread()
	program := []unix.SockFilter{
		statement(bpfLoad, offsetCall),
		jump(bpfJumpIfEqual, unix.SYS_SECCOMP, 0, 1),
		statement(bpfReturn, retDeny),
		statement(bpfReturn, retAllow),
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog)))
	fmt.Println(err, errno == 0)
	for _, only := range []bool{false, true} {
		p := New(Options{ProcessOnly: only})
		out, err := p.Select(context.Background(), "@", []byte("1"))
		r := p.Report()
		fmt.Printf("%s %v\n%v %v %q\n", out, err, r.Started, r.Weakened, r.Missing[LayerSystemCalls])
		_ = p.Close()
	}
	// The process does not rely on its parent to end it.
	proc, err := launch(runningProgram(marker), []string{modeFailClosed})
	go proc.wait()
	fmt.Println(err, proc.greet(context.Background()), proc.exitCode() == exitRefused)
}

func TestRule8_7_FailsClosed(t *testing.T) {
	out, err := helper(t, "refused").CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, `<nil> true
 expressions cannot be evaluated: the system does not let the select process be locked down: no system call filter (seccomp: operation not permitted); set sandbox.Options.ProcessOnly to accept a separate process with less protection
false false ""
1 <nil>
true true "seccomp: operation not permitted"
<nil> <nil> true
`, string(out))
}
