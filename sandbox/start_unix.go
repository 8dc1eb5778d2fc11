//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// The descriptors of a process, as os/exec numbers them.
const (
	requestsFd = 3
	repliesFd  = 4
)

func unixCommand(path string, argv []string, in, out *os.File) *exec.Cmd {
	return &exec.Cmd{
		Path:       path,
		Args:       argv,
		Dir:        "/",
		ExtraFiles: []*os.File{in, out},
		// A session of its own: Ctrl-C at the parent's terminal is not for it.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
}

// contain does nothing: the process sets up all layers by itself.
func contain(*exec.Cmd) (measures []measure, release func()) { return nil, func() {} }

// childPipes returns the ends that unixCommand passed on.
func childPipes([]string) (requests, replies *os.File, err error) {
	return os.NewFile(requestsFd, "requests"), os.NewFile(repliesFd, "replies"), nil
}

// childArguments returns what follows the name of a select process in the
// arguments of this process, if it is one. On macOS the name is the first
// argument, since sandbox-exec chooses the program's name.
func childArguments(name string) ([]string, bool) {
	i := slices.Index(os.Args[:min(len(os.Args), maxNameIndex+1)], name)
	if i < 0 {
		return nil, false
	}
	return os.Args[i+1:], true
}
