package sandbox

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
)

var (
	errNotExecutable = errors.New(textNotExecutable)
	errReplaced      = errors.New(textReplaced)
)

// selfPath names the running program on Linux, whatever became of its file.
const selfPath = "/proc/self/exe"

// A program is the running one, as it is started once more.
type program struct {
	path  string
	argv0 string
	file  os.FileInfo // of path; nil if path always names the running program
	err   error       // why it cannot be started
}

// runningProgram describes the running program, to be started under the name
// argv0.
func runningProgram(argv0 string) program {
	if !isExecutable() {
		return program{err: errNotExecutable}
	}
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(selfPath); err == nil {
			return program{path: selfPath, argv0: argv0}
		}
	}
	path, err := os.Executable()
	if err != nil {
		return program{err: err}
	}
	file, err := os.Stat(path)
	return program{path: path, argv0: argv0, file: file, err: err}
}

// check reports why the program cannot be started, or not any more.
func (p program) check() error {
	if p.err != nil || p.file == nil {
		return p.err
	}
	now, err := os.Stat(p.path)
	if err != nil {
		return err
	}
	if !os.SameFile(p.file, now) || !p.file.ModTime().Equal(now.ModTime()) {
		return errReplaced
	}
	return nil
}

// isExecutable reports whether this code is the process's own program, and not a
// library of another one.
func isExecutable() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return true
	}
	for _, s := range info.Settings {
		if s.Key == "-buildmode" {
			return s.Value == "exe" || s.Value == "pie"
		}
	}
	return true
}
