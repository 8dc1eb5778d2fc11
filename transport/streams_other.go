//go:build !windows && (!unix || aix)

package transport

import "os"

// streams are the process's standard input and output while they are served.
// On this platform they stay where they are, and a read that blocks cannot be
// ended.
type streams struct{ in, out *os.File }

func takeStreams() (*streams, error) {
	return &streams{os.NewFile(os.Stdin.Fd(), "stdin"), os.NewFile(os.Stdout.Fd(), "stdout")}, nil
}

func (s *streams) restore() {}

func surviveBrokenPipes() (undo func()) { return func() {} }

func isBrokenPipe(error) bool { return false }
