package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// queued waits until so many calls wait for a process.
func queued(t *testing.T, p *Pool, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.waiting.Len() == n
	}, 10*time.Second, time.Millisecond)
}

// occupy has all processes of a pool sleep until the test ends or release is
// called.
func occupy(t *testing.T, p *Pool) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	for range p.o.Children {
		mustSelect(t, p, "@", "1") // processes are started one by one
		calls.Go(func() { _, _ = p.Select(ctx, "attack:sleep", []byte("1h")) })
	}
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.used == p.o.Children && p.starting == 0 && len(p.idle) == 0
	}, 10*time.Second, time.Millisecond)
	release = func() {
		cancel()
		calls.Wait()
	}
	t.Cleanup(release)
	return release
}

func TestRule8_7_FirstComeFirstServed(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	release := occupy(t, p)
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			out, err := p.Select(within(t, 20*time.Second), "attack:count", nil)
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprint(i+1), string(out))
		})
		queued(t, p, i+1)
	}
	release()
	calls.Wait()
}

func TestRule8_7_TheDeadlineIncludesTheQueue(t *testing.T) {
	p := newTestPool(t, Options{Children: 2})
	occupy(t, p)
	began := time.Now()
	_, err := p.Select(within(t, 100*time.Millisecond), "@", []byte("1"))
	assert.Equal(t, KindTimeout, kindOf(t, err))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.EqualError(t, err, "the time ran out while waiting for a process to evaluate the expression")
	assert.Less(t, time.Since(began), 3*time.Second)
	queued(t, p, 0)
}

func TestRule8_7_TimeoutAndCancelledAreDistinct(t *testing.T) {
	cancelled := func(d time.Duration) context.Context {
		ctx, cancel := context.WithCancel(within(t, 10*time.Second))
		time.AfterFunc(d, cancel)
		return ctx
	}
	for name, c := range map[string]struct {
		ctx   func() context.Context
		busy  bool
		kind  Kind
		cause error
		text  string
	}{
		"timeout while running": {func() context.Context { return within(t, 50*time.Millisecond) }, false,
			KindTimeout, context.DeadlineExceeded, "the time ran out while evaluating the expression"},
		"cancelled while running": {func() context.Context { return cancelled(50 * time.Millisecond) }, false,
			KindCancelled, context.Canceled, "cancelled while evaluating the expression"},
		"timeout while waiting": {func() context.Context { return within(t, 50*time.Millisecond) }, true,
			KindTimeout, context.DeadlineExceeded, "the time ran out while waiting for a process to evaluate the expression"},
		"cancelled while waiting": {func() context.Context { return cancelled(50 * time.Millisecond) }, true,
			KindCancelled, context.Canceled, "cancelled while waiting for a process to evaluate the expression"},
		"over before it began": {func() context.Context { ctx, cancel := context.WithCancel(context.Background()); cancel(); return ctx }, false,
			KindCancelled, context.Canceled, "cancelled while waiting for a process to evaluate the expression"},
		"late before it began": {func() context.Context { return within(t, -time.Second) }, false,
			KindTimeout, context.DeadlineExceeded, "the time ran out while waiting for a process to evaluate the expression"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPool(t, Options{Children: 1})
			p.maxCall = 5 * time.Second
			pid := mustSelect(t, p, "attack:pid", "")
			release := func() {}
			if c.busy {
				release = occupy(t, p)
			}
			began := time.Now()
			_, err := p.Select(c.ctx(), "attack:spin", nil)
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorIs(t, err, c.cause)
			assert.EqualError(t, err, c.text)
			assert.Less(t, time.Since(began), 3*time.Second)

			release()
			after := mustSelect(t, p, "attack:pid", "")
			if strings.Contains(name, "running") {
				assert.NotEqual(t, pid, after, "the process is replaced")
			}
		})
	}
}

func TestRule8_7_ACallWithoutADeadlineHasOne(t *testing.T) {
	p := newTestPool(t, Options{})
	p.maxCall = 100 * time.Millisecond
	for _, ctx := range []context.Context{context.Background(), within(t, time.Hour)} {
		_, err := p.Select(ctx, "attack:spin", nil)
		assert.Equal(t, KindTimeout, kindOf(t, err))
	}
}

