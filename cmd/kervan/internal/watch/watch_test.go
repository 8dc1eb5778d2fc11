package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// replace writes a file as editors and deployments do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+".tmp", text)
	require.NoError(t, os.Rename(path+".tmp", path))
}

// start runs w until the test ends, and returns how often it called.
func start(t *testing.T, w *Watcher) *atomic.Int64 {
	t.Helper()
	calls := new(atomic.Int64)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func() { calls.Add(1) })
	}()
	t.Cleanup(func() { stop(); <-done })
	return calls
}

// told makes a watcher that looks at nothing by itself.
func told(paths ...string) *Watcher {
	w := New(paths...)
	w.every = time.Hour
	return w
}

// deaf makes a watcher to which the system tells nothing.
func deaf(paths ...string) *Watcher {
	w := New(paths...)
	w.Close()
	return w
}

// TestRule10_2_WatchEachWayToChange: whatever way a file changes, it is told.
func TestRule10_2_WatchEachWayToChange(t *testing.T) {
	ways := map[string]func(t *testing.T, path string){
		"written":  func(t *testing.T, path string) { write(t, path, "two") },
		"appended": func(t *testing.T, path string) { write(t, path, "one and more") },
		"emptied":  func(t *testing.T, path string) { write(t, path, "") },
		"replaced": func(t *testing.T, path string) { replace(t, path, "two") },
		"replaced by the same size and time": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			write(t, path+".tmp", "two")
			require.NoError(t, os.Chtimes(path+".tmp", info.ModTime(), info.ModTime()))
			require.NoError(t, os.Rename(path+".tmp", path))
		},
		"removed": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"moved away and made anew": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"~"))
			write(t, path, "two")
		},
	}
	makers := map[string]func(...string) *Watcher{"told": told, "looking": deaf}
	for name, change := range ways {
		for kind, watcher := range makers {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "a.yaml")
				write(t, path, "one")
				calls := start(t, watcher(path))
				change(t, path)
				require.Eventually(t, func() bool { return calls.Load() > 0 }, 20*time.Second, 5*time.Millisecond)
			})
		}
	}
}

// TestRule10_2_WatchSurvivesReplacement: a watch that is bound to a file is
// gone after the first rename.
func TestRule10_2_WatchSurvivesReplacement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, "0")
	calls := start(t, told(path))
	for i := range 5 {
		before := calls.Load()
		replace(t, path, fmt.Sprint(i+1))
		require.Eventually(t, func() bool { return calls.Load() > before }, 20*time.Second, 5*time.Millisecond, "replacement %d", i)
	}
}

func TestRule10_2_WatchWaitsForAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "a.yaml")
	calls := start(t, New(path))
	require.NoError(t, os.Mkdir(dir, 0o700))
	write(t, path, "one")
	require.Eventually(t, func() bool { return calls.Load() > 0 }, 20*time.Second, 5*time.Millisecond)
}

// TestRule10_2_WatchADirectoryMadeAnew: a checkout may remove and make the
// whole directory; what is in the new one is watched too.
func TestRule10_2_WatchADirectoryMadeAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	path := filepath.Join(dir, "a.yaml")
	require.NoError(t, os.Mkdir(dir, 0o700))
	write(t, path, "one")
	calls := start(t, New(path))
	require.NoError(t, os.Rename(dir, dir+"~"))
	require.NoError(t, os.Mkdir(dir, 0o700))
	for i := range 3 {
		before := calls.Load()
		write(t, path, fmt.Sprint("version ", i))
		require.Eventually(t, func() bool { return calls.Load() > before }, 20*time.Second, 5*time.Millisecond, "edit %d", i)
	}
}

// TestRule10_2_WatchUnderFakeTime uses a watcher that only looks, so that
// the times are exact.
func TestRule10_2_WatchUnderFakeTime(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.env")
	write(t, path, "one")
	write(t, other, "one")
	synctest.Test(t, func(t *testing.T) {
		calls := start(t, deaf(path, other))
		time.Sleep(10 * lookEvery)
		assert.Zero(t, calls.Load(), "nothing changed")

		replace(t, path, "two!")
		time.Sleep(lookEvery + quiet + time.Millisecond)
		assert.EqualValues(t, 1, calls.Load(), "the first file")

		replace(t, other, "two!")
		time.Sleep(lookEvery + quiet + time.Millisecond)
		assert.EqualValues(t, 2, calls.Load(), "the second file")

		write(t, filepath.Join(dir, "c"), "")
		time.Sleep(10 * lookEvery)
		assert.EqualValues(t, 2, calls.Load(), "another file")
	})
}

// TestRule10_2_WatchBursts feeds events by hand.
func TestRule10_2_WatchBursts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, "one")
	synctest.Test(t, func(t *testing.T) {
		events, problems := make(chan fsnotify.Event), make(chan error)
		w := deaf(path)
		w.events, w.errors = events, problems
		calls := start(t, w)

		for range 5 {
			events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			time.Sleep(quiet / 2)
		}
		assert.Zero(t, calls.Load(), "the burst goes on")
		time.Sleep(quiet)
		assert.EqualValues(t, 1, calls.Load(), "one call for a burst")

		for range 100 { // a second without a pause
			events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(quiet)
		assert.LessOrEqual(t, calls.Load(), int64(4), "a burst has a longest time, and ends after the last change")
		assert.Greater(t, calls.Load(), int64(2))

		before := calls.Load()
		events <- fsnotify.Event{Name: path + ".swp", Op: fsnotify.Write}
		time.Sleep(quiet + time.Millisecond)
		assert.Equal(t, before, calls.Load(), "another file of the directory")
		problems <- fsnotify.ErrEventOverflow
		time.Sleep(quiet + time.Millisecond)
		assert.Equal(t, before+1, calls.Load(), "lost events")
	})
}

// TestRule10_2_WatchDuringACall: what changes while changed runs is told
// again, after it.
func TestRule10_2_WatchDuringACall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, "one")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		running, calls := 0, 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			deaf(path).Run(ctx, func() {
				running++
				assert.Equal(t, 1, running)
				if calls++; calls == 1 {
					time.Sleep(5 * lookEvery)
					write(t, path, "three!")
					time.Sleep(5 * lookEvery)
				}
				running--
			})
		}()
		synctest.Wait()
		write(t, path, "two")
		time.Sleep(20 * lookEvery)
		stop()
		<-done
		assert.Equal(t, 2, calls)
	})
}
