package watch

import (
	"os"
	"path/filepath"
)

// files are the watched files and what was last seen of them.
type files struct {
	paths []string
	seen  []os.FileInfo // nil where there was no file
}

func newFiles(paths []string) *files {
	f := &files{seen: make([]os.FileInfo, len(paths))}
	for _, p := range paths {
		f.paths = append(f.paths, filepath.Clean(p))
	}
	return f
}

// look reports whether a file differs from what was last seen of it.
func (f *files) look() bool {
	differs := false
	for i, path := range f.paths {
		now, err := os.Stat(path)
		if err != nil {
			now = nil
		}
		differs = differs || !same(now, f.seen[i])
		f.seen[i] = now
	}
	return differs
}

func same(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// named reports whether path is one of the files, or what one leads to.
func (f *files) named(path string) bool {
	for _, p := range f.paths {
		if p == path || target(p) == path {
			return true
		}
	}
	return false
}

// dirs are the directories in which something happens when a file changes or
// is replaced: its own, and that of what it leads to.
func (f *files) dirs() map[string]bool {
	dirs := map[string]bool{}
	for _, p := range f.paths {
		dirs[filepath.Dir(p)] = true
		dirs[filepath.Dir(target(p))] = true
	}
	return dirs
}

// target is where a path leads through symbolic links; the path itself when
// there is nothing.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