func TestRule8_7_ProcessesAreKeptAndStartedWhenNeeded(t *testing.T) {
	p := newTestPool(t, Options{Children: 4})
	assert.False(t, p.Report().Started)
	first := mustSelect(t, p, "attack:pid", "")
	for range 20 {
		assert.Equal(t, first, mustSelect(t, p, "attack:pid", ""))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Len(t, p.launched, 1)
}

func TestRule8_7_ProcessesAreReplacedInTime(t *testing.T) {
	t.Run("after a number of calls", func(t *testing.T) {
		p := newTestPool(t, Options{Children: 1, CallsPerChild: 3})
		var pids []string
		for range 9 {
			pids = append(pids, mustSelect(t, p, "attack:pid", ""))
		}
		for i := 1; i < len(pids); i++ {
			assert.Equal(t, i%3 != 0, pids[i] == pids[i-1], "%v", pids)
		}
	})
	t.Run("after an amount of computing", func(t *testing.T) {
		p := newTestPool(t, Options{Children: 1})
		p.maxBusy = 20 * time.Millisecond
		first := mustSelect(t, p, "attack:pid", "")
		mustSelect(t, p, "attack:sleep", "30ms")
		assert.NotEqual(t, first, mustSelect(t, p, "attack:pid", ""))
	})
}

func TestRule8_7_AProcessThatDiedIsNotUsed(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	first := mustSelect(t, p, "attack:pid", "")
	p.mu.Lock()
	proc := p.idle[0]
	p.mu.Unlock()
	require.NoError(t, proc.cmd.Process.Kill())
	<-proc.done
	assert.NotEqual(t, first, mustSelect(t, p, "attack:pid", ""))
}

func TestRule8_7_CloseEndsAllCalls(t *testing.T) {
	p := newTestPool(t, Options{Children: 2})
	mustSelect(t, p, "@", "1")
	failures := make(chan error)
	for range 10 {
		go func() {
			_, err := p.Select(context.Background(), "attack:spin", nil)
			failures <- err
		}()
	}
	queued(t, p, 8)
	began := time.Now()
	require.NoError(t, p.Close())
	for range 10 {
		err := <-failures
		assert.Equal(t, KindClosed, kindOf(t, err))
		assert.EqualError(t, err, "select is shut down")
	}
	assert.Less(t, time.Since(began), 5*time.Second)
	assert.Empty(t, p.launched)

	_, err := p.Select(context.Background(), "@", []byte("1"))
	assert.Equal(t, KindClosed, kindOf(t, err))
	require.NoError(t, p.Close(), "again")
}

func TestRule8_7_CloseWhileProcessesStart(t *testing.T) {
	for i := range 30 {
		p := newTestPool(t, Options{Children: 4})
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				_, err := p.Select(context.Background(), "attack:sleep", []byte("1h"))
				assert.Equal(t, KindClosed, kindOf(t, err))
			})
		}
		time.Sleep(time.Duration(i) * 300 * time.Microsecond) // anywhere in the start
		require.NoError(t, p.Close())
		calls.Wait()
		assert.Zero(t, p.used)
		assert.Zero(t, p.starting)
	}
}

func TestRule8_7_ManyCallers(t *testing.T) {
	p := newTestPool(t, Options{Children: 3, CallsPerChild: 50})
	var calls sync.WaitGroup
	for caller := range 40 {
		calls.Go(func() {
			for i := range 20 {
				want := fmt.Sprintf(`{"caller":%d,"call":%d}`, caller, i)
				data := fmt.Sprintf(`{"items":[{"caller":%d,"call":%d,"x":%q}]}`, caller, i, strings.Repeat("x", i*1000))
				out, err := p.Select(within(t, 60*time.Second), "items[0].{caller: caller, call: call}", []byte(data))
				assert.NoError(t, err)
				assert.Equal(t, want, string(out))
			}
		})
	}
	calls.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.LessOrEqual(t, p.used, 3)
	assert.Zero(t, p.waiting.Len())
}

// Calls that leave at any moment neither lose a process nor leave one behind.
func TestRule8_7_CallersThatLeave(t *testing.T) {
	p := newTestPool(t, Options{Children: 2})
	var calls sync.WaitGroup
	for caller := range 16 {
		calls.Go(func() {
			for i := range 15 {
				d := time.Duration((caller*31+i*17)%40) * time.Millisecond / 4
				_, err := p.Select(within(t, d), "attack:sleep", []byte("2ms"))
				var e *Error
				if errors.As(err, &e) {
					assert.Equal(t, KindTimeout, e.Kind, "%v", err)
				}
			}
		})
	}
	calls.Wait()
	assert.Equal(t, "1", mustSelect(t, p, "@", "1"))
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.used == len(p.idle) && p.used == len(p.launched) && p.starting == 0
	}, 10*time.Second, time.Millisecond)
}

func TestRule8_7_ReplyOfAProcessThatLies(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		kind  Kind
	}{
		"longer than the limit":          {"02" + "00100001", KindCrashed},
		"as long as a length can be":     {"02" + "ffffffff", KindCrashed},
		"a message that is a book":       {"04" + "00000401", KindCrashed},
		"a second hello":                 {"01" + "00000002" + "7b7d", KindCrashed},
		"no status":                      {"00" + "00000000", KindCrashed},
		"an unknown status":              {"99" + "00000000", KindCrashed},
		"less than it claims, and waits": {"02" + "00000010" + "31", KindTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPool(t, Options{Children: 1, MaxOutput: 1 << 20})
			survive(t, p, 2*time.Second, "attack:forge", c.frame, c.kind)
		})
	}
	t.Run("a message with control characters", func(t *testing.T) {
		p := newTestPool(t, Options{Children: 1})
		_, err := p.Select(within(t, 5*time.Second), "attack:forge", []byte("04"+"0000000a"+"1b5b324a0a6f6f7073ff"))
		assert.Equal(t, KindEvaluation, kindOf(t, err))
		assert.Equal(t, "[2J oops\uFFFD", err.Error())
	})
}
