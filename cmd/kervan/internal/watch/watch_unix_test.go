//go:build unix

package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRule10_2_WatchThroughLinks: a volume of Kubernetes replaces the link on
// the way to a file; a link may also lead to a file in another directory.
func TestRule10_2_WatchThroughLinks(t *testing.T) {
	for kind, watcher := range map[string]func(...string) *Watcher{"told": told, "looking": deaf} {
		t.Run("a volume, "+kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, version := range []string{"v1", "v2"} {
				require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o700))
				write(t, filepath.Join(dir, version, "a.yaml"), version)
			}
			require.NoError(t, os.Symlink("v1", filepath.Join(dir, "..data")))
			path := filepath.Join(dir, "a.yaml")
			require.NoError(t, os.Symlink(filepath.Join("..data", "a.yaml"), path))

			calls := start(t, watcher(path))
			require.NoError(t, os.Symlink("v2", filepath.Join(dir, "..tmp")))
			require.NoError(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
			require.Eventually(t, func() bool { return calls.Load() > 0 }, 20*time.Second, 5*time.Millisecond)

			before := calls.Load()
			write(t, filepath.Join(dir, "v2", "a.yaml"), "edited in place")
			require.Eventually(t, func() bool { return calls.Load() > before }, 20*time.Second, 5*time.Millisecond)
		})
	}
}
