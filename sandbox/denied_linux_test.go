package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// targets returns, for each attack that needs one, something that it could reach
// if it were allowed.
func targets(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	local, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	victim := exec.Command("sleep", "60")
	require.NoError(t, victim.Start())
	t.Cleanup(func() {
		_, _, _ = tcp.Close(), udp.Close(), local.Close()
		assert.True(t, exists(victim.Process.Pid), "an attack has ended another process")
		_ = victim.Process.Kill()
		_ = victim.Wait()
	})
	existing := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o666))
		return path
	}
	pid := strconv.Itoa(victim.Process.Pid)
	return map[string]string{
		"tcp": tcp.Addr().String(), "udp": udp.LocalAddr().String(), "unix": local.Addr().String(), "listen": "127.0.0.1:0",
		"open": "/etc/passwd", "stat": "/etc/passwd", "list": "/", "chdir": dir, "mount": dir,
		"create": filepath.Join(dir, "created"), "mkdir": filepath.Join(dir, "made"),
		"remove": existing("removed"), "rename": existing("renamed"), "link": existing("linked"), "chmod": existing("changed"),
		"run": "/bin/true", "execve": "/bin/true",
		"signal": pid, "thread signal": pid, "ptrace": pid, "pidfd": pid, "read memory": pid,
	}
}

func TestRule8_7_NothingIsReachedFromInside(t *testing.T) {
	p := newTestPool(t, Options{})
	reach := targets(t)
	for name := range denied() {
		t.Run(name, func(t *testing.T) {
			want := unix.EPERM
			if name == "clone3" {
				want = unix.ENOSYS // C libraries then use clone
			}
			assert.Contains(t, mustSelect(t, p, "attack:"+name, reach[name]), want.Error())
		})
	}
}

// Threads that were started before the filter are held as well.
func TestRule8_7_AllThreadsAreHeld(t *testing.T) {
	p := newTestPool(t, Options{})
	assert.Equal(t, "0 of 24", mustSelect(t, p, "attack:all threads", "/etc/passwd"))
}

// The attacks would succeed if nothing held the process, or they prove nothing.
func TestRule8_7_TheAttacksWorkWithoutASandbox(t *testing.T) {
	reach := targets(t)
	for _, name := range []string{
		"tcp", "udp", "unix", "listen", "socketpair", "open", "environ file", "create", "stat", "remove", "mkdir", "rename",
		"link", "chmod", "list", "run", "pidfd", "executable map", "make executable", "memory file", "duplicate", "control",
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, denied()[name](reach[name]))
		})
	}
}

func TestRule8_7_TheProcessSeesNothingOfItsParent(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "s3cr3t-s3cr3t")
	stray, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // not close-on-exec: every process inherits it
	require.NoError(t, err)
	defer func() { _ = unix.Close(stray) }()

	for _, o := range []Options{{}, {ProcessOnly: true}} {
		p := newTestPool(t, o)
		assert.Equal(t, fmt.Sprintf("[] [] %q", append([]string{attackMarker}, p.args...)), mustSelect(t, p, "attack:environment", ""))
		assert.Empty(t, mustSelect(t, p, "attack:descriptors", ""))
	}
}

func TestRule8_7_LimitsAreInForce(t *testing.T) {
	p := newTestPool(t, Options{})
	pid := mustSelect(t, p, "attack:pid", "")
	limits := map[string]string{
		"Max cpu time": "300", "Max file size": "0", "Max core file size": "0", "Max open files": "0",
		"Max data size": strconv.Itoa(maxData),
	}
	if raceEnabled {
		delete(limits, "Max data size")
	}
	file, err := os.ReadFile("/proc/" + pid + "/limits")
	require.NoError(t, err)
	for name, want := range limits {
		assert.Regexp(t, name+` +`+want+` +`+want+` `, string(file))
	}
	status, err := os.ReadFile("/proc/" + pid + "/status")
	require.NoError(t, err)
	assert.Contains(t, string(status), "\nNoNewPrivs:\t1\n")
	assert.Contains(t, string(status), "\nSeccomp:\t2\n")
	if os.Getuid() != 0 {
		_, err = os.ReadDir("/proc/" + pid + "/fd")
		assert.ErrorIs(t, err, os.ErrPermission, "another process of the user looks into it")
	}
}

// When memory runs out, it is not the parent that the system ends.
func TestRule8_7_TheProcessEndsFirstInShortage(t *testing.T) {
	p := newTestPool(t, Options{})
	score, err := os.ReadFile("/proc/" + mustSelect(t, p, "attack:pid", "") + "/oom_score_adj")
	require.NoError(t, err)
	assert.Equal(t, "1000\n", string(score))
}

func TestRule8_7_TheRuntimeWorksInside(t *testing.T) {
	p := newTestPool(t, Options{})
	assert.Contains(t, mustSelect(t, p, "attack:runtime", ""), "ok ")
	assert.Equal(t, "printed", mustSelect(t, p, "attack:print", "noise"))
}

// asOrdinaryUser runs tests of this binary as a user without privileges.
func asOrdinaryUser(t *testing.T, pattern string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	data, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	binary := filepath.Join(dir, "sandbox.test")
	require.NoError(t, os.WriteFile(binary, data, 0o755))

	cmd := exec.CommandContext(within(t, 90*time.Second), binary, "-test.run", pattern, "-test.v")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp", "HOME=/nonexistent"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS", "no test ran")
	require.NotContains(t, string(out), "no tests to run")
}

// As root, the tests of what is held run once more as an ordinary user, for whom
// the system decides otherwise. An ordinary user has run them already.
func TestRule8_7_HoldsForAnOrdinaryUserToo(t *testing.T) {
	if os.Getuid() != 0 {
		return
	}
	asOrdinaryUser(t, strings.Join([]string{
		"^TestRule8_7_NothingIsReachedFromInside$",
		"^TestRule8_7_AllThreadsAreHeld$",
		"^TestRule8_7_TheProcessSeesNothingOfItsParent$",
		"^TestRule8_7_LimitsAreInForce$",
		"^TestRule8_7_TheProcessEndsFirstInShortage$",
		"^TestRule8_7_TheRuntimeWorksInside$",
		"^TestRule8_7_Bombs$",
		"^TestRule8_7_DoublingExpressions$",
	}, "|"))
}
