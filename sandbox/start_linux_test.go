package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script returns a program that is a shell script.
func script(t *testing.T, text string) program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return program{path: path, argv0: marker}
}

func TestRule8_7_NoProcessStarts(t *testing.T) {
	for name, c := range map[string]struct {
		program program
		want    string
	}{
		"it ends": {script(t, "exit 1"), "did not start (exit status 1)" + "; if a package"},
		"it says why": {script(t, "echo noise; echo cannot reach the database >&2; exit 1"),
			"did not start (exit status 1): cannot reach the database; if a package"},
		"it says much": {script(t, "yes 'one more line' | head -n 2000 >&2; echo 'panic: no variable X' >&2; exit 2"),
			"did not start (exit status 2): panic: no variable X; if a package"},
		"it says more than can be shown": {script(t, "yes 'one more line' | head -n 2000 >&2; echo 'the end' >&2; exit 2"),
			"one more line the end; if a package"},
		"it hangs": {script(t, "echo waiting for the database >&2; exec sleep 600"),
			"was not ready after 500ms: waiting for the database; if a package"},
		"it talks otherwise":     {script(t, `printf '\001\000\000\000\002{}' >&4; exec sleep 600`), "did not start (a frame breaks the protocol)"},
		"it talks without end":   {script(t, `exec yes >&4`), "did not start (a frame breaks the protocol)"},
		"there is none":          {program{path: "/nonexistent/program"}, "cannot be started: fork/exec /nonexistent/program: no such file or directory"},
		"it is a library":        {program{err: errNotExecutable}, "cannot be started: this is a shared library or a plugin"},
		"its file was replaced":  {replacedProgram(t), "cannot be started: the file of the running program was replaced; restart the program"},
		"its file cannot be run": {program{path: "/etc/passwd"}, "cannot be started: fork/exec /etc/passwd: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(Options{StartTimeout: 500 * time.Millisecond}, c.program)
			began := time.Now()
			var calls sync.WaitGroup
			for range 10 {
				calls.Go(func() {
					_, err := p.Select(within(t, 20*time.Second), "@", []byte("1"))
					assert.Equal(t, KindUnavailable, kindOf(t, err))
					assert.ErrorContains(t, err, "expressions cannot be evaluated: the select process ")
					assert.ErrorContains(t, err, c.want)
					assert.NotContains(t, err.Error(), "\n")
				})
			}
			calls.Wait()
			_, err := p.Select(within(t, 20*time.Second), "@", []byte("1"))
			assert.Equal(t, KindUnavailable, kindOf(t, err))
			assert.Less(t, time.Since(began), 5*time.Second)
			require.NoError(t, p.Close())
			assert.Zero(t, p.used)
		})
	}
}

func replacedProgram(t *testing.T) program {
	t.Helper()
	p := script(t, "exit 0")
	var err error
	p.file, err = os.Stat(p.path)
	require.NoError(t, err)
	require.NoError(t, p.check())
	require.NoError(t, os.Remove(p.path))
	require.NoError(t, os.WriteFile(p.path, []byte("#!/bin/sh\nexit 0\n"), 0o755))
	return p
}

// A start that fails is tried again, and a call that another process can serve
// does not fail.
func TestRule8_7_AFailedStartIsTriedAgain(t *testing.T) {
	p := newTestPool(t, Options{Children: 2})
	good := p.program
	p.program = script(t, "exit 1")
	_, err := p.Select(within(t, 20*time.Second), "@", []byte("1"))
	assert.Equal(t, KindUnavailable, kindOf(t, err))

	p.program = good
	_, err = p.Select(within(t, 20*time.Second), "@", []byte("1"))
	assert.Equal(t, KindUnavailable, kindOf(t, err), "not at once")
	p.mu.Lock()
	p.retryAt = time.Now()
	p.mu.Unlock()
	assert.Equal(t, "1", mustSelect(t, p, "@", "1"))

	p.program = script(t, "exit 1")
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			_, err := p.Select(within(t, 20*time.Second), "attack:sleep", []byte("50ms"))
			assert.NoError(t, err)
		})
	}
	calls.Wait()
}

func TestRule8_7_TheLogTellsMore(t *testing.T) {
	var log strings.Builder
	p := newPool(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, script(t, "echo first >&2; echo second >&2; exit 1"))
	_, err := p.Select(within(t, 20*time.Second), "@", []byte("1"))
	assert.Equal(t, KindUnavailable, kindOf(t, err))
	require.NoError(t, p.Close())
	assert.Contains(t, log.String(), `level=ERROR msg="a select process did not start"`)
	assert.Contains(t, log.String(), `stderr="first\nsecond\n"`)
}

func init() {
	helpers["busy"] = func() { orphanHelper("attack:spin") }
	helpers["idle"] = func() { orphanHelper("@") }
}

// helper returns the command that runs a helper.
func helper(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(within(t, 60*time.Second), "/proc/self/exe")
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	return cmd
}

func TestRule8_7_Report(t *testing.T) {
	p := newTestPool(t, Options{})
	assert.Equal(t, Report{}, p.Report())
	mustSelect(t, p, "@", "1")
	r := p.Report()
	assert.True(t, r.Started)
	assert.False(t, r.Weakened)
	want := []Layer{
		LayerProcess, LayerEnvironment, LayerWatchdog, LayerDescriptors, LayerPrivileges, LayerLimits,
		LayerDataLimit, LayerSystemCalls,
	}
	if raceEnabled {
		want = append(want[:6:6], LayerSystemCalls)
		assert.Equal(t, map[Layer]string{LayerDataLimit: "the race detector needs more"}, r.Missing)
	}
	assert.Equal(t, want, r.Layers)
	r.Layers[0], r.Missing["x"] = "changed", "changed"
	assert.Equal(t, want, p.Report().Layers)
	assert.NotContains(t, p.Report().Missing, Layer("x"))
}

// orphanHelper prints the process id of a select process that has one call to do,
// of one second at most, and waits to be killed.
func orphanHelper(expression string) {
	p := newPool(Options{Children: 1}, runningProgram(attackMarker))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	pid, err := p.Select(ctx, "attack:pid", nil)
	fmt.Println(string(pid), err)
	ctx, cancel = context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	go func() {
		time.Sleep(100 * time.Millisecond)
		fmt.Println("ready")
	}()
	_, _ = p.Select(ctx, expression, []byte("1"))
	select {}
}

func TestRule8_7_NoProcessOutlivesItsParent(t *testing.T) {
	for _, name := range []string{"busy", "idle"} {
		t.Run(name, func(t *testing.T) {
			cmd := helper(t, name)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			var pid int
			var first, ready string
			_, err = fmt.Fscan(out, &pid, &first, &ready)
			require.NoError(t, err)
			require.Equal(t, "<nil> ready", first+" "+ready)
			require.True(t, exists(pid))
			t.Cleanup(func() {
				if exists(pid) { // the test has failed
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})

			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			if name == "busy" {
				require.True(t, exists(pid), "the call is over before its time")
			}
			assert.Eventually(t, func() bool { return !exists(pid) }, 3*time.Second, 5*time.Millisecond)
		})
	}
}

// exists reports whether a process runs; one that nobody waited for does not.
func exists(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// Ctrl-C at a terminal reaches all processes of the group in the foreground.
func TestRule8_7_SignalsOfTheTerminalAreNotForTheProcess(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	pid := number(mustSelect(t, p, "attack:pid", ""))
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	assert.Equal(t, pid, group)
	assert.False(t, errors.Is(syscall.Kill(pid, 0), syscall.ESRCH))
}
