// Package watch tells when files change: also when they are replaced by a
// rename, reached through symbolic links, or lie where the system announces
// nothing.
package watch

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long nothing must happen before a burst of changes is over;
	// an editor makes several for one save.
	quiet = 50 * time.Millisecond
	// longest bounds a burst that does not end.
	longest = 500 * time.Millisecond
	// lookEvery is how often the files are looked at, for file systems that
	// announce nothing, such as network and container mounts.
	lookEvery = time.Second
)

// A Watcher watches files. [New] makes one.
type Watcher struct {
	files   *files
	system  *fsnotify.Watcher // nil where the system refuses
	events  <-chan fsnotify.Event
	errors  <-chan error
	watched map[string]os.FileInfo // the directories that the system watches
	every   time.Duration          // between looks
}

// New begins to watch the files at paths; one that does not exist is waited
// for. It does not fail: where the system refuses to tell of changes, the files
// are looked at once a second. A Watcher is closed by Run's end or by Close.
func New(paths ...string) *Watcher {
	w := &Watcher{files: newFiles(paths), watched: map[string]os.FileInfo{}, every: lookEvery}
	system, err := fsnotify.NewWatcher()
	if err == nil {
		w.system, w.events, w.errors = system, system.Events, system.Errors
	}
	w.follow()
	w.files.look()
	return w
}

// Run calls changed after each burst of changes since New, until ctx ends. It
// calls it from its own goroutine, so changed is never called twice at a time,
// and called again for what happens meanwhile. A change of attributes may count
// as a change: it is for changed to find out what is different.
func (w *Watcher) Run(ctx context.Context, changed func()) {
	defer w.Close()
	ticker := time.NewTicker(w.every)
	defer ticker.Stop()
	var b burst
	defer b.end()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.events:
			if w.concerns(event) {
				b.add(time.Now())
			}
		case <-w.errors: // of an overflow, so something was not told
			b.add(time.Now())
		case <-ticker.C:
			w.follow()
			if w.files.look() {
				b.add(time.Now())
			}
		case <-b.over():
			b.end()
			w.follow()
			w.files.look() // what changed reads has been seen
			changed()
		}
	}
}

// Close ends watching. It may be called twice.
func (w *Watcher) Close() {
	if w.system != nil {
		_ = w.system.Close()
		w.system, w.events, w.errors = nil, nil, nil
	}
}

// concerns reports whether an event in a watched directory is about one of the
// files, by its name or because a link on the way to one now leads elsewhere.
func (w *Watcher) concerns(event fsnotify.Event) bool {
	return w.files.named(filepath.Clean(event.Name)) || w.files.look()
}

// follow has the system watch the directories of the files, and anew those that
// are not the same any more. Files where it refuses are looked at only.
func (w *Watcher) follow() {
	if w.system == nil {
		return
	}
	dirs := w.files.dirs()
	for dir, before := range w.watched {
		now, err := os.Stat(dir)
		if !dirs[dir] || err != nil || !os.SameFile(now, before) {
			_ = w.system.Remove(dir)
			delete(w.watched, dir)
		}
	}
	for dir := range dirs {
		if _, ok := w.watched[dir]; ok {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil && w.system.Add(dir) == nil {
			w.watched[dir] = info
		}
	}
}
